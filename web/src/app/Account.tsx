// The right side of the header for signed-in users: the connection state, the bell, the account menu and the
// shortcuts. Its file is not loaded for guests.

import { LogOut, Settings, Shield, UserRound, UsersRound } from "lucide-react";
import { tryNow, useConnection, useSession } from "../engine/session";
import { shell } from "../text";
import { Avatar } from "../ui/Avatar";
import { ConnectionDot } from "../ui/ConnectionDot";
import type { MenuItem } from "../ui/Menu";
import { Menu } from "../ui/Menu";
import { lazyPart, useLazyPart } from "../ui/lazyPart";
import { Bell } from "./Bell";
import css from "./Header.module.css";

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
          <Menu
            label={shell.accountMenu}
            items={[
              { label: shell.viewProfile, href: `/profile/${String(me.id)}`, icon: <UserRound {...icon} /> },
              { label: shell.groups, href: "/groups", icon: <UsersRound {...icon} /> },
              { label: shell.settings, href: "/settings", icon: <Settings {...icon} /> },
              ...(me.is_admin ? [admin(me.has_reports)] : []),
              { label: shell.logOut, onSelect: onLogOut, icon: <LogOut {...icon} /> },
            ]}
          >
            <Avatar id={me.id} name={me.name} photo={me.photo_url} size={36} />
          </Menu>
        </div>
      )}
    </>
  );
}

const admin = (hasReports: boolean): MenuItem => ({
  label: `Admin${hasReports ? ", new" : ""}`,
  href: "/admin",
  icon: <Shield {...icon} />,
});

/** If the file of the shortcuts cannot be loaded, the page has no shortcuts until it is loaded again. */
const NOTHING_LOST = (): void => undefined;

const icon = { size: 20, strokeWidth: 1.75, "aria-hidden": true } as const;
