// The page of admins. Everybody else sees the page for an unknown address.

import { useLocation } from "wouter";
import { useSession } from "../../engine/session";
import { Admin, tabOf } from "../../features/admin/Admin";
import { words } from "../../features/admin/words";
import { say } from "../../say";
import { LoadingScreen } from "../LoadingScreen";
import { useQuery } from "../useQuery";
import NotFoundScreen from "./NotFoundScreen";
import styles from "./screens.module.css";

export default function AdminScreen() {
  const { phase, me } = useSession();
  const [, navigate] = useLocation();
  const query = new URLSearchParams(useQuery());
  if (phase === "unknown") return <LoadingScreen />;
  if (me?.is_admin !== true) return <NotFoundScreen />;
  return (
    <div className={styles.column}>
      <h1 className={styles.title}>{say(words.admin)}</h1>
      <Admin tab={tabOf(query.get("tab"))} onTab={(tab) => navigate(`/admin?tab=${tab}`)} />
    </div>
  );
}
