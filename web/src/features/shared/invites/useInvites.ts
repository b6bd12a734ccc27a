// Gives a component the viewer's invitations.

import { useEffect, useEffectEvent, useState } from "react";
import { RefusedError } from "../../../engine/ask";
import { ask } from "../../../engine/client";
import { asRead } from "../../../engine/state";
import { update, useStore } from "../../../engine/store";
import type { Invite } from "../../../engine/types.gen";
import { invitesKnown } from "./state";

/** `off`: the viewer may not make invitations. `list` has the earlier ones that still work. */
export type Invites = { list: Invite[] | null; status: "loading" | "ready" | "failed" | "off"; load(): void };

/** Reads the invitations, and again after a resync. Reads nothing while `enabled` is false. */
export function useInvites(enabled = true): Invites {
  const list = useStore((s) => s.invites.list);
  const resyncs = useStore((s) => s.resyncs);
  const [status, setStatus] = useState<Invites["status"]>("loading");
  const load = () => {
    ask("invites.list", {}).then(
      (ok) => {
        update((s) => invitesKnown(s, ok.invites, asRead(ok.seq)));
        setStatus(ok.may_create ? "ready" : "off");
      },
      (error: unknown) =>
        setStatus(error instanceof RefusedError && error.code === "not_found" ? "off" : "failed"),
    );
  };
  const loadNow = useEffectEvent(load);
  useEffect(() => {
    if (enabled) loadNow();
  }, [enabled, resyncs]);
  return { list, status, load };
}
