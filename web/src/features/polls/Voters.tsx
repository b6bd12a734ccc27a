// The people who chose an option. Only people who voted may see them.
//
// Promise: the open list shows new votes, as far as it was read.

import { useEffect, useEffectEvent } from "react";
import type { Id } from "../../engine/state";
import { useStore } from "../../engine/store";
import { say } from "../../say";
import { common } from "../../text";
import { Dialog } from "../../ui/Dialog";
import { quiet } from "../../ui/card";
import { cx } from "../../ui/cx";
import { toast } from "../../ui/toast";
import { PeopleList } from "../shared/people/PeopleList";
import { usePeoplePages } from "../shared/people/usePeoplePages";
import { readVoters } from "./api";
import css from "./polls.module.css";

type VotersProps = { pollId: Id; option: number; text: string; votes: number; onClose(): void };

export function Voters({ pollId, option, text, votes, onClose }: VotersProps) {
  const resyncs = useStore((s) => s.resyncs);
  const { users, hasMore, status, more } = usePeoplePages(async (after) => {
    const page = await readVoters(pollId, option, after);
    return { users: page.users, next: page.more };
  }, [pollId, option, votes, resyncs].join("/"));

  const failed = useEffectEvent(() => {
    toast(say("Error loading voters. Please try again."), { error: true });
    if (users === null) onClose();
  });
  useEffect(() => {
    if (status === "failed") failed();
  }, [status]);

  return (
    <Dialog open closeButton title={say("Voters for {option}", { option: text })} onClose={onClose}>
      <div className={css.form}>
        {users === null && <p className={cx(quiet, css.quiet)}>{say(common.loading)}</p>}
        {users !== null && (
          <PeopleList
            people={users}
            none={say("No votes yet")}
            hasMore={hasMore}
            busy={status === "loading"}
            more={more}
            onLeave={onClose}
          />
        )}
      </div>
    </Dialog>
  );
}
