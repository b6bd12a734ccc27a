import { useEffect, useRef } from "react";
import { Link, useLocation } from "wouter";
import { SignupForm } from "../../features/auth/SignupForm";
import { useSession } from "../../store/session";
import { account, shell } from "../../text";
import css from "./account.module.css";

export default function SignupScreen() {
  const { phase, me } = useSession();
  const [, navigate] = useLocation();
  const came = useRef(phase);

  // Whoever was signed in before the page opened goes home; whoever has just signed up, to the new profile.
  useEffect(() => {
    if (phase !== "signed-in" || me === null) {
      if (phase === "guest") came.current = "guest";
      return;
    }
    navigate(came.current === "guest" ? `/profile/${String(me.id)}` : "/", { replace: true });
  }, [phase, me, navigate]);

  return (
    <div className={css.page}>
      <h1>{shell.signUp}</h1>
      <SignupForm onDone={() => undefined} />
      <p className={css.other}>
        {account.haveAccount} <Link href="/login">{shell.logIn}</Link>
      </p>
    </div>
  );
}
