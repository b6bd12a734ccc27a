// The posts of one group. To everybody who is not in it, this is the page of an unknown address.

import { Link } from "wouter";
import { PostList } from "../../features/feed/PostList";
import { groupNameOf } from "../../features/shared/groups/groups";
import { useGroups } from "../../features/shared/groups/useGroups";
import { groupView } from "../../features/shared/posts/types";
import { useStore } from "../../engine/store";
import { EmptyState } from "../../ui/EmptyState";
import { InlineError } from "../../ui/InlineError";
import { LinkButton } from "../../ui/LinkButton";
import { Say } from "../../ui/Say";
import { many, say } from "../../say";
import { common, shell } from "../../text";
import { Loading } from "../../features/shared/Loading";
import { feedCard } from "../cards";
import NotFoundScreen from "./NotFoundScreen";
import styles from "./screens.module.css";

/** `groupId`: null if the address has no valid id. */
export default function GroupScreen({ groupId }: { groupId: number | null }) {
  return groupId === null ? <NotFoundScreen /> : <Group key={groupId} groupId={groupId} />;
}

function Group({ groupId }: { groupId: number }) {
  const { status, again } = useGroups();
  // A name that came with a post is shown before the list of groups is read.
  const name = useStore((s) =>
    status === "ready" && s.groups.items[groupId] === undefined ? null : groupNameOf(s, groupId),
  );
  if (name === null) {
    if (status === "ready") return <NotFoundScreen />;
    if (status === "failed") return <InlineError onRetry={again} />;
    return <Loading still>{say(common.loading)}</Loading>;
  }
  return (
    <div className={styles.column}>
      <div className={styles.groupTop}>
        <div>
          <h1 dir="auto">{name}</h1>
          <Facts groupId={groupId} />
        </div>
        <LinkButton href={`/create-post?group=${String(groupId)}`}>{say("Create Post")}</LinkButton>
      </div>
      <PostList
        name={groupView(groupId)}
        card={feedCard}
        empty={() => (
          <EmptyState title={say("Nothing shared here yet.")}>
            {say("Only people in this group see what is shared here.")}
          </EmptyState>
        )}
      />
    </div>
  );
}

/** How many are in the group, who added the viewer, and the way to all groups, which holds the line's height. */
function Facts({ groupId }: { groupId: number }) {
  const held = useStore((s) => s.groups.items[groupId]);
  const me = useStore((s) => s.session.me?.id);
  const owner = useStore((s) => s.users[held?.owner_id ?? 0]?.name ?? "");
  return (
    <div className={styles.facts}>
      {held !== undefined && <span>{many(held.members_count, "{n} member", "{n} members")}</span>}
      {held !== undefined && held.owner_id !== me && (
        <span>
          <Say text="Added by {name}" name={<bdi>{owner}</bdi>} />
        </span>
      )}
      <Link href="/groups">{say(shell.groups)}</Link>
    </div>
  );
}
