import { useStore } from "../../engine/store";
import { say } from "../../say";
import { quiet } from "../../ui/card";

/**
 * Says until when the viewer's quiet hours last, while they do: `by` the clock by which they were set, which is shown
 * beside it, or otherwise by that of this device.
 */
export function QuietNote({ by }: { by?: string | undefined }) {
  const untilMs = useStore((s) => s.session.me?.quiet_until_ms ?? null);
  if (untilMs === null) return null;
  const time = by ?? new Date(untilMs).toTimeString().slice(0, 5);
  return <p className={quiet}>{say("Quiet hours until {time}.", { time })}</p>;
}
