// The page for bringing posts from elsewhere. If the host has turned imports off, it is the page of an unknown address.

import { ImportPosts } from "../../features/imports/ImportPosts";
import { hasImports } from "../../features/shared/importsOfPage";
import { say } from "../../say";
import NotFoundScreen from "./NotFoundScreen";
import styles from "./screens.module.css";

export default function ImportScreen() {
  if (!hasImports()) return <NotFoundScreen />;
  return (
    <div className={styles.column}>
      <h1>{say("Import Posts")}</h1>
      <ImportPosts />
    </div>
  );
}
