// The newest of what events said about the viewer's imports. The page of imports reads the rest (useImports.ts).
//
// This feature is registered when the page of imports is loaded, so that no other page pays for it. From then on the
// end of an import is told on every page of this tab.

import { defineFeature } from "../../engine/feature";
import type { AnyEvent, EventOf } from "../../engine/frames";
import type { State } from "../../engine/state";
import { addFeature } from "../../engine/store";
import type { Import, ImportEnd } from "../../engine/types.gen";
import { say } from "../../say";
import { toast } from "../../ui/toast";
import { importedText, words } from "./words";

export type Imports = {
  /** The import that is being prepared or done, and the seq as of which it is known; 0 before the first event. */
  current: Import | null;
  at: number;
  /** How the last one ended. */
  ended: ImportEnd | null;
  endedAt: number;
};

declare module "../../engine/state" {
  interface State {
    imports: Imports;
  }
}

const noImports = (): Imports => ({ current: null, at: 0, ended: null, endedAt: 0 });

const isChange = (event: AnyEvent): event is EventOf<"imports.changed"> => event.ev === "imports.changed";

/** Returns the lists. Those by author, in which posts came or went without an event, are read when they are opened. */
const readAgain = ({ views }: State): State["views"] =>
  Object.fromEntries(
    Object.entries(views).map(([name, view]) => [
      name,
      /^(?:author|found):/u.test(name) ? { ...view, stale: true } : view,
    ]),
  );

const imports = defineFeature({
  initial: () => ({ imports: noImports() }),
  on: {
    "imports.changed": (state, { current, ended, seq }) => ({
      ...state,
      views: ended !== null && seq > state.imports.endedAt ? readAgain(state) : state.views,
      imports: {
        current,
        at: seq,
        ended: ended ?? state.imports.ended,
        endedAt: ended === null ? state.imports.endedAt : seq,
      },
    }),
  },
  applied: (_tools, before, events) => {
    const wasImporting = before.imports.current?.phase === "importing";
    for (const { ended, seq } of events.filter(isChange)) {
      // The last write comes again after a lost connection.
      if (ended === null || seq <= before.imports.endedAt) continue;
      if (ended.result === "done") toast(importedText(ended.posts));
      if (ended.result === "canceled" && wasImporting) toast(say(words.undone));
    }
  },
  forgetSeqs: () => ({ imports: noImports() }),
});

addFeature(imports);
