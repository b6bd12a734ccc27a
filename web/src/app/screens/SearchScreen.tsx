// The screen for finding people.

import { FollowButton } from "../../features/follows/FollowButton";
import { SearchPeople } from "../../features/search/SearchPeople";
import { say } from "../../say";
import styles from "./screens.module.css";

export default function SearchScreen() {
  return (
    <div className={styles.column}>
      <h1 className={styles.title}>{say("Search")}</h1>
      <SearchPeople follow={(userId) => <FollowButton userId={userId} small />} />
    </div>
  );
}
