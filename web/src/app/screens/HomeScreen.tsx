// Home for signed-in users: Your Space, all posts or those with one tag, and the Community Center.
//
// Promise: the address names the open tab, and keeps the tag.

import { useLocation } from "wouter";
import { useStore } from "../../engine/store";
import { YourSpace } from "../../features/feed/YourSpace";
import { ThemeCard } from "../../features/theme/ThemeCard";
import { tidyTag } from "../../features/shared/text";
import { say } from "../../say";
import { cx } from "../../ui/cx";
import { InlineError } from "../../ui/InlineError";
import { Tabs, tabId } from "../../ui/Tabs";
import { lazyPart, usePreload, useLazyPart } from "../../ui/lazyPart";
import { NewHere, useNewHere } from "../NewHere";
import { feedCard } from "../cards";
import { useQuery } from "../useQuery";
import { useSwipe } from "../useSwipe";
import css from "./home.module.css";

const TABS = [
  { id: "your-space", name: "Your Space" },
  { id: "community-center", name: "Community Center" },
] as const;

const center = lazyPart(() => import("./CommunityCenter"));
const notSent = lazyPart(() => import("../offline/NotSent"));
const vibes = lazyPart(() => import("../../features/moods/VibeCheck"));

export default function HomeScreen() {
  const [, navigate] = useLocation();
  const query = new URLSearchParams(useQuery());
  const at = query.get("tab") === TABS[1].id ? 1 : 0;
  usePreload(center);

  const go = (to: 0 | 1) => {
    if (to === at) return;
    query.set("tab", TABS[to].id);
    navigate(`/?${query.toString()}`);
  };
  const swipe = useSwipe(go);

  return (
    <div className={css.home}>
      <Tabs
        label={say("Home")}
        tabs={TABS.map(({ id, name }) => ({ id, name: say(name) }))}
        at={TABS[at].id}
        panel="home"
        onTab={(to) => go(to === TABS[1].id ? 1 : 0)}
      />
      <div role="tabpanel" id="home" aria-labelledby={tabId(TABS[at].id)} className={css.panel} {...swipe}>
        {at === 1 ? <Center /> : <Space tag={tidyTag(query.get("tag") ?? "") || null} />}
      </div>
    </div>
  );
}

function Center() {
  const { part, failed, again } = useLazyPart(center, true);
  return (
    <>
      <h1 className={css.title}>{say(TABS[1].name)}</h1>
      {part !== null && <part.default />}
      {failed && <InlineError onRetry={again} />}
    </>
  );
}

function Space({ tag }: { tag: string | null }) {
  const { part, failed, again } = useLazyPart(vibes, true);
  const unsent = useLazyPart(
    notSent,
    useStore((s) => s.notSent.length > 0),
  );
  const isComing = useNewHere();
  return (
    <YourSpace
      tag={tag}
      waits={isComing}
      card={feedCard}
      first={unsent.part !== null && <unsent.part.default />}
      above={tag === null && <NewHere />}
      beside={
        <div className={cx(css.aside, css.above)}>
          <div className={css.sticky}>
            <ThemeCard />
            <div className={css.vibes}>
              {part !== null && <part.VibeCheck />}
              {failed && <InlineError onRetry={again} />}
            </div>
          </div>
        </div>
      }
    />
  );
}
