// An animated picture: a still until Play is pressed, and a still again when it is left.
//
// Never: anything plays by itself.

import { useEffect, useState } from "react";

type How = "still" | "coming" | "playing" | "failed";

export type Motion = {
  /** What to show over the still, once asked for. */
  src: string | null;
  playing: boolean;
  failed: boolean;
  /** The button's name. */
  label: "Play" | "Pause";
  press(): void;
  onLoad(): void;
  onError(): void;
};

/** `url` is null where nothing moves; another picture, another `url`, starts as a still. */
export function useMotion(url: string | null): Motion {
  const [how, setHow] = useState<How>("still");
  useEffect(() => setHow("still"), [url]);
  const wanted = how === "coming" || how === "playing";
  return {
    src: wanted ? url : null,
    playing: how === "playing",
    failed: how === "failed",
    label: wanted ? "Pause" : "Play",
    press: () => setHow(wanted ? "still" : "coming"),
    onLoad: () => setHow("playing"),
    onError: () => setHow("failed"),
  };
}
