// The posts of one group. To everybody who is not in it, this is the page of an unknown address.

import { PostList } from "../../features/feed/PostList";
import { groupNameOf } from "../../features/shared/groups/groups";
import { useGroups } from "../../features/shared/groups/useGroups";
import { groupView } from "../../features/shared/posts/types";
import { useStore } from "../../engine/store";
import { EmptyState } from "../../ui/EmptyState";
import { InlineError } from "../../ui/InlineError";
import { LinkButton } from "../../ui/LinkButton";
import { say } from "../../say";
import { common } from "../../text";
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
    return <p className={styles.status}>{say(common.loading)}</p>;
  }
  return (
    <div className={styles.column}>
      <h1 dir="auto">{name}</h1>
      <PostList
        name={groupView(groupId)}
        card={feedCard}
        empty={() => (
          <EmptyState
            title={say("Nothing shared here yet.")}
            action={
              <LinkButton href={`/create-post?group=${String(groupId)}`}>{say("Create Post")}</LinkButton>
            }
          />
        )}
      />
    </div>
  );
}
