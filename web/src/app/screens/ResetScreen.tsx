// The page behind the link of a mail for a new password. Without a valid token it offers another mail. A new
// password leads to the log-in.

import { useEffect, useState } from "react";
import { useLocation } from "wouter";
import { ResetForm } from "../../features/auth/ResetForm";
import { link, reset } from "../../features/auth/words";
import { preloadClient } from "../../engine/session";
import { say } from "../../say";
import { catchFocus } from "../../ui/focus";
import { toast } from "../../ui/toast";
import { mailLink, useFragment } from "../useFragment";
import { ExpiredLink } from "./ExpiredLink";
import css from "./account.module.css";

export default function ResetScreen() {
  const token = mailLink(useFragment())?.token ?? null;
  const [spent, setSpent] = useState<string | null>(null);
  const [, navigate] = useLocation();
  useEffect(preloadClient, []);

  return (
    <div className={css.page}>
      <h1 tabIndex={-1}>{say(reset.title)}</h1>
      {token === null || token === spent ? (
        <ExpiredLink another={{ href: "/forgot", label: say(link.another) }} />
      ) : (
        <>
          <p className={css.note}>{say(reset.lead)}</p>
          <ResetForm
            key={token}
            token={token}
            onExpired={() => {
              setSpent(token);
              catchFocus(() => document.querySelector<HTMLElement>("main h1"));
            }}
            onDone={() => {
              toast(say(reset.saved));
              navigate("/login", { replace: true });
            }}
          />
        </>
      )}
    </div>
  );
}
