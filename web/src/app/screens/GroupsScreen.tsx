// The screen of the viewer's groups.

import { ManageGroups } from "../../features/groups/ManageGroups";
import { say } from "../../say";
import { shell } from "../../text";
import styles from "./screens.module.css";

export default function GroupsScreen() {
  return (
    <div className={styles.column}>
      <h1 className={styles.title}>{say(shell.groups)}</h1>
      <ManageGroups />
    </div>
  );
}
