// An animated picture, which is a still until Play is pressed, and again after another picture is shown.
//
// Never: a picture plays by itself.

import { useEffect, useState } from "react";
import { say } from "../say";

type How = "still" | "coming" | "playing" | "failed";

export type Motion = {
  /** The animation to show over the still; null until Play is pressed. */
  src: string | null;
  playing: boolean;
  failed: boolean;
  /** Whether the button plays, and does not pause. */
  isStill: boolean;
  /** The name of the button. */
  label: string;
  press(): void;
  onLoad(): void;
  onError(): void;
};

/** `url` is null if the picture is not animated. A new `url` starts as a still. */
export function useMotion(url: string | null): Motion {
  const [how, setHow] = useState<How>("still");
  useEffect(() => setHow("still"), [url]);
  const isOn = how === "coming" || how === "playing";
  return {
    src: isOn ? url : null,
    playing: how === "playing",
    failed: how === "failed",
    isStill: !isOn,
    label: say(isOn ? "Pause" : "Play"),
    press: () => setHow(isOn ? "still" : "coming"),
    onLoad: () => setHow("playing"),
    onError: () => setHow("failed"),
  };
}
