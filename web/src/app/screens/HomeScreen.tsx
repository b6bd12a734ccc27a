// Home for signed-in people: Your Space, whole or one tag of it.

import { YourSpace } from "../../features/feed/YourSpace";
import { tidyTag } from "../../store/words";
import { feedCard } from "../cards";
import { useQuery } from "../useQuery";

export default function HomeScreen() {
  const tag = tidyTag(new URLSearchParams(useQuery()).get("tag") ?? "");
  return <YourSpace tag={tag === "" ? null : tag} card={feedCard} />;
}
