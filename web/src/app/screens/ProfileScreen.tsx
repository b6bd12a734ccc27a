// Somebody's profile: who they are, and what they have posted.

import { useEffect, useState } from "react";
import { PostList } from "../../features/feed/PostList";
import { FollowButton } from "../../features/follows/FollowButton";
import { FollowsDialog } from "../../features/follows/FollowsDialog";
import { ProfileHead } from "../../features/profiles/ProfileHead";
import { readProfile } from "../../features/profiles/slice";
import { EmptyState } from "../../ui/EmptyState";
import { InlineError } from "../../ui/InlineError";
import { useHold } from "../../store/hold";
import { authorView } from "../../store/state";
import { useStore } from "../../store/store";
import { RefusedError } from "../../wire/ask";
import type { Side } from "../../wire/types.gen";
import { feedCard } from "../cards";
import { ownCard } from "../ownCard";
import styles from "./screens.module.css";

export default function ProfileScreen({ userId }: { userId: number }) {
  // Another person's profile is another page: nothing of the last one stays open.
  return <Profile key={userId} userId={userId} />;
}

function Profile({ userId }: { userId: number }) {
  const profile = useStore((s) => s.profiles[userId]);
  const own = useStore((s) => s.session.me?.id === userId);
  const [status, setStatus] = useState<"loading" | "ready" | "missing" | "failed">("loading");
  const [side, setSide] = useState<Side | null>(null);
  useHold(`profile:${userId}`);

  const load = async () => {
    setStatus("loading");
    try {
      await readProfile(userId);
      setStatus("ready");
    } catch (error) {
      setStatus(error instanceof RefusedError && error.retryMs === null ? "missing" : "failed");
    }
  };

  useEffect(() => {
    void load();
  }, [userId]);

  if (status === "missing")
    return (
      <div className={styles.column}>
        <h1 className={styles.unseen}>Profile</h1>
        <p className={styles.status}>User not found</p>
      </div>
    );
  if (status === "failed" && profile === undefined) return <InlineError onRetry={() => void load()} />;
  if (profile === undefined) return <p className={styles.status}>Loading profile</p>;

  return (
    <div className={styles.column}>
      <ProfileHead profile={profile} onOpen={setSide} follow={<FollowButton userId={userId} />} />
      <PostList
        name={authorView(userId)}
        card={own ? ownCard : feedCard}
        empty={() => (
          <EmptyState title="No posts yet.">{own ? "What you share will be here." : "When there is something, it will be here."}</EmptyState>
        )}
      />
      {own && <FollowsDialog side={side} onClose={() => setSide(null)} />}
    </div>
  );
}
