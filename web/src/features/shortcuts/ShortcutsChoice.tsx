// The switch for the shortcuts in Settings, and a button that opens their list.

import { useState } from "react";
import { say } from "../../say";
import { Button } from "../../ui/Button";
import { Switch } from "../../ui/Switch";
import { setShortcuts, useShortcutsOn } from "./choice";
import { ShortcutsDialog } from "./ShortcutsDialog";
import css from "./shortcuts.module.css";

export function ShortcutsChoice() {
  const on = useShortcutsOn();
  const [open, setOpen] = useState(false);
  return (
    <div className={css.choice}>
      <Switch on={on} onPress={() => setShortcuts(!on)}>
        {say("Keyboard shortcuts")}
      </Switch>
      <Button variant="quiet" onClick={() => setOpen(true)}>
        {say("Show Keyboard Shortcuts")}
      </Button>
      <ShortcutsDialog open={open} onClose={() => setOpen(false)} />
    </div>
  );
}
