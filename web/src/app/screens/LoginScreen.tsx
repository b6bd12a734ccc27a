// The log-in page. A user who is signed in, also by another tab, is led once to the wanted page, which is
// always of this site.

import { useEffect, useRef } from "react";
import { Link, useLocation } from "wouter";
import { account } from "../../features/auth/account";
import { LoginForm } from "../../features/auth/LoginForm";
import { preloadClient, useSession } from "../../engine/session";
import { say } from "../../say";
import { shell } from "../../text";
import { safeNext, withNext } from "../paths";
import { useQuery } from "../useQuery";
import css from "./account.module.css";

export default function LoginScreen() {
  const { phase } = useSession();
  const [, navigate] = useLocation();
  const next = safeNext(new URLSearchParams(useQuery()).get("next"));
  const left = useRef(false);
  useEffect(preloadClient, []);

  const leave = (): void => {
    if (left.current) return;
    left.current = true;
    navigate(next, { replace: true });
  };
  useEffect(() => {
    if (phase === "signed-in") leave();
  });

  return (
    <div className={css.page}>
      <h1>{say(shell.logIn)}</h1>
      <LoginForm onDone={leave} />
      <div className={css.others}>
        <p className={css.other}>
          <Link href={withNext("/forgot", next)}>{say(account.forgot)}</Link>
        </p>
        <p className={css.other}>
          <span>{`${say(account.newHere)} `}</span>
          <Link href={withNext("/signup", next)}>{say(shell.signUp)}</Link>
        </p>
      </div>
    </div>
  );
}
