// Settings about others: what they see of the viewer, who may add the viewer to groups, and who may comment.

import { useId, useRef, useState } from "react";
import { useSession } from "../../engine/session";
import { refusalText } from "../../engine/refusalText";
import { say } from "../../say";
import { catchFocus } from "../../ui/focus";
import { Switch } from "../../ui/Switch";
import type { Me } from "../../engine/types.gen";
import { Section } from "./Section";
import { RadioGroup } from "./RadioGroup";
import { LeftGroups } from "./LeftGroups";
import { setPrivacy } from "./api";
import { privacy, titles } from "./words";
import css from "./settings.module.css";
import { Note } from "../../ui/Note";

export function Privacy() {
  return (
    <Section title={titles.privacy}>
      <PrivacySwitch field="hide_numbers" name={say(privacy.hide)} hint={say(privacy.hideHint)} />
      <PrivacySwitch field="listed" name={say(privacy.list)} hint={say(privacy.listHint)} />
      <PrivacyChoice
        field="adders"
        title={say(privacy.add)}
        options={["followed", "followers", "nobody"]}
        label={(option) => say(privacy.adders[option])}
        usual="followers"
        hint={say(privacy.addHint)}
      />
      <PrivacyChoice
        field="commenters"
        title={say(privacy.comment)}
        options={["everyone", "followers", "followed"]}
        label={(option) => say(privacy.commenters[option])}
        usual="everyone"
        hint={say(privacy.commentHint)}
      />
      <LeftGroups />
    </Section>
  );
}

function PrivacySwitch({
  field,
  name,
  hint,
}: {
  field: "hide_numbers" | "listed";
  name: string;
  hint: string;
}) {
  const { me } = useSession();
  // The pressed value until the reply. It takes precedence over the value of the server.
  const [wish, setWish] = useState<boolean | null>(null);
  const [wrong, setWrong] = useState<string | null>(null);
  const button = useRef<HTMLButtonElement>(null);
  const hintId = useId();
  const on = wish ?? me?.[field] ?? false;

  const press = async (): Promise<void> => {
    setWish(!on);
    setWrong(null);
    try {
      await setPrivacy({ [field]: !on });
    } catch (error) {
      setWrong(refusalText(error, say(privacy.failed)));
    }
    setWish(null);
    catchFocus(() => button.current);
  };

  return (
    <div className={css.item}>
      <Switch ref={button} on={on} hint={hintId} disabled={wish !== null} onPress={() => void press()}>
        {name}
      </Switch>
      <Note text={wrong} />
      <p id={hintId} className={css.hint}>
        {hint}
      </p>
    </div>
  );
}

type PrivacyChoiceProps<F extends "adders" | "commenters"> = {
  field: F;
  title: string;
  options: readonly Me[F][];
  label(option: Me[F]): string;
  /** The value until the server's is known. */
  usual: Me[F];
  hint: string;
};

function PrivacyChoice<F extends "adders" | "commenters">(props: PrivacyChoiceProps<F>) {
  const { field, title, options, label, usual, hint } = props;
  const { me } = useSession();
  // The chosen value until the reply. It takes precedence over the value of the server.
  const [wish, setWish] = useState<Me[F] | null>(null);
  const [wrong, setWrong] = useState<string | null>(null);
  const root = useRef<HTMLDivElement>(null);

  const choose = async (option: Me[F]): Promise<void> => {
    setWish(option);
    setWrong(null);
    try {
      await setPrivacy({ [field]: option });
    } catch (error) {
      setWrong(refusalText(error, say(privacy.failed)));
    }
    setWish(null);
    catchFocus(() => root.current?.querySelector<HTMLElement>("input:checked"));
  };

  return (
    <div ref={root} className={css.item}>
      <RadioGroup
        title={title}
        options={options}
        label={label}
        chosen={wish ?? me?.[field] ?? usual}
        disabled={wish !== null}
        onChoose={(option) => void choose(option)}
      />
      <Note text={wrong} />
      <p className={css.hint}>{hint}</p>
    </div>
  );
}
