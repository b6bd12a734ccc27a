// The offer of a new build. It is never taken by itself: text may be unsaved.

import { useState } from "react";
import { shell } from "../../text";
import { Button } from "../../ui/Button";
import { leave } from "../leaveGuard";
import css from "./offline.module.css";

export default function NewVersion() {
  const [isLater, setLater] = useState(false);
  if (isLater) return null;
  return (
    <section className={css.version} aria-label="New version">
      <p role="status">A new version is ready.</p>
      <div className={css.ways}>
        <Button variant="quiet" small onClick={() => setLater(true)}>
          Later
        </Button>
        <Button small onClick={() => leave(() => location.reload(), false)}>
          {shell.reload}
        </Button>
      </div>
    </section>
  );
}
