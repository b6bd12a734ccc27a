// A screen that is loaded from a file of its own.
//
// Promise: a screen whose file is loaded is rendered at once. React's own `lazy` shows its fallback for a
// third of a second, even when nothing is left to wait for.

import type { ComponentType } from "react";
import { useEffect } from "react";
import { lazyPart, useLazyPart } from "../ui/lazyPart";
import { NotLoaded } from "./Boundary";
import { LoadingScreen, screenShown } from "./LoadingScreen";

export type Screen<P> = ComponentType<P> & { fetch(): Promise<unknown> };

/** Makes a screen without loading it. If its file cannot be loaded, the error boundary around it says so. */
export function screen<P extends object>(load: () => Promise<{ default: ComponentType<P> }>): Screen<P> {
  const file = lazyPart(load);
  const Screen = (props: P) => {
    const { part, failed } = useLazyPart(file, true);
    useEffect(() => {
      if (part !== null) screenShown();
    }, [part]);
    if (failed) throw new NotLoaded();
    return part === null ? <LoadingScreen /> : <part.default {...props} />;
  };
  return Object.assign(Screen, { fetch: file.fetch });
}
