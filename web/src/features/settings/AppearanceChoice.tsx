// The choice of light or dark and of motion. It takes effect at once, in all tabs of this device.

import type { ReactNode } from "react";
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
      <p className={css.hint}>{words.lead}</p>
      <RadioGroup
        title={words.theme}
        options={THEMES}
        labels={words.themes}
        chosen={theme}
        onChoose={setTheme}
      />
      <RadioGroup
        title={words.motion}
        options={MOTIONS}
        labels={words.motions}
        chosen={motion}
        onChoose={setMotion}
      />
      {children}
    </Section>
  );
}
