// The switch in Settings that shows posts with content notes at once.

import { say } from "../../say";
import { Switch } from "../../ui/Switch";
import { setNotesOpen, useNotesOpen } from "./notesChoice";

export function NotesChoice() {
  const open = useNotesOpen();
  return (
    <Switch on={open} onPress={() => setNotesOpen(!open)}>
      {say("Show posts with content notes at once")}
    </Switch>
  );
}
