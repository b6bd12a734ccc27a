// The menu of the account, behind the viewer's photo.

import { Bookmark, LogOut, Settings, Shield, UserRound, UsersRound } from "lucide-react";
import type { Me } from "../engine/types.gen";
import { say } from "../say";
import { shell } from "../text";
import { Avatar } from "../ui/Avatar";
import type { MenuItem } from "../ui/Menu";
import { Menu } from "../ui/Menu";

export default function AccountMenu({ me, onLogOut }: { me: Me; onLogOut(): void }) {
  return (
    <Menu
      label={say(shell.accountMenu)}
      items={[
        { label: say(shell.viewProfile), href: `/profile/${String(me.id)}`, icon: <UserRound {...icon} /> },
        { label: say(shell.groups), href: "/groups", icon: <UsersRound {...icon} /> },
        { label: say("Saved"), href: "/saved", icon: <Bookmark {...icon} /> },
        { label: say(shell.settings), href: "/settings", icon: <Settings {...icon} /> },
        ...(me.is_admin ? [admin(me.has_reports)] : []),
        { label: say(shell.logOut), onSelect: onLogOut, icon: <LogOut {...icon} /> },
      ]}
    >
      <Avatar id={me.id} name={me.name} photo={me.photo_url} size={36} />
    </Menu>
  );
}

const admin = (hasReports: boolean): MenuItem => ({
  label: hasReports ? say("Admin, new") : say("Admin"),
  href: "/admin",
  icon: <Shield {...icon} />,
});

const icon = { size: 20, strokeWidth: 1.75, "aria-hidden": true } as const;
