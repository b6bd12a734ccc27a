// The Community Center: moods, polls, and the card for the huddle, which is not built yet. The Tab key goes the way
// of the eye: in a wide window the moods are beside the polls and come after them.

import { Fragment } from "react";
import { VibeCheck } from "../../features/moods/VibeCheck";
import { CommunityPolls } from "../../features/polls/CommunityPolls";
import { say } from "../../say";
import { card, quiet } from "../../ui/card";
import { useWide } from "../../ui/useWide";
import css from "./home.module.css";

export default function CommunityCenter() {
  const isWide = useWide();
  const moods = (
    <div key="moods" className={css.aside}>
      <div className={css.sticky}>
        <VibeCheck />
      </div>
    </div>
  );
  const others = (
    <Fragment key="others">
      <CommunityPolls />
      <section aria-label={say("Daily Huddle")} className={card}>
        <h2>{say("Daily Huddle")}</h2>
        <p className={quiet}>{say("Coming soon")}</p>
      </section>
    </Fragment>
  );
  // With their keys both keep what is typed and open in them when the window is turned.
  return isWide ? [others, moods] : [moods, others];
}
