// Whether others see how many people follow the viewer.

import { useId, useRef, useState } from "react";
import { useSession } from "../../engine/session";
import { refusalText } from "../../engine/refusalText";
import { catchFocus } from "../../ui/focus";
import { Switch } from "../../ui/Switch";
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
        <Switch ref={button} on={on} hint={hint} disabled={wish !== null} onPress={() => void press()}>
          {privacy.hide}
        </Switch>
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
