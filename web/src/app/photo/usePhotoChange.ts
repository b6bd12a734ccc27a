// Gives a screen the change of the viewer's own photo. Its code is loaded when a file is chosen.

import { useEffect, useState, useSyncExternalStore } from "react";
import { say } from "../../say";
import { lazyPart, useLazyPart } from "../../ui/lazyPart";
import { toast } from "../../ui/toast";
import type { PhotoView } from "./photoChange";

const engine = lazyPart(() => import("./photoChange"));

const nothing: PhotoView = { phase: "none", preview: null, percent: 0, error: null, canRetry: false };
const unwatched = (): (() => void) => () => undefined;
const none = (): PhotoView => nothing;

export type PhotoChanging = { view: PhotoView; choose(file: File): void; retry(): void };

export function usePhotoChange(userId: number): PhotoChanging {
  const [file, setFile] = useState<File | null>(null);
  const [lost, setLost] = useState<File | null>(null);
  const { part } = useLazyPart(engine, file !== null || engine.held !== null, () => {
    toast(say("Error uploading image. Please try again."), { error: true });
    setLost(file);
    setFile(null);
  });
  const change = part?.photoChangeOf(userId) ?? null;
  const view = useSyncExternalStore(change?.watch ?? unwatched, change?.get ?? none);

  useEffect(() => (change === null ? undefined : () => change.leave()), [change]);

  useEffect(() => {
    if (change === null || file === null) return;
    setFile(null);
    void change.choose(file);
  }, [change, file]);

  if (lost !== null && file === null)
    return {
      view: { ...nothing, error: say("Your new photo didn't get through. It's still here."), canRetry: true },
      choose: (next) => {
        setLost(null);
        setFile(next);
      },
      retry: () => {
        setLost(null);
        setFile(lost);
      },
    };
  return {
    view: file === null ? view : { ...nothing, phase: "looking" },
    choose: setFile,
    retry: () => void change?.retry(),
  };
}
