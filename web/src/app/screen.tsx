// A screen that comes in a file of its own.
//
// Promise: when the file is here the screen stands at once. React's own `lazy` holds back what follows a
// word of loading for a third of a second, also when there is nothing left to wait for.

import type { ComponentType } from "react";
import { later, useLater } from "../ui/later";
import { Quiet } from "./Quiet";

export type Screen<P> = ComponentType<P> & { fetch(): Promise<unknown> };

/** Names a screen; nothing is fetched yet. A file that did not come is for the boundary around it to tell. */
export function screen<P extends object>(load: () => Promise<{ default: ComponentType<P> }>): Screen<P> {
  const file = later(load);
  const Screen = (props: P) => {
    const { part, failed } = useLater(file, true);
    if (failed) throw new Error("the file of a screen did not come");
    return part === null ? <Quiet /> : <part.default {...props} />;
  };
  return Object.assign(Screen, { fetch: file.fetch });
}
