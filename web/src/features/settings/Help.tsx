// Help: how to add Mellow to a home screen, and what Mellow is.

import { say } from "../../say";
import { Button } from "../../ui/Button";
import { Section } from "./Section";
import { useInstall } from "./useInstall";
import { help, titles } from "./words";
import css from "./settings.module.css";

export function Help() {
  const install = useInstall();
  return (
    <Section title={titles.help}>
      <p className={css.hint}>{say(help.lead)}</p>
      <p className={css.hint}>{say(help.offline)}</p>
      {[help.iphone, help.android].map(({ title, steps }) => (
        <div key={title} className={css.help}>
          <h3>
            <bdi>{title}</bdi>
          </h3>
          <ol>
            {steps.map((step) => (
              <li key={step}>{say(step)}</li>
            ))}
          </ol>
        </div>
      ))}
      <div className={css.help}>
        <h3>{say(help.about.title)}</h3>
        {help.about.words.map((words) => (
          <p key={words}>{say(words)}</p>
        ))}
      </div>
      {/* Last, because the browser may offer it late. */}
      {install !== null && (
        <div>
          <Button variant="quiet" onClick={install}>
            {say(help.install)}
          </Button>
        </div>
      )}
    </Section>
  );
}
