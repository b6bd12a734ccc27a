// On the profile of somebody the viewer follows: the way to put them into groups.

import { useEffect, useState } from "react";
import { shownFollowing } from "../../store/pending";
import type { Id } from "../../store/state";
import { useStore } from "../../store/store";
import { common } from "../../text";
import { Button } from "../../ui/Button";
import { later, useAhead, useLater } from "../../ui/later";
import { toast } from "../../ui/toast";

const dialog = later(() => import("./PickGroups"));

export function AddToGroup({ userId }: { userId: Id }) {
  const following = useStore((s) => shownFollowing(s, userId));
  return following ? <Following userId={userId} /> : null;
}

function Following({ userId }: { userId: Id }) {
  const [open, setOpen] = useState(false);
  const { part, failed, again } = useLater(dialog, open);
  useAhead(dialog);

  useEffect(() => {
    if (!failed) return;
    again();
    setOpen(false);
    toast(common.notLoaded, { error: true });
  }, [failed]);

  return (
    <>
      <Button variant="quiet" onClick={() => setOpen(true)}>
        Add to Group
      </Button>
      {part !== null && open && <part.PickGroups userId={userId} onClose={() => setOpen(false)} />}
    </>
  );
}
