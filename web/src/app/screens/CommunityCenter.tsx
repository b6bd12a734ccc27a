// The Community Center: moods, polls, and the card for the huddle, which is not built yet.

import { VibeCheck } from "../../features/moods/VibeCheck";
import { CommunityPolls } from "../../features/polls/CommunityPolls";
import { say } from "../../say";
import { card, quiet } from "../../ui/card";
import css from "./home.module.css";

export default function CommunityCenter() {
  return (
    <>
      <div className={css.aside}>
        <div className={css.sticky}>
          <VibeCheck />
        </div>
      </div>
      <CommunityPolls />
      <section aria-label={say("Daily Huddle")} className={card}>
        <h2>{say("Daily Huddle")}</h2>
        <p className={quiet}>{say("Coming soon")}</p>
      </section>
    </>
  );
}
