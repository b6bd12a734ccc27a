import { useEffect, useState } from "react";
import { onAnnounce } from "./announce";

const CLEAR_MS = 10_000;

/** The two live regions for screen readers. They exist from the first paint. */
export function LiveRegions() {
  return (
    <div data-above className="visually-hidden">
      <Region kind="polite" />
      <Region kind="urgent" />
    </div>
  );
}

function Region({ kind }: { kind: "polite" | "urgent" }) {
  const [announced, setAnnounced] = useState({ text: "", n: 0 });
  useEffect(() => {
    // A second text of the same moment would replace the first one before it is read, so they are one text.
    let moment = "";
    return onAnnounce(kind, ({ text, n }) => {
      if (moment === "")
        setTimeout(() => {
          moment = "";
        }, 0);
      moment = moment === "" ? text : `${moment} ${text}`;
      setAnnounced({ text: moment, n });
    });
  }, [kind]);
  useEffect(() => {
    if (announced.text === "") return;
    const timer = setTimeout(() => setAnnounced((now) => ({ ...now, text: "" })), CLEAR_MS);
    return () => clearTimeout(timer);
  }, [announced]);
  return (
    <div role={kind === "polite" ? "status" : "alert"}>
      {/* A new element each time, so that the same text is announced again. */}
      {announced.text !== "" && <span key={announced.n}>{announced.text}</span>}
    </div>
  );
}
