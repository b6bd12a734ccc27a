// The dialog that reports something to the host, with a reason and details.
//
// Promises: typed text is not lost by a press beside the dialog or by a refusal. The same report sent again
// counts once.

import { useId, useRef, useState } from "react";
import { ask } from "../../../engine/client";
import { RequestKey } from "../../../engine/keys";
import { refusalText } from "../../../engine/refusalText";
import type { About, Reason } from "../../../engine/types.gen";
import { say } from "../../../say";
import { common } from "../../../text";
import { Button } from "../../../ui/Button";
import { CharCounter } from "../../../ui/CharCounter";
import { Dialog } from "../../../ui/Dialog";
import { TextArea } from "../../../ui/TextArea";
import { quiet } from "../../../ui/card";
import { toast } from "../../../ui/toast";
import { Note } from "../../../ui/Note";
import { countOf, tidyText } from "../text";
import css from "./people.module.css";

const DETAILS_MAX = 500;

const REASONS = {
  spam: "Spam",
  harassment: "Harassment",
  hate: "Hate or violence",
  private: "Private information",
  other: "Something else",
} as const satisfies Record<Reason, string>;

const FAILED = "That didn't go through. Please try again.";

export function ReportDialog({ about, onClose }: { about: About; onClose(): void }) {
  const [reason, setReason] = useState<Reason | null>(null);
  const [details, setDetails] = useState("");
  const [busy, setBusy] = useState(false);
  const [wrong, setWrong] = useState<string | null>(null);
  const key = useRef(new RequestKey());
  const id = useId();
  const tidied = tidyText(details);
  const count = countOf(tidied);
  const isComplete = reason !== null && count <= DETAILS_MAX && (reason !== "other" || count > 0);

  const send = async () => {
    if (reason === null || !isComplete || busy) return;
    setBusy(true);
    setWrong(null);
    try {
      await ask("reports.create", {
        key: key.current.for([JSON.stringify(about), reason, tidied]),
        about,
        reason,
        details: tidied,
      });
      toast(say("Report sent to the host."));
      onClose();
    } catch (error) {
      setWrong(refusalText(error, say(FAILED)));
      setBusy(false);
    }
  };

  return (
    <Dialog
      open
      title={say("Report")}
      closeOnBackdrop={reason === null && details === ""}
      onClose={onClose}
      actions={
        <>
          <Button variant="quiet" onClick={onClose}>
            {say(common.cancel)}
          </Button>
          <Button busy={busy} disabled={!isComplete} onClick={() => void send()}>
            {say("Send Report")}
          </Button>
        </>
      }
    >
      <div className={css.report}>
        <div role="radiogroup" aria-labelledby={`${id}-reason`}>
          <p id={`${id}-reason`}>{say("Reason")}</p>
          {(Object.keys(REASONS) as Reason[]).map((one) => (
            <label key={one} className={css.reason}>
              <input
                type="radio"
                name={id}
                checked={one === reason}
                disabled={busy}
                onChange={() => setReason(one)}
              />
              <span>{say(REASONS[one])}</span>
            </label>
          ))}
        </div>
        <label htmlFor={`${id}-details`}>{say("Details")}</label>
        <TextArea
          id={`${id}-details`}
          value={details}
          readOnly={busy}
          aria-required={reason === "other"}
          onChange={({ target }) => setDetails(target.value)}
        />
        <CharCounter count={count} max={DETAILS_MAX} />
        <p className={quiet}>{say("The host will see what you report, and your name.")}</p>
        <Note text={wrong} className={quiet} />
      </div>
    </Dialog>
  );
}
