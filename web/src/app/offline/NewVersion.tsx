// The offer to reload the page for a new build. The page never reloads by itself, because text may be
// unsaved. This file is not part of the app's first files.

import { useState } from "react";
import { createRoot } from "react-dom/client";
import { say, useLanguage } from "../../say";
import { shell } from "../../text";
import { Button } from "../../ui/Button";
import { leave } from "../leaveGuard";
import card from "../../ui/Card.module.css";
import { cx } from "../../ui/cx";
import css from "./offline.module.css";

/** Shows the offer until the page is reloaded. */
export function offerVersion(): void {
  const place = document.createElement("div");
  document.body.append(place);
  createRoot(place).render(<NewVersion />);
}

function NewVersion() {
  useLanguage();
  const [isLater, setLater] = useState(false);
  if (isLater) return null;
  return (
    <section className={cx(card.card, css.version)} aria-label={say("New version")}>
      <p role="status">{say("A new version is ready.")}</p>
      <div className={css.ways}>
        <Button variant="quiet" small onClick={() => setLater(true)}>
          {say("Later")}
        </Button>
        <Button small onClick={() => leave(() => location.reload(), false)}>
          {say(shell.reload)}
        </Button>
      </div>
    </section>
  );
}
