import { useEffect, useRef } from "react";
import { Link, useLocation } from "wouter";
import { account } from "../../features/auth/account";
import { SignupForm } from "../../features/auth/SignupForm";
import { preloadClient, useSession } from "../../engine/session";
import { shell } from "../../text";
import { safeNext, withNext } from "../paths";
import { useQuery } from "../useQuery";
import css from "./account.module.css";

export default function SignupScreen() {
  const { phase, me } = useSession();
  const [, navigate] = useLocation();
  const next = safeNext(new URLSearchParams(useQuery()).get("next"));
  const came = useRef(phase);
  const left = useRef(false);
  useEffect(preloadClient, []);

  // Whoever was on the way somewhere goes there; else whoever was signed in before the page opened goes
  // home, and who has just signed up, to the new profile.
  useEffect(() => {
    if (phase !== "signed-in" || me === null) {
      if (phase === "guest") came.current = "guest";
      return;
    }
    if (left.current) return;
    left.current = true;
    navigate(came.current === "guest" && next === "/" ? `/profile/${String(me.id)}` : next, {
      replace: true,
    });
  }, [phase, me, next, navigate]);

  return (
    <div className={css.page}>
      <h1>{shell.signUp}</h1>
      <SignupForm onDone={() => undefined} />
      <p className={css.other}>
        {account.haveAccount} <Link href={withNext("/login", next)}>{shell.logIn}</Link>
      </p>
    </div>
  );
}
