// The language of Mellow's words, on all devices of the account.

import { useRef, useState } from "react";
import { refusalText } from "../../engine/refusalText";
import { useSession } from "../../engine/session";
import { chosenBy, isLanguageChecked } from "../../languages";
import { say } from "../../say";
import { common } from "../../text";
import { Note } from "../../ui/Note";
import { LanguageSelect } from "../shared/language/LanguageSelect";
import { setLanguageOfAccount } from "../shared/language/account";
import { Section } from "./Section";
import { language as words, titles } from "./words";
import css from "./settings.module.css";

export function LanguageChoice() {
  const { me } = useSession();
  // The chosen value until the reply. It takes precedence over the value of the server.
  const [wish, setWish] = useState<{ tag: string | null } | null>(null);
  const [wrong, setWrong] = useState<string | null>(null);

  const last = useRef(0);

  const choose = async (tag: string | null): Promise<void> => {
    // With arrow keys one choice follows another.
    const nth = (last.current += 1);
    setWish({ tag });
    setWrong(null);
    let failure: string | null = null;
    try {
      await setLanguageOfAccount(tag);
    } catch (error) {
      failure = refusalText(error, say(common.notLoaded));
    }
    if (nth !== last.current) return;
    setWish(null);
    setWrong(failure);
  };

  return (
    <Section title={titles.language}>
      <LanguageSelect
        chosen={wish === null ? (me?.language ?? chosenBy("device")) : wish.tag}
        onChoose={(tag) => void choose(tag)}
      />
      <Note text={wrong} />
      <p className={css.hint}>{say(words.lead)}</p>
      {!isLanguageChecked() && <p className={css.hint}>{say(words.unchecked)}</p>}
    </Section>
  );
}
