// The first steps of a new user. The server knows which are done.
//
// Promises: a step that is done stays done, on every device. After Dismiss, or at the next load after the
// last step, the list does not return. A step that is impossible here is left out. A step leads to the control that
// it needs.

import type { LucideIcon } from "lucide-react";
import { Camera, Check, ChevronRight, Sun, UserPlus, UsersRound } from "lucide-react";
import type { MouseEvent } from "react";
import { useEffect, useId, useState } from "react";
import { Link } from "wouter";
import { themeWords } from "../../languages";
import { refusalText } from "../../engine/refusalText";
import type { Id } from "../../engine/state";
import { useStore } from "../../engine/store";
import type { Theme } from "../../engine/types.gen";
import { say, sayAs } from "../../say";
import { Button } from "../../ui/Button";
import { toast } from "../../ui/toast";
import { controls } from "../shared/controls";
import { useInvites } from "../shared/invites/useInvites";
import { dismiss } from "./api";
import { steps as words } from "./words";
import css from "./newcomers.module.css";

/**
 * The user whose open steps were shown since the page was loaded, and whose list therefore stays after the
 * last step is done.
 */
let seenOpen: Id | null = null;

type Step = {
  name: (typeof words)["photo" | "follow" | "invite" | "answer"];
  why: string;
  href: string;
  icon: LucideIcon;
  done: boolean;
};

/** `theme`: the theme of today; null if there is none. */
export function GettingStarted({ theme }: { theme: Theme | null }) {
  const me = useStore((s) => s.session.me);
  const done = me?.first_steps ?? null;
  const { status } = useInvites(done !== null && !done.has_invited);
  const [busy, setBusy] = useState(false);
  const heading = useId();

  // Nearly everybody may invite, so the step is shown until this is known, and nothing below moves.
  const mayInvite = done?.has_invited === true || status === "ready" || status === "loading";
  const isKnown = done !== null && (done.has_invited || status !== "loading");
  const steps: Step[] =
    me === null || done === null
      ? []
      : [
          {
            name: words.photo,
            why: say(words.photoWhy),
            href: `/profile/${me.id}#${controls.photo}`,
            icon: Camera,
            done: done.has_photo,
          },
          {
            name: words.follow,
            why: say(words.followWhy),
            href: "/search",
            icon: UsersRound,
            done: done.has_followed,
          },
          ...(mayInvite
            ? [
                {
                  name: words.invite,
                  why: say(words.inviteWhy),
                  href: `/settings#${controls.invitation}`,
                  icon: UserPlus,
                  done: done.has_invited,
                },
              ]
            : []),
          ...(theme === null
            ? []
            : [
                {
                  name: words.answer,
                  why: themeWords(theme).title,
                  href: `/create-post?tag=${encodeURIComponent(theme.tag)}`,
                  icon: Sun,
                  done: done.has_answered,
                },
              ]),
        ];
  const isAllDone = steps.length > 0 && steps.every((step) => step.done);
  const id = me?.id ?? null;
  const isOver = isKnown && isAllDone && seenOpen !== id;

  useEffect(() => {
    if (isKnown && !isAllDone) seenOpen = id;
  }, [isKnown, isAllDone, id]);
  // All steps were done before this load, so the list is dismissed.
  useEffect(() => {
    // If this fails, the next load tries again.
    if (isOver) void dismiss("steps").catch(() => undefined);
  }, [isOver]);

  const isAllButInvited = !isKnown && steps.every((step) => step.done || step.name === words.invite);
  if (done === null || isOver || isAllButInvited) return null;

  const press = async (): Promise<void> => {
    setBusy(true);
    try {
      await dismiss("steps");
    } catch (error) {
      setBusy(false);
      toast(refusalText(error, say(words.failed)), { error: true });
    }
  };

  return (
    <section aria-labelledby={heading} className={css.card}>
      <div className={css.head}>
        <h2 id={heading}>{say(words.title)}</h2>
        <Button variant="plain" small busy={busy} onClick={() => void press()}>
          {sayAs("hide", words.dismiss)}
        </Button>
      </div>
      {isAllDone && <p>{say(words.allDone)}</p>}
      <ul role="list" aria-label={say(words.list)} className={css.steps}>
        {steps.map((step) => (
          <StepItem key={step.name} step={step} />
        ))}
      </ul>
    </section>
  );
}

function StepItem({ step: { name, why, href, icon: Icon, done } }: { step: Step }) {
  return (
    <li className={css.step} data-done={done || undefined}>
      <span className={css.disc} aria-hidden="true">
        {done ? <Check size={20} strokeWidth={2.25} /> : <Icon size={20} strokeWidth={1.75} />}
      </span>
      <div className={css.words}>
        <Link href={href} className={css.name} onClick={(event) => focusIfHere(event, href)}>
          {say(name)}
        </Link>
        <p className={css.why} dir="auto">
          {done ? say(words.done) : why}
        </p>
      </div>
      <ChevronRight className={css.mark} size={20} strokeWidth={1.75} aria-hidden="true" />
    </li>
  );
}

/** If the control that a link leads to is on this page, it gets the focus, and the address stays. */
function focusIfHere(event: MouseEvent, href: string): void {
  const control = document.getElementById(href.split("#")[1] ?? "");
  const isForNewTab = event.ctrlKey || event.metaKey || event.shiftKey;
  if (control === null || isForNewTab || control.matches(":disabled")) return;
  event.preventDefault();
  control.focus();
}
