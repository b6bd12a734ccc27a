// A user's profile and posts.

import { useEffect, useEffectEvent, useState } from "react";
import { PostList } from "../../features/feed/PostList";
import { Loading } from "../../features/shared/Loading";
import { FollowButton } from "../../features/follows/FollowButton";
import { AddToGroup } from "../../features/groups/AddToGroup";
import { SearchPosts } from "../../features/posts/SearchPosts";
import { ChangePhoto } from "../../features/profiles/ChangePhoto";
import { ProfileHead } from "../../features/profiles/ProfileHead";
import type { ProfileHeadProps } from "../../features/profiles/ProfileHead";
import { readProfile } from "../../features/profiles/api";
import { say } from "../../say";
import { EmptyState } from "../../ui/EmptyState";
import { InlineError } from "../../ui/InlineError";
import { lazyPart, usePreload, useLazyPart } from "../../ui/lazyPart";
import { toast } from "../../ui/toast";
import { useOnScreen } from "../../engine/useOnScreen";
import { isGone } from "../../features/shared/people/people";
import { authorView } from "../../features/shared/posts/types";
import { useStore } from "../../engine/store";
import { common } from "../../text";
import { RefusedError } from "../../engine/ask";
import type { Side } from "../../engine/types.gen";
import { NewHere } from "../NewHere";
import { UserNotFound } from "../NotFound";
import { feedCard } from "../cards";
import { ownCard } from "../ownCard";
import { usePhotoChange } from "../photo/usePhotoChange";
import styles from "./screens.module.css";

const followsDialog = lazyPart(() => import("../../features/follows/FollowsDialog"));

/** `userId`: null if the address has no valid id. */
export default function ProfileScreen({ userId }: { userId: number | null }) {
  if (userId === null) return <UserNotFound />;
  // The key resets the page for another person, so nothing of the last profile stays open.
  return <Profile key={userId} userId={userId} />;
}

function Profile({ userId }: { userId: number }) {
  const profile = useStore((s) => s.profiles[userId]);
  const own = useStore((s) => s.session.me?.id === userId);
  const gone = useStore((s) => isGone(s, userId));
  const [status, setStatus] = useState<"loading" | "ready" | "missing" | "failed">("loading");
  /** The list of posts that a search found; null without a search. */
  const [searched, setSearched] = useState<string | null>(null);
  const found = own ? searched : null;
  const all = authorView(userId);
  useOnScreen(`profile:${userId}`);
  // The list of all posts is kept while a search takes its place.
  useOnScreen(`view:${all}`);

  const load = async () => {
    setStatus("loading");
    try {
      await readProfile(userId);
      setStatus("ready");
    } catch (error) {
      setStatus(error instanceof RefusedError && error.retryMs === null ? "missing" : "failed");
    }
  };

  const loadNow = useEffectEvent(load);
  useEffect(() => {
    void loadNow();
  }, [userId]);

  // A profile that was deleted on screen is not read again.
  useEffect(() => {
    if (gone) setStatus("missing");
  }, [gone]);

  if (status === "missing" || gone) return <UserNotFound />;
  if (status === "failed" && profile === undefined) return <InlineError onRetry={() => void load()} />;
  if (profile === undefined) return <Loading className={styles.status}>{say("Loading profile")}</Loading>;

  return (
    <div className={styles.column}>
      {own ? (
        <OwnHead profile={profile} />
      ) : (
        <ProfileHead profile={profile} follow={<OthersButtons userId={userId} />} />
      )}
      {own && <NewHere />}
      {own && <SearchPosts onShow={setSearched} />}
      <PostList
        key={found}
        name={found ?? all}
        hasEnd={found === null}
        card={own ? ownCard : feedCard}
        empty={() =>
          found !== null ? (
            <EmptyState title={say("None of your posts has these words.")} />
          ) : (
            <EmptyState title={say("No posts yet.")}>
              {own ? say("What you share will be here.") : say("When there is something, it will be here.")}
            </EmptyState>
          )
        }
      />
    </div>
  );
}

function OthersButtons({ userId }: { userId: number }) {
  return (
    <>
      <FollowButton userId={userId} />
      <AddToGroup userId={userId} />
    </>
  );
}

/** The top of the viewer's own profile, with the buttons to change it and the lists behind the counts. */
function OwnHead({ profile }: { profile: ProfileHeadProps["profile"] }) {
  const { view, choose, retry } = usePhotoChange(profile.id);
  const [side, setSide] = useState<Side | null>(null);
  const { part } = useLazyPart(followsDialog, side !== null, () => {
    setSide(null);
    toast(say(common.notLoaded), { error: true });
  });
  usePreload(followsDialog);

  const { phase, preview, percent, error, canRetry } = view;
  const isSending = phase === "looking" || phase === "sending";
  return (
    <>
      <ProfileHead
        profile={profile}
        onOpen={setSide}
        change={
          <ChangePhoto busy={isSending} error={error} canRetry={canRetry} onFile={choose} onRetry={retry} />
        }
        coming={isSending || preview !== null ? { preview, percent: isSending ? percent : null } : null}
      />
      {part !== null && <part.FollowsDialog side={side} onClose={() => setSide(null)} />}
    </>
  );
}
