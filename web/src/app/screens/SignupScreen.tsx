// The sign-up page. It shows the form only if this person may sign up, and leads once to the wanted page, the
// new profile or home.

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

  // A person who wanted a page goes to that page. Otherwise a person who was signed in before the page opened
  // goes home, and a person who has just signed up goes to the new profile.
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
        <span>{`${account.haveAccount} `}</span>
        <Link href={withNext("/login", next)}>{shell.logIn}</Link>
      </p>
    </div>
  );
}

/**
 * Reads the invitation and the wanted page from the address. The page of an invitation is never the wanted
 * page.
 */
function wishOf(query: URLSearchParams): { invite: string | null; next: string } {
  const next = safeNext(query.get("next"));
  const code = /^\/invite\/([^/?#]+)/u.exec(next)?.[1] ?? null;
  return { invite: query.get("invite") ?? code, next: code === null ? next : "/" };
}

/** The form, or a sentence if this person may not sign up. */
function Form({ invite }: { invite: string | null }) {
  const signups = signupOfPage();
  const mustAsk = signups === "invite" && invite !== null;
  const [isGood, setGood] = useState<boolean | null>(mustAsk ? null : signups === "open");
  useEffect(() => {
    if (!mustAsk) return;
    // If the check fails for another reason, the form is shown, and the sign-up checks the invitation.
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
