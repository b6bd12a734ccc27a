// The reported words. A long text is folded, so that the next report is in sight.

import { useId, useState } from "react";
import { say } from "../../say";
import { Button } from "../../ui/Button";
import { UserText } from "../../ui/UserText";
import { reports as words } from "./words";
import css from "./admin.module.css";

/** A text with more characters or lines is folded. */
const CHARS_MAX = 280;
const LINES_MAX = 5;

export function Reported({ text }: { text: string }) {
  const [isOpen, setOpen] = useState(false);
  const id = useId();
  const isLong = text.length > CHARS_MAX || text.split("\n").length > LINES_MAX;
  return (
    <>
      <blockquote id={id} className={css.quote} data-folded={(isLong && !isOpen) || undefined}>
        <UserText text={text} />
      </blockquote>
      {isLong && (
        <div>
          <Button
            variant="plain"
            small
            className={css.fold}
            aria-expanded={isOpen}
            aria-controls={id}
            onClick={() => setOpen(!isOpen)}
          >
            {say(isOpen ? words.less : words.more)}
          </Button>
        </div>
      )}
    </>
  );
}
