// One group: its name, its members and the actions of the viewer.

import { useRef, useState } from "react";
import { Link } from "wouter";
import { groupNameOf } from "../shared/groups/groups";
import type { Id } from "../../engine/state";
import { useStore } from "../../engine/store";
import { many, say } from "../../say";
import { Say } from "../../ui/Say";
import { Button } from "../../ui/Button";
import { useNear } from "../../ui/Near";
import { card, quiet } from "../../ui/card";
import { cx } from "../../ui/cx";
import { catchFocus } from "../../ui/focus";
import { AddMembers } from "./AddMembers";
import { DeleteGroup } from "./DeleteGroup";
import { LeaveGroup } from "./LeaveGroup";
import { Members } from "./Members";
import { Rename } from "./Rename";
import { words } from "./words";
import css from "./groups.module.css";

export function GroupCard({ groupId }: { groupId: Id }) {
  const held = useStore((s) => s.groups.items[groupId]);
  const name = useStore((s) => groupNameOf(s, groupId) ?? "");
  const isMine = useStore((s) => held !== undefined && held.owner_id === s.session.me?.id);
  const owner = useStore((s) => s.users[held?.owner_id ?? 0]?.name ?? "");
  const [open, setOpen] = useState<"rename" | "add" | null>(null);
  const article = useRef<HTMLElement>(null);
  // The members are read only when the card is near the window.
  const isNear = useNear(article);
  if (held === undefined) return null;

  const stopNaming = () => {
    setOpen(null);
    catchFocus(() => article.current?.querySelector<HTMLElement>("[data-rename]"));
  };

  return (
    <article ref={article} aria-label={name} className={cx(card, css.group)}>
      {open === "rename" ? (
        <Rename groupId={groupId} name={name} onDone={stopNaming} />
      ) : (
        <h2 tabIndex={-1} data-quiet dir="auto">
          <Link href={`/groups/${groupId}`}>{name}</Link>
        </h2>
      )}
      <div className={cx(quiet, css.facts)}>
        <p>{many(held.members_count, "{n} member", "{n} members")}</p>
        {!isMine && (
          <p>
            <Say text="Added by {name}" name={<bdi>{owner}</bdi>} />
          </p>
        )}
      </div>
      <Members groupId={groupId} isMine={isMine} isNear={isNear} />
      <div className={css.actions}>
        {isMine ? (
          <>
            <Button variant="quiet" onClick={() => setOpen("add")}>
              {say(words.add)}
            </Button>
            {open !== "rename" && (
              <Button variant="quiet" data-rename onClick={() => setOpen("rename")}>
                {say("Rename")}
              </Button>
            )}
            <DeleteGroup groupId={groupId} />
          </>
        ) : (
          <LeaveGroup groupId={groupId} name={name} />
        )}
      </div>
      {open === "add" && <AddMembers groupId={groupId} name={name} onClose={() => setOpen(null)} />}
    </article>
  );
}
