// Help: how to add Mellow to a home screen, and what Mellow is.

import { Button } from "../../ui/Button";
import { Section } from "./Section";
import { useInstall } from "./useInstall";
import { help, titles } from "./words";
import css from "./settings.module.css";

export function Help() {
  const install = useInstall();
  return (
    <Section title={titles.help}>
      <p className={css.hint}>{help.lead}</p>
      <p className={css.hint}>{help.offline}</p>
      {[help.iphone, help.android].map(({ title, steps }) => (
        <div key={title} className={css.help}>
          <h3>{title}</h3>
          <ol>
            {steps.map((step) => (
              <li key={step}>{step}</li>
            ))}
          </ol>
        </div>
      ))}
      <div className={css.help}>
        <h3>{help.about.title}</h3>
        {help.about.words.map((words) => (
          <p key={words}>{words}</p>
        ))}
      </div>
      {/* Last, because the browser may offer it late. */}
      {install !== null && (
        <div>
          <Button variant="quiet" onClick={install}>
            {help.install}
          </Button>
        </div>
      )}
    </Section>
  );
}
