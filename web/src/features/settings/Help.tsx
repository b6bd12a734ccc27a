// Help: how to add Mellow to a home screen, and what Mellow is.

import { Section } from "./Section";
import { help, titles } from "./words";
import css from "./settings.module.css";

export function Help() {
  return (
    <Section title={titles.help}>
      <p className={css.hint}>{help.lead}</p>
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
    </Section>
  );
}
