import { useRef } from "react";
import { LogOut, UserRound } from "lucide-react";
import { Link, useLocation } from "wouter";
import { tryNow, useConnection, useSession } from "../store/session";
import { shell } from "../text";
import { Avatar } from "../ui/Avatar";
import { ConnectionDot } from "../ui/ConnectionDot";
import { LinkButton } from "../ui/LinkButton";
import { Menu } from "../ui/Menu";
import { useHeaderAway } from "./useHeaderAway";
import css from "./Header.module.css";

/** The top of every page. It steps aside while reading on and comes back on the way up. */
export function Header({ onLogOut }: { onLogOut(): void }) {
  const { phase, me } = useSession();
  const { state, since } = useConnection();
  const [path] = useLocation();
  const header = useRef<HTMLElement>(null);
  useHeaderAway(header);

  return (
    <header ref={header} className={css.header}>
      <div className={css.inner}>
        <Link href="/" className={css.logo}>
          <svg viewBox="0 0 32 32" width="28" height="28" aria-hidden="true" focusable="false">
            <circle cx="16" cy="10" r="4" className={css.sun} />
            <path d="M4 21c3 0 3-4 6-4s3 4 6 4 3-4 6-4 3 4 6 4" className={css.wave} />
          </svg>
          {shell.name}
        </Link>
        {phase === "guest" ? (
          <div className={css.links}>
            <LinkButton href="/login" variant="plain" current={path === "/login"}>
              {shell.logIn}
            </LinkButton>
            <LinkButton href="/signup" variant="quiet" current={path === "/signup"}>
              {shell.signUp}
            </LinkButton>
          </div>
        ) : (
          <>
            <div className={css.connection}>
              <ConnectionDot state={state} since={since} onTryNow={tryNow} />
            </div>
            {me !== null && (
              <div className={css.account}>
                <Menu
                  label={shell.accountMenu}
                  items={[
                    { label: shell.viewProfile, href: `/profile/${String(me.id)}`, icon: <UserRound {...icon} /> },
                    { label: shell.logOut, onSelect: onLogOut, icon: <LogOut {...icon} /> },
                  ]}
                >
                  <Avatar id={me.id} name={me.name} size={36} />
                </Menu>
              </div>
            )}
          </>
        )}
      </div>
    </header>
  );
}

const icon = { size: 20, strokeWidth: 1.75, "aria-hidden": true } as const;
