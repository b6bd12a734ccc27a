// The page of an invitation. It says who made it and what is inside, and has links to sign up and log in. A guest sees
// the name of who made it and never the photo (D-P6).

import { useEffect, useEffectEvent, useState } from "react";
import { Link } from "wouter";
import { RefusedError, useSession } from "../../engine/session";
import { account } from "../../features/auth/account";
import { Inside } from "../../features/auth/Inside";
import type { Invitation } from "../../features/auth/invitation";
import { readInvitation } from "../../features/auth/invitation";
import { say } from "../../say";
import { shell } from "../../text";
import { Avatar } from "../../ui/Avatar";
import { InlineError } from "../../ui/InlineError";
import { LinkButton } from "../../ui/LinkButton";
import { LoadingScreen } from "../LoadingScreen";
import { logInPath } from "../paths";
import { notFound } from "../notFoundWords";
import css from "./account.module.css";

const invitation = {
  fromHost: "You are invited to Mellow",
  hasAccount: "You already have an account here.",
  expired: "This invite has expired.",
  expiredWhy: "Whoever sent it to you can make another.",
} as const;

export default function InviteScreen({ code }: { code: string }) {
  const { phase } = useSession();
  const [found, setFound] = useState<Invitation | "loading" | "failed" | "expired">("loading");
  const isGuest = phase === "guest";

  const load = () => {
    setFound("loading");
    readInvitation(code).then(setFound, (error: unknown) =>
      setFound(error instanceof RefusedError && error.code === "invite_expired" ? "expired" : "failed"),
    );
  };
  const loadNow = useEffectEvent(load);
  useEffect(() => {
    if (phase !== "unknown") loadNow();
  }, [phase, code]);

  if (phase === "unknown" || found === "loading") return <LoadingScreen />;
  if (found === "failed") return <InlineError onRetry={load} />;
  const logIn = (
    <LinkButton variant="quiet" href={logInPath(`/invite/${code}`)}>
      {say(shell.logIn)}
    </LinkButton>
  );
  if (found === "expired")
    return (
      <div className={css.page}>
        <h1>{say(invitation.expired)}</h1>
        <p className={css.note}>{say(invitation.expiredWhy)}</p>
        {isGuest ? logIn : <LinkButton href="/">{say(notFound.home)}</LinkButton>}
      </div>
    );
  return (
    <div className={css.page}>
      {found.name !== null && <Avatar id={found.user_id ?? 0} name={found.name} size={64} />}
      <h1 dir="auto">
        {found.name === null ? say(invitation.fromHost) : say(account.invites, { name: found.name })}
      </h1>
      {isGuest ? (
        <>
          <Inside />
          <LinkButton href={`/signup?invite=${encodeURIComponent(code)}`}>{say(shell.signUp)}</LinkButton>
          {logIn}
        </>
      ) : (
        <>
          <p>{say(invitation.hasAccount)}</p>
          {found.name !== null && found.user_id !== null && (
            <p>
              <Link href={`/profile/${found.user_id}`}>
                <bdi>{found.name}</bdi>
              </Link>
            </p>
          )}
        </>
      )}
    </div>
  );
}
