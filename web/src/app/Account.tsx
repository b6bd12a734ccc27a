// The right side of the header for signed-in users: the connection state, the bell, the account menu and the
// shortcuts. Its file is not loaded for guests. The menu comes right after the first screen; until then its photo is
// in its place.

import { Suspense, lazy } from "react";
import { tryNow, useConnection, useSession } from "../engine/session";
import { Avatar } from "../ui/Avatar";
import { ConnectionDot } from "../ui/ConnectionDot";
import { lazyPart, useLazyPart } from "../ui/lazyPart";
import { Bell } from "./Bell";
import { fetchUntilLoaded } from "./retry";
import css from "./Header.module.css";

const AccountMenu = lazy(fetchUntilLoaded(() => import("./AccountMenu")));
const shortcuts = lazyPart(() => import("../features/shortcuts/Shortcuts"));

export default function Account({ onLogOut }: { onLogOut(): void }) {
  const { phase, me } = useSession();
  const { state, since } = useConnection();
  const { part: keys } = useLazyPart(shortcuts, me !== null, NOTHING_LOST);
  return (
    <>
      <div className={css.connection}>
        {/* Without a login there is no connection to show. */}
        {phase !== "ended" && <ConnectionDot state={state} since={since} onTryNow={tryNow} />}
      </div>
      {keys !== null && <keys.Shortcuts />}
      {me !== null && <Bell />}
      {me !== null && (
        <div className={css.account}>
          <Suspense
            fallback={
              <span className={css.face}>
                <Avatar id={me.id} name={me.name} photo={me.photo_url} size={36} />
              </span>
            }
          >
            <AccountMenu me={me} onLogOut={onLogOut} />
          </Suspense>
        </div>
      )}
    </>
  );
}

/** If the file of the shortcuts cannot be loaded, the page has no shortcuts until it is loaded again. */
const NOTHING_LOST = (): void => undefined;
