import { useLocation } from "wouter";
import { say } from "../say";
import { shell } from "../text";
import { LinkButton } from "../ui/LinkButton";
import { logInPath, addressOf } from "./paths";
import { useQuery } from "./useQuery";
import css from "./SignInPrompt.module.css";

/** Shown to guests who followed a link to something that only members see. It opens after they log in. */
export function SignInPrompt({ title }: { title: string }) {
  const [path] = useLocation();
  const search = useQuery();
  return (
    <div className={css.prompt}>
      <h1>{title}</h1>
      <p>{say(shell.needsLogIn)}</p>
      <LinkButton href={logInPath(addressOf(path, search))}>{say(shell.logIn)}</LinkButton>
    </div>
  );
}
