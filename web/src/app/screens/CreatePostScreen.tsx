// The screen for writing a post. After posting it opens home, where the post is already shown. It asks before
// the page is left with unposted text.

import { useEffect, useLayoutEffect, useRef, useState } from "react";
import { useLocation } from "wouter";
import { Elsewhere } from "../../features/drafts/Elsewhere";
import { NotPosted } from "../../features/drafts/NotPosted";
import { DeletedDraft, RestoredDraft } from "../../features/drafts/RestoredDraft";
import { PostComposer } from "../../features/posts/PostComposer";
import { AddPictures, useKeepPage } from "../../features/uploads/AddPictures";
import type { Picture } from "../../features/uploads/chosen";
import { ChosenPictures } from "../../features/uploads/ChosenPictures";
import { NoDescription } from "../../features/uploads/NoDescription";
import { many, say } from "../../say";
import { isStorageRefused } from "../../storage";
import { useSession } from "../../engine/session";
import { useStore } from "../../engine/store";
import { everyone } from "../../features/shared/groups/useAudiences";
import { tidyTag } from "../../features/shared/text";
import type { Audience } from "../../engine/types.gen";
import { catchFocus } from "../../ui/focus";
import type { Leaving } from "../compose/guardPage";
import { guardPage } from "../compose/guardPage";
import { useComposition } from "../compose/useComposition";
import { idOf } from "../paths";
import { useQuery } from "../useQuery";
import styles from "./screens.module.css";

/** How long the full progress bar is shown before the page changes. */
const DONE_MS = 250;

/** Exported here because it needs the files of the composer. */
export { goOn } from "../compose/goOn";

export default function CreatePostScreen() {
  useKeepPage();
  const { me } = useSession();
  return (
    <div className={styles.column}>{me === null ? <Heading isComing /> : <Compose userId={me.id} />}</div>
  );
}

/** `isComing`: the form, which holds the heading, is not shown yet. */
const Heading = ({ isComing = false }: { isComing?: boolean }) => (
  <h1 className={isComing ? "visually-hidden" : undefined} data-coming={isComing ? "" : undefined}>
    {say("Create Post")}
  </h1>
);

function Compose({ userId }: { userId: number }) {
  const [, navigate] = useLocation();
  const query = new URLSearchParams(useQuery());
  const tag = tidyTag(query.get("tag") ?? "");
  const groupId = idOf(query.get("group") ?? undefined);
  // An address with a broken id is for a group too, and not for everyone.
  const address: Audience = query.has("group") ? { type: "group", group_id: groupId } : everyone;
  const form = useRef<HTMLFormElement>(null);
  const [leaving, setLeaving] = useState<Leaving | null>(null);
  const [composition, view, { pictures, refusals }] = useComposition({
    userId,
    tag,
    audience: address,
  });
  const { phase, words, audience, errors } = view;
  const sending = phase === "sending" || phase === "saving" || phase === "posted";
  const isLocked = sending || phase === "left";

  const { isUnsaved } = composition;
  useLayoutEffect(() => {
    if (!isUnsaved) return;
    return guardPage((asked) => {
      composition.holdPosting();
      setLeaving(asked);
    });
  }, [composition, isUnsaved]);

  // The question is closed if the text is no longer in this tab.
  useEffect(() => {
    if (phase === "elsewhere" || phase === "posted") setLeaving(null);
  }, [phase]);

  useEffect(() => {
    if (phase !== "posted") return;
    const timer = setTimeout(
      () => {
        // Back then leads to where the person came from, not to an empty composer.
        navigate("/", { replace: true });
        scrollTo({ top: 0, behavior: "instant" });
      },
      pictures.length > 0 ? DONE_MS : 0,
    );
    return () => clearTimeout(timer);
  }, [phase, navigate, pictures.length]);

  // Saving continues when the screen changes. It would end when the page is closed, so the browser asks. A post without
  // pictures that waits for the connection is kept and sent by the next page, so then nobody asks.
  const isKept =
    useStore((s) => s.connection.state !== "live") && pictures.length === 0 && !isStorageRefused();
  useEffect(() => {
    if (phase !== "saving" || isKept) return;
    const stay = (event: BeforeUnloadEvent): void => event.preventDefault();
    addEventListener("beforeunload", stay);
    return () => removeEventListener("beforeunload", stay);
  }, [phase, isKept]);

  // The text is the first thing that is written.
  const hasBegun = useRef(false);
  useLayoutEffect(() => {
    if (phase === "opening" || hasBegun.current) return;
    hasBegun.current = true;
    if (phase !== "writing") return;
    const text = form.current?.querySelector<HTMLTextAreaElement>("[name=text]");
    text?.focus({ preventScroll: true });
    text?.setSelectionRange(text.value.length, text.value.length);
  }, [phase]);

  // Sets the focus when writing goes on: at the error if the post failed, in the text after another tab had
  // it.
  const before = useRef(phase);
  useEffect(() => {
    const was = before.current;
    before.current = phase;
    if (phase !== "writing" || was === "writing" || was === "opening") return;
    if (was === "elsewhere") catchFocus(() => form.current?.querySelector<HTMLElement>("[name=text]"));
    else mend(form.current);
  }, [phase]);

  const focus = (selector: string): void => form.current?.querySelector<HTMLElement>(selector)?.focus();
  const share = (undescribedAreFine = false): void => {
    const field = composition.share(undescribedAreFine);
    if (field !== null) focus(`[name=${field}]`);
  };
  const stay = (): void => {
    setLeaving(null);
    composition.goOnPosting();
  };
  const startFresh = (): void => {
    composition.startFresh(tag, address);
    requestAnimationFrame(() => document.querySelector<HTMLElement>("[data-undo]")?.focus());
  };

  if (phase === "opening") return <Heading isComing />;
  if (phase === "elsewhere")
    return (
      <>
        <Heading />
        <Elsewhere {...view.elsewhere} onContinue={() => composition.continueHere()} />
      </>
    );

  return (
    <>
      <PostComposer
        ref={form}
        words={words}
        audience={audience}
        counts={composition.counts}
        errors={errors}
        percent={sending ? view.percent : null}
        isLocked={isLocked}
        hasPictures={pictures.length > 0}
        isOver={composition.isOver}
        note={failedNote(pictures)}
        onWrite={(field, value) => composition.write(field, value)}
        onChoose={(chosen) => composition.choose(chosen)}
        onShare={() => share()}
        onCancel={() => navigate("/")}
        title={<Heading />}
        notices={
          <>
            {view.restored !== null && (
              <RestoredDraft {...view.restored} tag={tag} disabled={isLocked} onDelete={startFresh} />
            )}
            {view.canUndo && (
              <DeletedDraft
                onUndo={() => {
                  composition.undo();
                  focus("[name=text]");
                }}
              />
            )}
          </>
        }
        pictures={
          <div className={styles.pictures}>
            <ChosenPictures
              list={composition.pictures}
              pictures={pictures}
              isSending={phase === "sending"}
              isSaving={isLocked && phase !== "sending"}
              onRetry={(upload) => composition.retry(upload)}
            />
            <AddPictures
              refusals={errors.pictures === undefined ? refusals : [...refusals, errors.pictures]}
              disabled={isLocked}
              onFiles={(files) => void composition.pictures.add(files)}
            />
          </div>
        }
      />
      {isStorageRefused() && (
        <p className={styles.status}>
          {say("This browser keeps no drafts. Please share your post before you close or reload this page.")}
        </p>
      )}
      <NoDescription
        open={view.isAsking}
        count={composition.pictures.undescribed.length}
        onPost={() => share(true)}
        onAdd={() => {
          composition.describeFirst();
          const first = composition.pictures.undescribed[0]?.upload ?? "";
          requestAnimationFrame(() => focus(`[data-upload="${first}"] textarea`));
        }}
      />
      <NotPosted
        open={leaving !== null}
        logsOut={leaving?.logsOut ?? false}
        onStay={stay}
        onDiscard={() => {
          composition.discard();
          setLeaving(null);
          leaving?.go();
        }}
        onSave={async () => {
          await composition.save();
          setLeaving(null);
          leaving?.go();
        }}
      />
    </>
  );
}

/**
 * Moves the focus to the field with the error, the failed picture or Share Post, and scrolls it into view.
 */
function mend(form: HTMLFormElement | null): void {
  const found = ["[aria-invalid=true]:not([type=file])", "[data-mends]", "[type=submit]"].map((selector) =>
    form?.querySelector<HTMLElement>(selector),
  );
  const first = found.find((one) => one !== null && one !== undefined);
  catchFocus(() => {
    first?.scrollIntoView({ block: "nearest" });
    return first;
  });
}

function failedNote(pictures: readonly Picture[]): string | null {
  const [number, ...more] = pictures.flatMap((picture, at) => (picture.state === "failed" ? [at + 1] : []));
  if (number === undefined) return null;
  if (more.length === 0) return say("Not posted yet: picture {number} didn't get through.", { number });
  return many(
    more.length + 1,
    "Not posted yet: {n} picture didn't get through.",
    "Not posted yet: {n} pictures didn't get through.",
  );
}
