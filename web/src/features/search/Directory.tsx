// The list of everybody who is listed, by name and page by page. It is absent if the host turned it off.

import type { ReactNode } from "react";
import { useRef, useState } from "react";
import type { Id } from "../../engine/state";
import { useStore } from "../../engine/store";
import type { Found, Place } from "../../engine/types.gen";
import { say } from "../../say";
import { common } from "../../text";
import { Loading } from "../shared/Loading";
import { Button } from "../../ui/Button";
import { InlineError } from "../../ui/InlineError";
import { showMore, usePeoplePages } from "../shared/people/usePeoplePages";
import { People } from "./People";
import { readPeople } from "./api";
import styles from "./search.module.css";

export function Directory({ follow }: { follow(userId: Id): ReactNode }) {
  const [isOff, setOff] = useState(false);
  const resyncs = useStore((s) => s.resyncs);
  const list = useRef<HTMLUListElement>(null);
  const { users, hasMore, status, more } = usePeoplePages<Found, Place>(async (after) => {
    const page = await readPeople(after);
    setOff(page === null);
    return page ?? { users: [], next: null };
  }, `people/${resyncs}`);
  if (isOff) return null;

  return (
    <>
      {users !== null && (
        <People
          ref={list}
          name={say("People")}
          found={users}
          follow={follow}
          hasHeading
          none={<p className={styles.quiet}>{say("Nobody is listed here yet.")}</p>}
        />
      )}
      {status === "loading" && users === null && (
        <Loading className={styles.quiet}>{say(common.loading)}</Loading>
      )}
      {status === "failed" && <InlineError onRetry={() => void more()} />}
      {hasMore && status !== "failed" && (
        <div className={styles.more}>
          <Button variant="quiet" busy={status === "loading"} onClick={() => void showMore(more, list)}>
            {say("Show more people")}
          </Button>
        </div>
      )}
    </>
  );
}
