// The menu about another user, on their posts, comments and polls and on their profile.
//
// Promise: if the card goes with its author, the focus goes to the next one, or to the heading of the page.

import { Ban, Bookmark, BookmarkX, Ellipsis, Flag, UserMinus, Volume2, VolumeOff } from "lucide-react";
import { useEffectEvent, useLayoutEffect, useRef, useState } from "react";
import { refusalText } from "../../../engine/refusalText";
import { useStore } from "../../../engine/store";
import type { About } from "../../../engine/types.gen";
import { say } from "../../../say";
import { common } from "../../../text";
import { ConfirmDialog } from "../../../ui/ConfirmDialog";
import { lazyPart, useLazyPart } from "../../../ui/lazyPart";
import type { MenuItem } from "../../../ui/Menu";
import { Menu } from "../../../ui/Menu";
import { catchFocus } from "../../../ui/focus";
import { pageHeading } from "../../../ui/pageHeading";
import { toast } from "../../../ui/toast";
import { save } from "../posts/save";
import { block, mute, readMutes, removeFollower, unmute } from "./hide";
import { isMuted } from "./hidden";
import type { Subject } from "./OthersMenu";

const reportDialog = lazyPart(() => import("./ReportDialog"));

const LABELS = {
  post: "Post menu",
  comment: "Comment menu",
  poll: "Poll menu",
  profile: "Profile menu",
} as const satisfies Record<Subject["kind"], string>;

const FAILED = "That didn't go through. Please try again.";

/** Waits for the request, and shows a message of success or failure. Returns whether it succeeded. */
async function act(request: Promise<unknown>, done: string): Promise<boolean> {
  try {
    await request;
    toast(done);
    return true;
  } catch (error) {
    toast(refusalText(error, say(FAILED)), { error: true });
    return false;
  }
}

/** The subject of a report. */
function aboutOf({ kind, id, userId }: Subject): About {
  if (kind === "post") return { type: "post", post_id: id };
  if (kind === "comment") return { type: "comment", comment_id: id };
  if (kind === "poll") return { type: "poll", poll_id: id };
  return { type: "user", user_id: userId };
}

/**
 * Returns the items of the list beside the card of this subject, those after it first. A comment has none: its thread
 * moves the focus itself.
 */
function itemsBeside({ kind, id }: Subject): HTMLElement[] {
  const item = document.querySelector(`[data-${kind === "poll" ? "poll" : "item"}="${String(id)}"]`);
  const all = [...(item?.parentElement?.children ?? [])];
  const at = all.findIndex((one) => one === item);
  return [...all.slice(at + 1), ...all.slice(0, Math.max(at, 0)).toReversed()].filter(
    (one): one is HTMLElement => one instanceof HTMLElement,
  );
}

const REPORT = { post: "Report Post", comment: "Report Comment", poll: "Report Poll" } as const;

export function PersonMenu(subject: Subject) {
  const { kind, id, userId } = subject;
  const name = useStore((s) => s.users[userId]?.name ?? "");
  const muted = useStore((s) => isMuted(s, userId));
  const follows = useStore((s) => kind === "profile" && s.profiles[userId]?.follows_me === true);
  // Without a network nothing is saved, and of other subjects there is nothing to save.
  const saved = useStore((s) =>
    kind === "post" && s.connection.state !== "offline" ? s.posts[id]?.saved : undefined,
  );
  const [asking, setAsking] = useState(false);
  const [busy, setBusy] = useState(false);
  const [reporting, setReporting] = useState(false);
  /** Where the focus may go; null until this menu muted or blocked the author. */
  const beside = useRef<HTMLElement[] | null>(null);
  const { part: report } = useLazyPart(reportDialog, reporting, () => {
    setReporting(false);
    toast(say(common.notLoaded), { error: true });
  });

  const hide = async (request: Promise<unknown>, done: string): Promise<void> => {
    // The card may be removed before the reply.
    beside.current = kind === "comment" ? null : itemsBeside(subject);
    if (!(await act(request, done))) beside.current = null;
  };

  // The card is removed with the menu, which has the focus. Others of the same author are removed with it.
  const leave = useEffectEvent(() => {
    const { current: others } = beside;
    if (others !== null) catchFocus(() => others.find((one) => one.isConnected) ?? pageHeading());
  });
  useLayoutEffect(() => () => leave(), []);

  const items: MenuItem[] = [
    muted
      ? {
          label: say("Unmute {name}", { name }),
          icon: <Volume2 size={20} aria-hidden="true" />,
          onSelect: () => void act(unmute(userId), say("User unmuted")),
        }
      : {
          label: say("Mute {name}", { name }),
          icon: <VolumeOff size={20} aria-hidden="true" />,
          onSelect: () => void hide(mute(userId), say("User muted")),
        },
    {
      label: say("Block {name}", { name }),
      icon: <Ban size={20} aria-hidden="true" />,
      onSelect: () => setAsking(true),
    },
    {
      label: kind === "profile" ? say("Report {name}", { name }) : say(REPORT[kind]),
      icon: <Flag size={20} aria-hidden="true" />,
      onSelect: () => setReporting(true),
    },
  ];
  if (saved !== undefined)
    items.unshift(
      saved
        ? {
            label: say("Remove from Saved"),
            icon: <BookmarkX size={20} aria-hidden="true" />,
            onSelect: () => void act(save(id, false), say("Removed from saved")),
          }
        : {
            label: say("Save Post"),
            icon: <Bookmark size={20} aria-hidden="true" />,
            onSelect: () => void act(save(id, true), say("Post saved")),
          },
    );
  if (follows)
    items.push({
      label: say("Remove Follower"),
      icon: <UserMinus size={20} aria-hidden="true" />,
      onSelect: () => void act(removeFollower(userId), say("Follower removed")),
    });

  const confirm = async () => {
    setBusy(true);
    await hide(block(userId), say("User blocked"));
    setBusy(false);
    setAsking(false);
  };

  return (
    <>
      <Menu label={say(LABELS[kind])} items={items} onOpen={() => void readMutes()}>
        <Ellipsis size={20} aria-hidden="true" />
      </Menu>
      <ConfirmDialog
        title={say("Block {name}", { name })}
        open={asking}
        confirm={say("Block")}
        danger
        busy={busy}
        goesOn
        onConfirm={() => void confirm()}
        onClose={() => setAsking(false)}
      >
        {say("You will not see each other anywhere on Mellow. {name} is not told.", { name })}
      </ConfirmDialog>
      {report !== null && reporting && (
        <report.ReportDialog about={aboutOf(subject)} onClose={() => setReporting(false)} />
      )}
    </>
  );
}
