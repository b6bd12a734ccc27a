// The choice of light or dark and of motion. It takes effect at once, in all tabs of this device.

import type { ReactNode } from "react";
import { say, sayAs } from "../../say";
import { MOTIONS, THEMES, setMotion, setTheme, useAppearance } from "../../ui/appearance";
import { RadioGroup } from "./RadioGroup";
import { Section } from "./Section";
import { look as words, titles } from "./words";
import css from "./settings.module.css";

/** `children`: other choices for this device. */
export function AppearanceChoice({ children }: { children?: ReactNode }) {
  const { theme, motion } = useAppearance();
  return (
    <Section title={titles.look}>
      <p className={css.hint}>{say(words.lead)}</p>
      <RadioGroup
        title={sayAs("look", words.theme)}
        options={THEMES}
        label={(option) => say(words.themes[option])}
        chosen={theme}
        onChoose={setTheme}
      />
      <RadioGroup
        title={say(words.motion)}
        options={MOTIONS}
        label={(option) => say(words.motions[option])}
        chosen={motion}
        onChoose={setMotion}
      />
      {children}
    </Section>
  );
}
