import { House, PenLine, Search } from "lucide-react";
import { Link, useLocation, useSearch } from "wouter";
import { say, sayAs } from "../say";
import { shell } from "../text";
import css from "./Navigation.module.css";

const places = [
  { href: "/", name: () => say(shell.home), Icon: House },
  { href: "/create-post", name: () => sayAs("write", shell.post), Icon: PenLine },
  { href: "/search", name: () => say(shell.search), Icon: Search },
] as const;

/**
 * The three main links: a bar at the bottom of a phone, a column beside the page on wide screens. A press on
 * Home at home shows Your Space from the top, without a tag filter and with the new posts.
 */
export function Navigation() {
  const [path] = useLocation();
  const search = useSearch();
  return (
    <nav aria-label={say(shell.main)} className={css.bar}>
      <ul role="list" className={css.list}>
        {places.map(({ href, name, Icon }) => (
          <li key={href}>
            <Link
              href={href}
              className={css.place}
              aria-current={path === href ? "page" : undefined}
              onClick={(event) => {
                if (
                  href !== "/" ||
                  path !== "/" ||
                  event.metaKey ||
                  event.ctrlKey ||
                  event.shiftKey ||
                  event.altKey
                )
                  return;
                if (search === "" || search === "tab=your-space") event.preventDefault();
                // Home is on screen, so this file is loaded already.
                import("../features/feed/pressHome").then(
                  ({ pressHome }) => pressHome(),
                  () => undefined,
                );
              }}
            >
              <span className={css.mark}>
                <Icon size={22} strokeWidth={1.75} aria-hidden="true" />
              </span>
              <span>{name()}</span>
            </Link>
          </li>
        ))}
      </ul>
    </nav>
  );
}
