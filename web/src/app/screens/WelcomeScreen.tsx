// The first screen of a guest. It makes no request and opens no socket.

import { Clock, Moon, PenLine } from "lucide-react";
import { GuestTheme } from "../../features/theme/Today";
import { say } from "../../say";
import { welcome } from "./welcome";
import { LinkButton } from "../../ui/LinkButton";
import { PositiveIcon } from "../../ui/leaf";
import css from "./welcome.module.css";

const icons = [Clock, PositiveIcon, PenLine, Moon] as const;

export default function WelcomeScreen() {
  return (
    <div className={css.page}>
      <section className={css.hero}>
        <Scene />
        <h1 className={css.title}>{say(welcome.title)}</h1>
        <p className={css.lead}>{say(welcome.lead)}</p>
        <LinkButton href="/signup">{say(welcome.join)}</LinkButton>
      </section>
      <GuestTheme />
      <ul role="list" className={css.blurbs}>
        {welcome.blurbs.map(({ title, text }, at) => {
          const Icon = icons[at] ?? PositiveIcon;
          return (
            <li key={title} className={css.blurb}>
              <span className={css.icon}>
                <Icon size={24} strokeWidth={1.75} aria-hidden="true" />
              </span>
              <h2>{say(title)}</h2>
              <p>{say(text)}</p>
            </li>
          );
        })}
      </ul>
    </div>
  );
}

/** The picture: evening light over quiet water. */
function Scene() {
  return (
    <svg className={css.scene} viewBox="0 0 320 120" aria-hidden="true" focusable="false">
      <circle cx="160" cy="62" r="34" className={css.sun} />
      <path
        className={css.far}
        d="M0 84c27 0 27-10 54-10s27 10 54 10 27-10 54-10 27 10 54 10 27-10 54-10 27 10 50 10v36H0z"
      />
      <path
        className={css.near}
        d="M0 98c27 0 27-10 54-10s27 10 54 10 27-10 54-10 27 10 54 10 27-10 54-10 27 10 50 10v22H0z"
      />
    </svg>
  );
}
