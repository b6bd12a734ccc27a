// The screen of the viewer's notifications.

import { NotificationList } from "../../features/notifications/NotificationList";
import { QuietNote } from "../../features/shared/QuietNote";
import { say } from "../../say";
import styles from "./screens.module.css";

export default function NotificationsScreen() {
  return (
    <div className={styles.column}>
      <h1 className={styles.title}>{say("Notifications")}</h1>
      <QuietNote />
      <NotificationList />
    </div>
  );
}
