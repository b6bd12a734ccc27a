// Gives a component the viewer's imports: the one that is being prepared or done, and the earlier ones.

import { useRef, useState } from "react";
import { ask } from "../../engine/client";
import type { Ok } from "../../engine/frames";
import { useStore } from "../../engine/store";
import { useRefetch } from "../../engine/useRefetch";
import type { Import, PastImport } from "../../engine/types.gen";
import "./state";

export type KnownImports = {
  current: Import | null;
  past: readonly PastImport[];
  status: "loading" | "ready" | "failed";
  load(): void;
};

const none: readonly PastImport[] = [];

/**
 * Reads the imports, and again when one ended. Between two reads the newest event counts. An event with the seq of a
 * read may be newer, because those about progress have no seq of their own.
 */
export function useImports(): KnownImports {
  const [read, setRead] = useState<Ok<"imports.list"> | null>(null);
  const [failed, setFailed] = useState(false);
  const newest = useRef(0);
  const live = useStore((s) => s.imports);

  const load = async (): Promise<boolean> => {
    newest.current += 1;
    const mine = newest.current;
    try {
      const ok = await ask("imports.list", {});
      if (mine === newest.current) {
        setRead(ok);
        setFailed(false);
      }
      return true;
    } catch {
      if (mine === newest.current) setFailed(true);
      return false;
    }
  };
  useRefetch(read !== null && live.endedAt > read.seq, load, () => void load());

  return {
    current: read !== null && live.at >= read.seq ? live.current : (read?.current ?? null),
    past: read?.imports ?? none,
    status: read !== null ? "ready" : failed ? "failed" : "loading",
    load: () => {
      setFailed(false);
      void load();
    },
  };
}
