// The page of a person who stepped away (D-U6).
//
// Promise: no socket is open and nothing is loaded until the page is left (app/away.ts).

import { say } from "../../say";
import { LinkButton } from "../../ui/LinkButton";
import { notFound } from "../notFoundWords";
import prompt from "../SignInPrompt.module.css";

export default function AwayScreen() {
  return (
    <div className={prompt.prompt}>
      <h1>{say("See you later.")}</h1>
      <LinkButton href="/">{say(notFound.home)}</LinkButton>
    </div>
  );
}
