// What is in an archive, what of it would be left out, and the choice of who can see the posts.

import { useId, useState } from "react";
import type { Id } from "../../engine/state";
import type { Audience, ImportPreview } from "../../engine/types.gen";
import { say } from "../../say";
import { common } from "../../text";
import { AudienceSelect } from "../../ui/AudienceSelect";
import { Button } from "../../ui/Button";
import { Note } from "../../ui/Note";
import { card, quiet } from "../../ui/card";
import { shortDate } from "../../ui/relative";
import { GROUP_GONE, everyone, useAudiences } from "../shared/groups/useAudiences";
import { SendingNote } from "../shared/sending";
import { cancelImport, startImport } from "./api";
import { useAct } from "./useAct";
import { foundText, leftOutText, reasons, spanText, words } from "./words";
import css from "./imports.module.css";

export function Preview({ id, preview }: { id: Id; preview: ImportPreview }) {
  const { posts, pictures, from_ms, to_ms, left_out, pictures_left_out, first } = preview;
  const titleId = useId();
  const leftOutId = useId();
  const firstId = useId();
  const [audience, setAudience] = useState<Audience | null>(null);
  const { isGone, ...audiences } = useAudiences(audience ?? everyone);
  const { busy, wrong, act } = useAct();
  const lines = left_out.map(({ reason, count }) => leftOutText(say(reasons[reason]), count));
  if (pictures_left_out > 0) lines.push(leftOutText(say(reasons.pictures), pictures_left_out));

  return (
    <section aria-labelledby={titleId} className={card}>
      <h2 id={titleId} tabIndex={-1} data-first="" data-quiet="">
        {say(words.preview)}
      </h2>
      {posts === 0 ? (
        <p>{say(words.nothing)}</p>
      ) : (
        <div>
          <p>{foundText(posts, pictures)}</p>
          <p className={quiet}>{spanText(shortDate(from_ms), shortDate(to_ms))}</p>
        </div>
      )}
      {lines.length > 0 && (
        <div className={css.part}>
          <h3 id={leftOutId} className={css.label}>
            {say(words.leftOut)}
          </h3>
          <ul role="list" aria-labelledby={leftOutId}>
            {lines.map((line) => (
              <li key={line}>{line}</li>
            ))}
          </ul>
        </div>
      )}
      {first.length > 0 && (
        <div className={css.part}>
          <h3 id={firstId} className={css.label}>
            {say(words.first)}
          </h3>
          <ul role="list" aria-labelledby={firstId} className={css.list}>
            {first.map(({ text, at_ms }, nth) => (
              <li key={`${String(at_ms)} ${String(nth)}`} className={css.post}>
                <p className={css.text} dir="auto">
                  {text}
                </p>
                <time dateTime={new Date(at_ms).toISOString()} className={quiet}>
                  {shortDate(at_ms)}
                </time>
              </li>
            ))}
          </ul>
        </div>
      )}
      {posts > 0 && (
        <AudienceSelect
          {...audiences}
          value={audience}
          none={say(words.choose)}
          error={isGone ? say(GROUP_GONE) : undefined}
          disabled={busy}
          onChoose={setAudience}
        />
      )}
      <Note text={wrong} />
      <SendingNote busy={busy} still />
      <div className={css.row}>
        <Button
          variant="quiet"
          disabled={busy}
          onClick={({ currentTarget }) => act(() => cancelImport(id), currentTarget)}
        >
          {say(common.cancel)}
        </Button>
        {posts > 0 && (
          <Button
            busy={busy}
            disabled={audience === null || isGone}
            onClick={({ currentTarget }) => {
              if (audience !== null) act(() => startImport(id, audience), currentTarget);
            }}
          >
            {say(words.start)}
          </Button>
        )}
      </div>
    </section>
  );
}
