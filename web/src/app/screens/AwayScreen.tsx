// The page of a person who stepped away (D-U6).
//
// Promise: no socket is open and nothing is loaded until the page is left (app/away.ts).

import { useEffect } from "react";
import { fetchClient } from "../../engine/session";
import { store } from "../../engine/store";
import { say } from "../../say";
import { LinkButton } from "../../ui/LinkButton";
import { notFound } from "../notFoundWords";
import { isAway } from "../paths";
import prompt from "../SignInPrompt.module.css";

export default function AwayScreen() {
  // If this was the first page of the tab, it is still unknown who is here.
  useEffect(
    () => () => {
      if (!isAway() && store.getState().session.phase === "unknown") fetchClient();
    },
    [],
  );
  return (
    <div className={prompt.prompt}>
      <h1>{say("See you later.")}</h1>
      <LinkButton href="/">{say(notFound.home)}</LinkButton>
    </div>
  );
}
