// The two vote buttons, with a check on the chosen one.

import { useRef, useState } from "react";
import { Check, CloudDrizzle } from "lucide-react";
import { refusalText } from "../../engine/refusalText";
import { shownVote } from "../shared/pending";
import type { Id } from "../../engine/state";
import { useStore } from "../../engine/store";
import { say } from "../../say";
import { catchFocus } from "../../ui/focus";
import { SendingNote } from "../shared/sending";
import { PositiveIcon } from "../../ui/leaf";
import { Note } from "../../ui/Note";
import { SLOW_MS } from "../../ui/useSlow";
import { press } from "./api";
import styles from "./votes.module.css";

type Side = "positive" | "negative";

export function Vibes({ postId }: { postId: Id }) {
  const vote = useStore((s) => shownVote(s, postId));
  const busy = useStore((s) => postId in s.pending.votes);
  const isKept = useStore((s) => s.kept !== null);
  const [failed, setFailed] = useState<string | null>(null);
  const row = useRef<HTMLDivElement>(null);

  const choose = async (side: Side) => {
    setFailed(null);
    // Without a connection the button stays disabled for long, so the post gets the focus when the note is shown.
    const timer = setTimeout(
      () => catchFocus(() => row.current?.closest<HTMLElement>("[data-item]")),
      SLOW_MS,
    );
    try {
      await press(postId, side);
    } catch (error) {
      setFailed(refusalText(error, say("That didn't go through. Please try again.")));
    }
    clearTimeout(timer);
    // A disabled button loses the focus, so keyboard users get it back.
    requestAnimationFrame(() => {
      if (document.activeElement === document.body)
        row.current?.querySelector<HTMLElement>(`[data-side=${side}]`)?.focus({ preventScroll: true });
    });
  };

  return (
    <div className={styles.vibes}>
      <div className={styles.row} ref={row}>
        <Vibe
          side="positive"
          label={say("Positive Vibes")}
          chosen={vote === "positive"}
          busy={busy || isKept}
          choose={choose}
        />
        <Vibe
          side="negative"
          label={say("Negative Vibes")}
          chosen={vote === "negative"}
          busy={busy || isKept}
          choose={choose}
        />
      </div>
      <SendingNote busy={busy} />
      <Note text={failed} className={styles.note} />
    </div>
  );
}

function Vibe({
  side,
  label,
  chosen,
  busy,
  choose,
}: {
  side: Side;
  label: string;
  chosen: boolean;
  busy: boolean;
  choose(side: Side): void;
}) {
  const Icon = side === "positive" ? PositiveIcon : CloudDrizzle;
  return (
    <button
      type="button"
      className={styles.vibe}
      data-side={side}
      aria-pressed={chosen}
      disabled={busy}
      onClick={() => choose(side)}
    >
      <span className={styles.look}>
        {/* The check replaces the icon, so that nothing beside it moves. */}
        {chosen ? (
          <Check size={16} strokeWidth={2.5} aria-hidden="true" />
        ) : (
          <Icon size={16} strokeWidth={1.75} aria-hidden="true" />
        )}
        <span>{label}</span>
      </span>
    </button>
  );
}
