// The link to the page for bringing posts from elsewhere. It is absent if the host has turned imports off.

import { say } from "../../say";
import { LinkButton } from "../../ui/LinkButton";
import { hasImports } from "../shared/importsOfPage";
import css from "./settings.module.css";

export function ImportLink() {
  if (!hasImports()) return null;
  return (
    <div className={css.item}>
      <LinkButton href="/import" variant="quiet">
        {say("Import posts")}
      </LinkButton>
    </div>
  );
}
