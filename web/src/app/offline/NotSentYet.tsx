// The question before a log-out that would delete requests that were not sent.

import { useEffect, useEffectEvent, useState } from "react";
import { many, say } from "../../say";
import { ConfirmDialog } from "../../ui/ConfirmDialog";
import { offlineData } from "./begin";

export function NotSentYet({
  userId,
  onLogOut,
  onStay,
}: {
  userId: number;
  onLogOut(): void;
  onStay(): void;
}) {
  const [count, setCount] = useState<number | null>(null);
  const known = useEffectEvent((found: number) => {
    if (found === 0) onLogOut();
    else setCount(found);
  });
  useEffect(() => {
    let listens = true;
    const tell = (found: number): void => {
      if (listens) known(found);
    };
    offlineData.count(userId).then(tell, () => tell(0));
    return () => {
      listens = false;
    };
  }, [userId]);
  return (
    <ConfirmDialog
      title={say("Not sent yet")}
      open={count !== null}
      confirm={say("Log Out")}
      danger
      onConfirm={onLogOut}
      onClose={onStay}
    >
      {many(count ?? 0, "{n} thing will be lost.", "{n} things will be lost.")}
    </ConfirmDialog>
  );
}
