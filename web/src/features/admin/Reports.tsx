// Open reports, newest first.

import { useState } from "react";
import { ask } from "../../engine/client";
import { newKey } from "../../engine/keys";
import type { AdminReport } from "../../engine/types.gen";
import { say } from "../../say";
import { Say } from "../../ui/Say";
import { Button } from "../../ui/Button";
import { ConfirmDialog } from "../../ui/ConfirmDialog";
import { LinkButton } from "../../ui/LinkButton";
import { RelativeTime } from "../../ui/RelativeTime";
import { Face } from "./Marks";
import { SuspendPerson } from "./PersonDialogs";
import { Reported } from "./Reported";
import { Pages } from "./Pages";
import { useAct } from "./live";
import { people, reports as words } from "./words";
import css from "./admin.module.css";

async function read(before: number | null) {
  const { reports, has_more } = await ask("admin.reports", { before });
  return { users: reports, next: has_more ? (reports.at(-1)?.id ?? null) : null };
}

export function Reports() {
  return (
    <Pages<AdminReport, number> name={say("Reports")} none={say(words.none)} read={read}>
      {(report) => <Report report={report} />}
    </Pages>
  );
}

function Report({ report }: { report: AdminReport }) {
  const { id, about, reason, details, reporter, author, reported_at_ms, view, may_suspend } = report;
  const [open, setOpen] = useState<"remove" | "suspend" | null>(null);
  const { busy, act } = useAct();
  const handle = (op: "admin.dismiss_report" | "admin.remove_content", done: string) =>
    act(() => ask(op, { key: newKey(), report_id: id }), done);
  const remove = async (): Promise<void> => {
    if (await handle("admin.remove_content", say(words.removed))) setOpen(null);
  };
  return (
    <>
      <Face user={author} />
      <div className={css.words}>
        <p className={css.facts}>
          <strong>{say(words.reasons[reason])}</strong>
          <RelativeTime ms={reported_at_ms} />
        </p>
        <p className={css.facts}>
          <span>
            <Say text={words.kinds[about.type]} name={<bdi className={css.author}>{author.name}</bdi>} />
          </span>
          <span>{say(people.id, { id: String(author.id) })}</span>
        </p>
        {report.content_note !== null && (
          <p className={css.facts}>
            <span>
              <Say text="Content note: {note}" note={<bdi>{report.content_note}</bdi>} />
            </span>
          </p>
        )}
        {report.words !== "" && <Reported text={report.words} />}
        {details !== "" && (
          <p dir="auto" className={css.details}>
            {details}
          </p>
        )}
        {reporter !== null && (
          <p className={css.facts}>
            <span>{say(words.by, { name: reporter.name })}</span>
            <span>{say(people.id, { id: String(reporter.id) })}</span>
          </p>
        )}
      </div>
      <div className={css.choices}>
        {view !== null && (
          <LinkButton variant="quiet" small href={view}>
            {say(words.view)}
          </LinkButton>
        )}
        <Button
          variant="quiet"
          small
          busy={busy}
          onClick={() => void handle("admin.dismiss_report", say(words.dismissed))}
        >
          {say(words.dismiss)}
        </Button>
        {about.type !== "user" && (
          <Button variant="danger" small onClick={() => setOpen("remove")}>
            {say(words.remove)}
          </Button>
        )}
        {may_suspend && (
          <Button variant="quiet" small onClick={() => setOpen("suspend")}>
            {say(people.suspend)}
          </Button>
        )}
      </div>
      <ConfirmDialog
        open={open === "remove"}
        title={say(words.remove)}
        confirm={say(words.removeYes)}
        danger
        busy={busy}
        onConfirm={() => void remove()}
        onClose={() => setOpen(null)}
      >
        <p>{say(words.removeWhy)}</p>
      </ConfirmDialog>
      {open === "suspend" && <SuspendPerson user={author} onClose={() => setOpen(null)} />}
    </>
  );
}
