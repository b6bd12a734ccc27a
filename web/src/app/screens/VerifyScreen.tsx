// The page behind the two links of an email change. The mail to the new address has a link that confirms the
// change. The mail to the old address has a link that undoes it.

import { useEffect, useState } from "react";
import { MailAnswer } from "../../features/auth/MailAnswer";
import { confirm, mail, undo } from "../../features/auth/words";
import { preloadClient } from "../../engine/session";
import { say } from "../../say";
import { catchFocus } from "../../ui/focus";
import { LinkButton } from "../../ui/LinkButton";
import { mailLink, useFragment } from "../useFragment";
import { ExpiredLink } from "./ExpiredLink";
import css from "./account.module.css";

export default function VerifyScreen() {
  const found = mailLink(useFragment());
  const [over, setOver] = useState<{ token: string; how: "done" | "spent" } | null>(null);
  useEffect(preloadClient, []);
  const words = found?.isUndo === true ? undo : confirm;
  const token = found?.token ?? null;
  const how = token === null ? "spent" : over?.token === token ? over.how : "asking";
  const end = (how: "done" | "spent") => (): void => {
    if (token !== null) setOver({ token, how });
    catchFocus(() => document.querySelector<HTMLElement>("main h1"));
  };

  return (
    <div className={css.page}>
      <h1 tabIndex={-1}>{say(words.title)}</h1>
      {how === "asking" && token !== null && (
        <>
          <p className={css.note}>{say(words.lead)}</p>
          <MailAnswer
            key={token}
            op={words === undo ? "auth.undo_email" : "auth.confirm_email"}
            token={token}
            label={say(words.press)}
            onDone={end("done")}
            onExpired={end("spent")}
          />
        </>
      )}
      {how === "spent" && (
        <ExpiredLink
          another={words === undo ? null : { href: "/settings", label: say(confirm.toSettings) }}
        />
      )}
      <div role="status" className={css.done}>
        {how === "done" && <p>{say(words.done)}</p>}
      </div>
      {how === "done" && (
        <p>
          <LinkButton href="/">{say(mail.goOn)}</LinkButton>
        </p>
      )}
    </div>
  );
}
