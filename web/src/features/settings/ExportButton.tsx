// The button that downloads all data of the account as one file. The page stays open.

import { useRef, useState } from "react";
import { refusalText } from "../../engine/refusalText";
import { say } from "../../say";
import { Button } from "../../ui/Button";
import { catchFocus } from "../../ui/focus";
import { exportData } from "./api";
import { data } from "./words";
import css from "./settings.module.css";
import { Note } from "../../ui/Note";

export function ExportButton({ disabled = false }: { disabled?: boolean }) {
  const [how, setHow] = useState<"idle" | "busy" | "started">("idle");
  const [wrong, setWrong] = useState<string | null>(null);
  const button = useRef<HTMLButtonElement>(null);

  const press = async (): Promise<void> => {
    setHow("busy");
    setWrong(null);
    try {
      fetchFile(await exportData());
      setHow("started");
    } catch (error) {
      setHow("idle");
      setWrong(refusalText(error, say(data.failed)));
    }
    catchFocus(() => button.current);
  };

  return (
    <div className={css.item}>
      <Button
        ref={button}
        variant="quiet"
        busy={how === "busy"}
        disabled={disabled}
        onClick={() => void press()}
      >
        {say(data.press)}
      </Button>
      <Note text={wrong} />
      <p role="status" className={css.hint}>
        {how === "started" && say(data.started)}
      </p>
    </div>
  );
}

function fetchFile(url: string): void {
  const link = Object.assign(document.createElement("a"), { href: url, download: "" });
  document.body.append(link);
  link.click();
  link.remove();
}
