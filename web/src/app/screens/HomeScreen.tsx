// Home for signed-in people: Your Space, whole or one tag of it.

import { useSearch } from "wouter";
import { YourSpace } from "../../features/feed/YourSpace";
import { tidyTag } from "../../store/words";
import { feedCard } from "../cards";

export default function HomeScreen() {
  const tag = tidyTag(new URLSearchParams(useSearch()).get("tag") ?? "");
  return <YourSpace tag={tag === "" ? null : tag} card={feedCard} />;
}
