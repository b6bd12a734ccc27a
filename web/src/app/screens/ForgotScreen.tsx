// The page that requests a mail with a link for a new password. Its link to the log-in keeps the wanted page.

import { useEffect } from "react";
import { Link, useLocation } from "wouter";
import { ForgotForm } from "../../features/auth/ForgotForm";
import { forgot } from "../../features/auth/words";
import { preloadClient } from "../../engine/session";
import { say } from "../../say";
import { shell } from "../../text";
import { nextOf, withNext } from "../paths";
import { useQuery } from "../useQuery";
import css from "./account.module.css";

export default function ForgotScreen() {
  const [path] = useLocation();
  const next = nextOf(path, useQuery());
  useEffect(preloadClient, []);
  return (
    <div className={css.page}>
      <h1>{say(forgot.title)}</h1>
      <p className={css.note}>{say(forgot.lead)}</p>
      <ForgotForm />
      <p className={css.other}>
        <span>{`${say(forgot.remembered)} `}</span>
        <Link href={withNext("/login", next)}>{say(shell.logIn)}</Link>
      </p>
    </div>
  );
}
