import { useEffect, useRef } from "react";
import { Bell as Icon } from "lucide-react";
import { Link, useLocation } from "wouter";
import { openNotifications } from "../features/notifications/markSeen";
import { hasDot } from "../features/notifications/state";
import { useStore } from "../engine/store";
import { say } from "../say";
import { shell } from "../text";
import { Hidden } from "../ui/Hidden";
import { announce } from "../ui/announce";
import css from "./Bell.module.css";

const HREF = "/notifications";

/** The link to the notifications. It shows a dot, not a count, while one is new. */
export function Bell() {
  const [path] = useLocation();
  const isNew = useStore(hasDot);
  const was = useRef(isNew);
  // Announced when the dot appears on screen, and not again until the notifications were opened.
  useEffect(() => {
    if (isNew && !was.current) announce(say("New notification"));
    was.current = isNew;
  }, [isNew]);

  return (
    <Link
      href={HREF}
      className={css.bell}
      aria-current={path === HREF ? "page" : undefined}
      onClick={(event) => {
        openNotifications();
        if (path !== HREF || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
        // The page is already open, so it scrolls to the top, where new notifications are.
        event.preventDefault();
        scrollTo({ top: 0, behavior: "instant" });
      }}
    >
      <Icon size={22} strokeWidth={1.75} aria-hidden="true" />
      {isNew && <span className={css.dot} aria-hidden="true" />}
      <Hidden>{say(isNew ? shell.notificationsNew : shell.notifications)}</Hidden>
    </Link>
  );
}
