// The choice in Settings whether to be told about the time here, and after how many minutes.

import { useSyncExternalStore } from "react";
import { useSession } from "../../engine/session";
import { many, say } from "../../say";
import { Field } from "../../ui/Field";
import select from "../../ui/Select.module.css";
import { Switch } from "../../ui/Switch";
import type { Choice } from "./minutes";
import { LIMITS, timeHere } from "./minutes";
import { startTimeHere } from "./start";

export function TimeHereChoice() {
  const { me } = useSession();
  return me === null ? null : <Controls userId={me.id} />;
}

function Controls({ userId }: { userId: number }) {
  const isOn = useSyncExternalStore(timeHere.watch, () => timeHere.choice(userId).isOn);
  const after = useSyncExternalStore(timeHere.watch, () => timeHere.choice(userId).after);
  const choose = (choice: Choice): void => {
    timeHere.choose(userId, choice);
    if (choice.isOn) startTimeHere();
  };
  return (
    <>
      <Switch on={isOn} onPress={() => choose({ isOn: !isOn, after })}>
        {say("Remind me about my time here")}
      </Switch>
      <Field label={say("After")} hint={say("Kept on this device alone.")}>
        <select
          name="after"
          className={select.select}
          value={after}
          onChange={({ target }) => choose({ isOn, after: Number(target.value) })}
        >
          {LIMITS.map((minutes) => (
            <option key={minutes} value={minutes}>
              {many(minutes, "{n} minute", "{n} minutes")}
            </option>
          ))}
        </select>
      </Field>
    </>
  );
}
