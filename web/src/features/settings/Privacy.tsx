// Whether others see how many people follow the viewer.

import { useId, useRef, useState } from "react";
import { useSession } from "../../engine/session";
import { refusalText } from "../../engine/refusalText";
import { catchFocus } from "../../ui/focus";
import { Section } from "./Section";
import { setHideNumbers } from "./api";
import { privacy, titles } from "./words";
import css from "./settings.module.css";

export function Privacy() {
  const { me } = useSession();
  // What was pressed and not answered yet; what the server says lies below.
  const [wish, setWish] = useState<boolean | null>(null);
  const [wrong, setWrong] = useState<string | null>(null);
  const button = useRef<HTMLButtonElement>(null);
  const hint = useId();
  const on = wish ?? me?.hide_numbers ?? false;

  const press = async (): Promise<void> => {
    setWish(!on);
    setWrong(null);
    try {
      await setHideNumbers(!on);
    } catch (error) {
      setWrong(refusalText(error, privacy.failed));
    }
    setWish(null);
    catchFocus(() => button.current);
  };

  return (
    <Section title={titles.privacy}>
      <div className={css.item}>
        <button
          ref={button}
          type="button"
          role="switch"
          aria-checked={on}
          aria-describedby={hint}
          disabled={wish !== null}
          className={css.switch}
          onClick={() => void press()}
        >
          {privacy.hide}
          <span className={css.track} aria-hidden="true">
            <span className={css.knob} />
          </span>
        </button>
        {wrong !== null && (
          <p role="alert" className={css.wrong}>
            {wrong}
          </p>
        )}
        <p id={hint} className={css.hint}>
          {privacy.hint}
        </p>
      </div>
    </Section>
  );
}
