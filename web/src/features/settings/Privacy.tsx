// What others see of the viewer: how many follow them, and whether they are listed.

import { useId, useRef, useState } from "react";
import { useSession } from "../../engine/session";
import { refusalText } from "../../engine/refusalText";
import { catchFocus } from "../../ui/focus";
import { Switch } from "../../ui/Switch";
import { Section } from "./Section";
import type { PrivacyField } from "./api";
import { setPrivacy } from "./api";
import { privacy, titles } from "./words";
import css from "./settings.module.css";

export function Privacy() {
  return (
    <Section title={titles.privacy}>
      <PrivacySwitch field="hide_numbers" name={privacy.hide} says={privacy.hideHint} />
      <PrivacySwitch field="listed" name={privacy.list} says={privacy.listHint} />
    </Section>
  );
}

function PrivacySwitch({ field, name, says }: { field: PrivacyField; name: string; says: string }) {
  const { me } = useSession();
  // What was pressed and not answered yet; what the server says lies below.
  const [wish, setWish] = useState<boolean | null>(null);
  const [wrong, setWrong] = useState<string | null>(null);
  const button = useRef<HTMLButtonElement>(null);
  const hint = useId();
  const on = wish ?? me?.[field] ?? false;

  const press = async (): Promise<void> => {
    setWish(!on);
    setWrong(null);
    try {
      await setPrivacy(field, !on);
    } catch (error) {
      setWrong(refusalText(error, privacy.failed));
    }
    setWish(null);
    catchFocus(() => button.current);
  };

  return (
    <div className={css.item}>
      <Switch ref={button} on={on} hint={hint} disabled={wish !== null} onPress={() => void press()}>
        {name}
      </Switch>
      {wrong !== null && (
        <p role="alert" className={css.wrong}>
          {wrong}
        </p>
      )}
      <p id={hint} className={css.hint}>
        {says}
      </p>
    </div>
  );
}
