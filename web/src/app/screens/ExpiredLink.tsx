import { link } from "../../features/auth/words";
import { say } from "../../say";
import { LinkButton } from "../../ui/LinkButton";
import css from "./account.module.css";

/** Shown for a link of a mail that was used, replaced or is too old. It says where to get another link. */
export function ExpiredLink({ another }: { another: { href: string; label: string } | null }) {
  return (
    <div role="status" className={css.done}>
      <p>{say(link.expired)}</p>
      <p className={css.note}>{say(link.why)}</p>
      {another !== null && <LinkButton href={another.href}>{another.label}</LinkButton>}
    </div>
  );
}
