// The top of a profile: banner, photo, name, bio, counts and buttons.

import { Share2 } from "lucide-react";
import type { ReactNode } from "react";
import { useState } from "react";
import { many, say } from "../../say";
import { Say } from "../../ui/Say";
import { Banner } from "../../ui/Banner";
import { Button } from "../../ui/Button";
import { InlineError } from "../../ui/InlineError";
import { UserText } from "../../ui/UserText";
import { lazyPart, usePreload, useLazyPart } from "../../ui/lazyPart";
import { toast } from "../../ui/toast";
import { shareLink } from "../../ui/shareLink";
import { isMuted } from "../shared/people/hidden";
import { unmute } from "../shared/people/hide";
import { OthersMenu } from "../shared/people/OthersMenu";
import type { ProfileEntry } from "../shared/people/profiles";
import { useStore } from "../../engine/store";
import { refusalText } from "../../engine/refusalText";
import type { Side } from "../../engine/types.gen";
import { ProfilePhoto } from "./ProfilePhoto";
import type { ComingPhoto } from "./ProfilePhoto";
import { beginEdit, fieldsOf } from "./edit";
import { profileAddress } from "./api";
import styles from "./profiles.module.css";

const editor = lazyPart(() => import("./EditProfile"));

export type ProfileHeadProps = {
  profile: ProfileEntry;
  /** The Follow button, on the profile of another user. */
  follow?: ReactNode;
  /** On the viewer's own profile: opens the list of followers or followed people. */
  onOpen?(side: Side): void;
  /** On the viewer's own profile: the button for a new photo, and its error. */
  change?: ReactNode;
  coming?: ComingPhoto | null;
};

export function ProfileHead({ profile, onOpen, follow, change, coming = null }: ProfileHeadProps) {
  const own = useStore((s) => s.session.me?.id === profile.id);
  const edit = useStore((s) => (own ? s.profileEdit : null));
  const { part, failed, again } = useLazyPart(editor, edit !== null);
  const { from, to } = fieldsOf(edit, profile);

  return (
    <section className={styles.head}>
      <Banner from={from} to={to} />
      <div className={styles.body}>
        <div className={styles.top}>
          <ProfilePhoto profile={profile} coming={coming} />
          {own && change}
        </div>
        <h1 className={styles.name} dir="auto">
          <bdi>{profile.name}</bdi>
        </h1>
        {part !== null && <part.EditProfile profile={profile} />}
        {part === null && profile.bio !== "" && <UserText text={profile.bio} className={styles.bio} />}
        <Counts profile={profile} onOpen={own ? onOpen : undefined} />
        <div className={styles.actions} data-others={!own || undefined}>
          {own && part === null && <EditButton busy={edit !== null && !failed} />}
          {!own && follow}
          <ShareButton userId={profile.id} />
          <OthersMenu kind="profile" id={profile.id} userId={profile.id} />
        </div>
        {failed && <InlineError onRetry={again} />}
        {!own && <Muted userId={profile.id} name={profile.name} />}
      </div>
    </section>
  );
}

/** Says that the viewer muted this person, with a button that ends it. */
function Muted({ userId, name }: { userId: number; name: string }) {
  const muted = useStore((s) => isMuted(s, userId));
  const [busy, setBusy] = useState(false);
  if (!muted) return null;
  const end = async () => {
    setBusy(true);
    try {
      await unmute(userId);
      toast(say("User unmuted"));
    } catch (error) {
      toast(refusalText(error, say("That didn't go through. Please try again.")), { error: true });
    }
    setBusy(false);
  };
  return (
    <div className={styles.actions}>
      <p className={styles.muted}>
        <Say text="You muted {name}." name={<bdi>{name}</bdi>} />
      </p>
      <Button variant="quiet" small busy={busy} onClick={() => void end()}>
        {say("Unmute")}
      </Button>
    </div>
  );
}

function EditButton({ busy }: { busy: boolean }) {
  usePreload(editor);
  return (
    <Button variant="quiet" busy={busy} data-edit onClick={beginEdit}>
      {say("Edit Profile")}
    </Button>
  );
}

/** The numbers of followers and followed people. They are missing if their owner hides them. */
function Counts({ profile, onOpen }: { profile: ProfileEntry; onOpen: ProfileHeadProps["onOpen"] }) {
  const { followers_count: followers, following_count: following } = profile;
  if (followers === null && following === null) return null;
  const count = (side: Side, words: string): ReactNode =>
    onOpen === undefined ? (
      <span className={styles.count}>{words}</span>
    ) : (
      <button type="button" className={styles.count} onClick={() => onOpen(side)}>
        {words}
      </button>
    );
  return (
    <div className={styles.counts}>
      {followers !== null && count("followers", many(followers, "{n} follower", "{n} followers"))}
      {following !== null && count("following", many(following, "{n} following", "{n} following"))}
    </div>
  );
}

function ShareButton({ userId }: { userId: number }) {
  const share = async () => {
    const link = profileAddress(userId);
    const shared = await shareLink(link);
    if (shared === "copied") toast(say("Profile link copied to clipboard!"));
    if (shared === "failed")
      toast(say("Unable to copy link. Please copy manually: {link}", { link }), { error: true, ms: 4_000 });
  };
  return (
    <Button variant="quiet" className={styles.share} onClick={() => void share()}>
      <Share2 size={20} strokeWidth={1.75} aria-hidden="true" />
      <span>{say("Share Profile")}</span>
    </Button>
  );
}
