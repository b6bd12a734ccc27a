import { useEffect, useRef, useState } from "react";
import { Link, useLocation } from "wouter";
import { account } from "../../features/auth/account";
import { SignupForm } from "../../features/auth/SignupForm";
import { signupOfPage } from "../../features/auth/signupOfPage";
import { RefusedError, askAsGuest, preloadClient, useSession } from "../../engine/session";
import { shell } from "../../text";
import { LoadingScreen } from "../LoadingScreen";
import { safeNext, withNext } from "../paths";
import { useQuery } from "../useQuery";
import css from "./account.module.css";

export default function SignupScreen() {
  const { phase, me } = useSession();
  const [, navigate] = useLocation();
  const { invite, next } = wishOf(new URLSearchParams(useQuery()));
  const came = useRef(phase);
  const left = useRef(false);
  useEffect(preloadClient, []);

  // A person who was on the way somewhere goes there. Otherwise a person who was signed in before the page
  // opened goes home, and who has just signed up, to the new profile.
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
      <Form invite={invite} />
      <p className={css.other}>
        {account.haveAccount} <Link href={withNext("/login", next)}>{shell.logIn}</Link>
      </p>
    </div>
  );
}

/** From the page of an invitation the way leads to the new profile, and the invitation is sent with the sign-up. */
function wishOf(query: URLSearchParams): { invite: string | null; next: string } {
  const next = safeNext(query.get("next"));
  const code = /^\/invite\/([^/?#]+)/u.exec(next)?.[1] ?? null;
  return { invite: query.get("invite") ?? code, next: code === null ? next : "/" };
}

/** The form, where this person may sign up. */
function Form({ invite }: { invite: string | null }) {
  const signups = signupOfPage();
  const mustAsk = signups === "invite" && invite !== null;
  const [isGood, setGood] = useState<boolean | null>(mustAsk ? null : signups === "open");
  useEffect(() => {
    if (!mustAsk) return;
    // Without an answer the sign-up itself will say so.
    askAsGuest("invites.get", { code: invite }).then(
      () => setGood(true),
      (error: unknown) => setGood(!(error instanceof RefusedError && error.code === "invite_expired")),
    );
  }, [mustAsk, invite]);
  if (signups === "closed") return <p>{account.closed}</p>;
  if (isGood === null) return <LoadingScreen />;
  if (!isGood) return <p>{account.needsInvite}</p>;
  return <SignupForm invite={invite} onDone={() => undefined} />;
}
