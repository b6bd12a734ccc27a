// Shown when a page was opened without a network: the kept Your Space, or a sentence that this screen was not
// kept.

import { useLocation } from "wouter";
import { say } from "../../say";
import { common } from "../../text";
import { useStore } from "../../engine/store";
import { KeptSpace } from "../../features/feed/KeptSpace";
import { LinkButton } from "../../ui/LinkButton";
import { feedCard } from "../cards";
import { useQuery } from "../useQuery";
import prompt from "../SignInPrompt.module.css";

export default function OfflineScreen() {
  const savedMs = useStore((s) => s.kept?.savedMs ?? null);
  const [path] = useLocation();
  const query = new URLSearchParams(useQuery());
  const isHome = path === "/" && !query.has("tag") && query.get("tab") !== "community-center";
  if (isHome && savedMs !== null) return <KeptSpace savedMs={savedMs} card={feedCard} />;
  return (
    <div className={prompt.prompt}>
      <h1>{say("You're offline")}</h1>
      <p>{say(common.notKept)}</p>
      {!isHome && <LinkButton href="/">{say("Back to Home")}</LinkButton>}
    </div>
  );
}
