import { isQuiet } from "../../engine/state";
import { useStore } from "../../engine/store";
import { say } from "../../say";
import { quiet } from "../../ui/card";

/** Says until when the viewer's quiet hours last, while they do. */
export function QuietNote() {
  const time = useStore((s) => (isQuiet(s) ? s.session.me?.quiet_hours?.to : undefined));
  if (time === undefined) return null;
  return <p className={quiet}>{say("Quiet hours until {time}.", { time })}</p>;
}
