// The button on a profile that adds its user to groups. It is shown for people whom the viewer follows, or a
// sentence instead if they do not let the viewer add them.

import { useState } from "react";
import { shownFollowing } from "../shared/people/follows";
import type { Id } from "../../engine/state";
import { useStore } from "../../engine/store";
import { say } from "../../say";
import { common } from "../../text";
import { Button } from "../../ui/Button";
import { lazyPart, usePreload, useLazyPart } from "../../ui/lazyPart";
import { quiet } from "../../ui/card";
import { toast } from "../../ui/toast";

const dialog = lazyPart(() => import("./PickGroups"));

export function AddToGroup({ userId }: { userId: Id }) {
  const following = useStore((s) => shownFollowing(s, userId));
  const mayAdd = useStore((s) => s.profiles[userId]?.can_be_added ?? true);
  const name = useStore((s) => s.users[userId]?.name ?? "");
  if (!following) return null;
  return mayAdd ? (
    <Following userId={userId} />
  ) : (
    <p className={quiet}>{say("{name} can't be added to groups.", { name })}</p>
  );
}

function Following({ userId }: { userId: Id }) {
  const [open, setOpen] = useState(false);
  const { part } = useLazyPart(dialog, open, () => {
    setOpen(false);
    toast(say(common.notLoaded), { error: true });
  });
  usePreload(dialog);

  return (
    <>
      <Button variant="quiet" onClick={() => setOpen(true)}>
        {say("Add to Group")}
      </Button>
      {part !== null && open && <part.PickGroups userId={userId} onClose={() => setOpen(false)} />}
    </>
  );
}
