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
  const [said, setSaid] = useState({ text: "", n: 0 });
  useEffect(() => onAnnounce(kind, setSaid), [kind]);
  useEffect(() => {
    if (said.text === "") return;
    const timer = setTimeout(() => setSaid((now) => ({ ...now, text: "" })), CLEAR_MS);
    return () => clearTimeout(timer);
  }, [said]);
  return (
    <div role={kind === "polite" ? "status" : "alert"}>
      {/* A new element each time, so that the same text is announced again. */}
      {said.text !== "" && <span key={said.n}>{said.text}</span>}
    </div>
  );
}
