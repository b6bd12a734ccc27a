// The top of a profile: banner, initials, name, bio, counts, and what the viewer may do here.

import type { ReactNode } from "react";
import { Avatar } from "../../ui/Avatar";
import { Banner } from "../../ui/Banner";
import { Button } from "../../ui/Button";
import { toast } from "../../ui/toast";
import { shareLink } from "../../store/share";
import type { ProfileEntry } from "../../store/state";
import { useStore } from "../../store/store";
import { many } from "../../store/words";
import type { Side } from "../../wire/types.gen";
import { profileAddress } from "./slice";
import styles from "./profiles.module.css";

export type ProfileHeadProps = {
  profile: ProfileEntry;
  /** Opens the list of followers or followed; only on the own profile. */
  onOpen(side: Side): void;
  follow: ReactNode;
};

export function ProfileHead({ profile, onOpen, follow }: ProfileHeadProps) {
  const own = useStore((s) => s.session.me?.id === profile.id);
  const followers = many(profile.followers_count, "follower");
  const following = `${profile.following_count} following`;

  const share = async () => {
    const link = profileAddress(profile.id);
    const shared = await shareLink(link);
    if (shared === "copied") toast("Profile link copied to clipboard!");
    if (shared === "failed") toast(`Unable to copy link. Please copy manually: ${link}`, { error: true, ms: 4_000 });
  };

  return (
    <section className={styles.head}>
      <Banner from={profile.from_color} to={profile.to_color} />
      <div className={styles.body}>
        <span className={styles.photo} aria-hidden="true">
          <Avatar id={profile.id} name={profile.name} size={96} />
        </span>
        <h1 className={styles.name} dir="auto">
          <bdi>{profile.name}</bdi>
        </h1>
        {profile.bio !== "" && (
          <p className={styles.bio} dir="auto">
            {profile.bio}
          </p>
        )}
        <div className={styles.counts}>
          {own ? (
            <>
              <button type="button" className={styles.count} onClick={() => onOpen("followers")}>
                {followers}
              </button>
              <button type="button" className={styles.count} onClick={() => onOpen("following")}>
                {following}
              </button>
            </>
          ) : (
            <>
              <span className={styles.count}>{followers}</span>
              <span className={styles.count}>{following}</span>
            </>
          )}
        </div>
        <div className={styles.actions}>
          {!own && follow}
          <Button variant="quiet" onClick={() => void share()}>
            Share Profile
          </Button>
        </div>
      </div>
    </section>
  );
}
