// What one can do about another person, from something they made or from their profile.

import { Ban, Ellipsis, UserMinus, Volume2, VolumeOff } from "lucide-react";
import { useState } from "react";
import { useStore } from "../../../engine/store";
import { ConfirmDialog } from "../../../ui/ConfirmDialog";
import type { MenuItem } from "../../../ui/Menu";
import { Menu } from "../../../ui/Menu";
import { toast } from "../../../ui/toast";
import { block, mute, readMutes, removeFollower, unmute } from "./hide";
import { isMuted } from "./hidden";
import type { Subject } from "./OthersMenu";

const LABELS = {
  post: "Post menu",
  comment: "Comment menu",
  poll: "Poll menu",
  profile: "Profile menu",
} satisfies Record<Subject["kind"], string>;

const FAILED = "That didn't go through. Please try again.";

/** Does it, and says so. */
async function act(request: Promise<unknown>, done: string): Promise<void> {
  try {
    await request;
    toast(done);
  } catch {
    toast(FAILED, { error: true });
  }
}

export function PersonMenu({ kind, userId }: Subject) {
  const name = useStore((s) => s.users[userId]?.name ?? "");
  const muted = useStore((s) => isMuted(s, userId));
  const follows = useStore((s) => kind === "profile" && s.profiles[userId]?.follows_me === true);
  const [asking, setAsking] = useState(false);
  const [busy, setBusy] = useState(false);

  const items: MenuItem[] = [
    muted
      ? {
          label: `Unmute ${name}`,
          icon: <Volume2 size={20} aria-hidden="true" />,
          onSelect: () => void act(unmute(userId), "User unmuted"),
        }
      : {
          label: `Mute ${name}`,
          icon: <VolumeOff size={20} aria-hidden="true" />,
          onSelect: () => void act(mute(userId), "User muted"),
        },
    {
      label: `Block ${name}`,
      icon: <Ban size={20} aria-hidden="true" />,
      onSelect: () => setAsking(true),
    },
  ];
  if (follows)
    items.push({
      label: "Remove Follower",
      icon: <UserMinus size={20} aria-hidden="true" />,
      onSelect: () => void act(removeFollower(userId), "Follower removed"),
    });

  const confirm = async () => {
    setBusy(true);
    await act(block(userId), "User blocked");
    setBusy(false);
    setAsking(false);
  };

  return (
    <>
      <Menu label={LABELS[kind]} items={items} onOpen={() => void readMutes()}>
        <Ellipsis size={20} aria-hidden="true" />
      </Menu>
      <ConfirmDialog
        title={`Block ${name}`}
        open={asking}
        confirm="Block"
        danger
        busy={busy}
        goesOn
        onConfirm={() => void confirm()}
        onClose={() => setAsking(false)}
      >
        {`You will not see each other anywhere on Mellow. ${name} is not told.`}
      </ConfirmDialog>
    </>
  );
}
