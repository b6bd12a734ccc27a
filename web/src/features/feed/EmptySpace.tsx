// What Your Space says when it has no posts, and a first step.

import { EmptyState } from "../../ui/EmptyState";
import { LinkButton } from "../../ui/LinkButton";
import { say } from "../../say";
import type { ListView } from "../shared/posts/types";

export function EmptySpace({ tag, view }: { tag: string | null; view: ListView }) {
  if (tag !== null)
    return (
      <EmptyState
        title={say("No posts with {tag} yet.", { tag: `#${tag}` })}
        action={
          <LinkButton variant="quiet" href={`/create-post?tag=${encodeURIComponent(tag)}`}>
            {say("Share your take")}
          </LinkButton>
        }
      />
    );
  if (view.followsAnyone)
    return (
      <EmptyState title={say("Nothing new.")}>
        {say("When the people you follow share something, it will be here.")}
      </EmptyState>
    );
  return (
    <EmptyState
      title={say("It's quiet here.")}
      action={<LinkButton href="/search">{say("Find people")}</LinkButton>}
    >
      {say("Your Space shows posts from people you follow, newest first.")}
    </EmptyState>
  );
}
