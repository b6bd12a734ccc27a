// What is inside Mellow, for guests with an invitation, in three short lines.

import { say } from "../../say";
import { inside } from "./account";
import css from "./auth.module.css";

export function Inside() {
  return (
    <ul role="list" className={css.inside}>
      {inside.map((line) => (
        <li key={line}>{say(line)}</li>
      ))}
    </ul>
  );
}
