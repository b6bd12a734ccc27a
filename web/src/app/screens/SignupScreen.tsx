// The sign-up page. It shows the form only if this person may sign up, and leads once to the wanted page, the
// new profile or home.

import { useEffect, useRef, useState } from "react";
import { Link, useLocation } from "wouter";
import { account } from "../../features/auth/account";
import { SignupForm } from "../../features/auth/SignupForm";
import { signupOfPage } from "../../features/auth/signupOfPage";
import { Inside } from "../../features/auth/Inside";
import type { Invitation } from "../../features/auth/invitation";
import { knownInvitation, readInvitation } from "../../features/auth/invitation";
import { RefusedError, preloadClient, useSession } from "../../engine/session";
import { say } from "../../say";
import { shell } from "../../text";
import { Avatar } from "../../ui/Avatar";
import { LoadingLine } from "../LoadingScreen";
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
      <h1>{say(shell.signUp)}</h1>
      <Form invite={invite} />
      <p className={css.other}>
        <span>{`${say(account.haveAccount)} `}</span>
        <Link href={withNext("/login", next)}>{say(shell.logIn)}</Link>
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

/** The form, or a sentence if this person may not sign up. A person with an invitation sees who made it. */
function Form({ invite }: { invite: string | null }) {
  const signups = signupOfPage();
  const found = useInvitation(signups === "closed" ? null : invite);
  if (signups === "closed") return <p>{say(account.closed)}</p>;
  if (found === "waiting") return <LoadingLine />;
  if (signups === "invite" && (found === null || found === "expired"))
    return <p>{say(account.needsInvite)}</p>;
  return (
    <>
      {typeof found === "object" && found !== null && (
        <div className={css.invited}>
          {found.name !== null && (
            <div className={css.inviter}>
              <Avatar id={0} name={found.name} />
              <p dir="auto">{say(account.invites, { name: found.name })}</p>
            </div>
          )}
          <Inside />
        </div>
      )}
      <SignupForm invite={invite} onDone={() => undefined} />
    </>
  );
}

/**
 * Returns the invitation, or why there is none. If it could not be read for another reason than its end, the form is
 * shown, and the sign-up checks the invitation.
 */
function useInvitation(code: string | null): Invitation | "waiting" | "expired" | "failed" | null {
  const [found, setFound] = useState<ReturnType<typeof useInvitation>>(
    () => knownInvitation(code) ?? (code === null ? null : "waiting"),
  );
  const isWaiting = found === "waiting";
  useEffect(() => {
    if (code === null || !isWaiting) return;
    readInvitation(code).then(setFound, (error: unknown) =>
      setFound(error instanceof RefusedError && error.code === "invite_expired" ? "expired" : "failed"),
    );
  }, [code, isWaiting]);
  return found;
}
