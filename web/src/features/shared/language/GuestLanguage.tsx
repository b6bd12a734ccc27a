// The choice of the language at the end of a guest's page. It holds for this device.

import { Languages } from "lucide-react";
import { useState } from "react";
import { chooseLanguage, chosenBy } from "../../../languages";
import { refusalText } from "../../../engine/refusalText";
import { say, useLanguage } from "../../../say";
import { common } from "../../../text";
import { toast } from "../../../ui/toast";
import { LanguageSelect } from "./LanguageSelect";
import css from "./language.module.css";

export default function GuestLanguage() {
  useLanguage();
  // The chosen value until its file is here.
  const [wish, setWish] = useState<{ tag: string | null } | null>(null);
  const choose = async (tag: string | null): Promise<void> => {
    setWish({ tag });
    try {
      if (!(await chooseLanguage("device", tag))) return;
    } catch (error) {
      toast(refusalText(error, say(common.notLoaded)), { error: true });
    }
    setWish(null);
  };
  return (
    <footer className={css.foot}>
      <Languages size={20} strokeWidth={1.75} aria-hidden="true" />
      <LanguageSelect
        chosen={wish === null ? chosenBy("device") : wish.tag}
        onChoose={(tag) => void choose(tag)}
      />
    </footer>
  );
}
