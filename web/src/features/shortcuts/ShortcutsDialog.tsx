// The list of shortcuts, with the switch for all of them.

import { say } from "../../say";
import { Dialog } from "../../ui/Dialog";
import { Switch } from "../../ui/Switch";
import { setShortcuts, useShortcutsOn } from "./choice";
import css from "./shortcuts.module.css";

const KEYS = [
  [["j"], "Next post"],
  [["k"], "Previous post"],
  [["o"], "Open the post"],
  [["c"], "Write a comment"],
  [["n"], "Create Post"],
  [["/"], "Search"],
  [["."], "Show new posts"],
  [["g", "h"], "Home"],
  [["g", "c"], "Community Center"],
  [["g", "n"], "Notifications"],
  [["g", "p"], "Your profile"],
  [["g", "s"], "Settings"],
  [["Ctrl", "Enter"], "Send what is written"],
  [["?"], "Keyboard Shortcuts"],
] as const;

export function ShortcutsDialog({ open, onClose }: { open: boolean; onClose(): void }) {
  const on = useShortcutsOn();
  return (
    <Dialog open={open} title={say("Keyboard Shortcuts")} onClose={onClose}>
      <ul role="list" aria-label={say("Shortcuts")} className={css.list}>
        {KEYS.map(([keys, what]) => (
          <li key={what} className={css.line}>
            <span>{say(what)}</span>
            <span className={css.keys}>
              {keys.map((key) => (
                <kbd key={key} className={css.key}>
                  {/* A key with a name has the one that is written on the keyboards of the language. */}
                  {say(key)}
                </kbd>
              ))}
            </span>
          </li>
        ))}
      </ul>
      <Switch on={on} onPress={() => setShortcuts(!on)}>
        {say("Keyboard shortcuts")}
      </Switch>
    </Dialog>
  );
}
