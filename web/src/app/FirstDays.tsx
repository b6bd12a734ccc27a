// What new users see: whether to follow their inviter, and the first steps. The theme is the one that the page
// contains until the client has read a newer one.

import { useState } from "react";
import { useStore } from "../engine/store";
import { pressFollow } from "../features/follows/api";
import { FollowInviter } from "../features/newcomers/FollowInviter";
import { GettingStarted } from "../features/newcomers/GettingStarted";
import { themeOfPage } from "../features/theme/page";

export function FirstDays() {
  const [ofPage] = useState(themeOfPage);
  const theme = useStore((s) => (s.theme.at > 0 ? s.theme.now : ofPage));
  return (
    <>
      <FollowInviter follow={pressFollow} />
      <GettingStarted theme={theme} />
    </>
  );
}
