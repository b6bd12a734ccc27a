// The line about what another device did with the viewer's account, until it is answered on this one (D-V6).
//
// Promises: it takes neither the focus nor room in the page. A newer line does not take the place of the one that is
// read: it comes when that one is answered, and the second press of a double one does not answer it.

import type { MouseEvent, ReactNode } from "react";
import { Fragment, useEffect, useRef, useState, useSyncExternalStore } from "react";
import { ask } from "../../engine/client";
import { newKey } from "../../engine/keys";
import { RefusedError } from "../../engine/refused";
import { refusalText } from "../../engine/refusalText";
import { isQuiet } from "../../engine/state";
import { useStore } from "../../engine/store";
import type { Notice as AnyNotice } from "../../engine/types.gen";
import { say, useLanguage } from "../../say";
import { Button } from "../../ui/Button";
import { Notice } from "../../ui/Notice";
import { Say } from "../../ui/Say";
import { catchFocus } from "../../ui/focus";
import { toast } from "../../ui/toast";
import { Device } from "../shared/device";
import { SendingNote } from "../shared/sending";
import { noticeList } from "./list";

type Answer = "notices.answer" | "notices.end_login";

export function AccountNotice() {
  useLanguage();
  const notices = useSyncExternalStore(noticeList.watch, noticeList.get);
  const isSilent = useStore(isQuiet);
  const [busy, setBusy] = useState(false);
  // Where the focus was before it came into the line.
  const before = useRef<EventTarget | null>(null);
  const notice = notices.at(-1);
  const isShown = notice !== undefined;
  useEffect(() => {
    if (!isShown) before.current = null;
  }, [isShown]);

  const answer = async (op: Answer, id: number, button: HTMLElement): Promise<void> => {
    const back = before.current;
    setBusy(true);
    try {
      await ask(op, { key: newKey(), notice_id: id });
      noticeList.drop(id);
      if (op === "notices.end_login") toast(say("Login ended"));
    } catch (error) {
      // A person who has logged out meanwhile is told nothing.
      if (!(error instanceof RefusedError && error.code === "abandoned"))
        toast(refusalText(error, say("That didn't go through. Please try again.")), { error: true });
    }
    setBusy(false);
    catchFocus(() => {
      // The line is still there if it was not answered.
      if (button.isConnected) return button;
      return back instanceof HTMLElement && back.isConnected ? back : document.querySelector("main");
    });
  };
  // The second press of a double one would answer the next line, which nobody has read.
  const press =
    (op: Answer, id: number) =>
    ({ detail, currentTarget }: MouseEvent<HTMLElement>): void => {
      if (detail < 2) void answer(op, id, currentTarget);
    };

  return (
    <Notice
      label={say("Account notice")}
      text={notice === undefined ? null : textOf(notice)}
      isQuiet={isSilent}
      onFocusFrom={(element) => {
        // After a press on a button that was disabled, the focus comes from nowhere.
        if (element !== null) before.current = element;
      }}
    >
      {notice !== undefined && (
        // Each line has its own buttons, so that the focus does not stay for the next one.
        <Fragment key={notice.id}>
          <Button variant="quiet" small busy={busy} onClick={press("notices.answer", notice.id)}>
            {say("That was me")}
          </Button>
          {notice.kind === "login" && (
            <Button small busy={busy} onClick={press("notices.end_login", notice.id)}>
              {say("Log It Out")}
            </Button>
          )}
          <SendingNote busy={busy} still />
        </Fragment>
      )}
    </Notice>
  );
}

function textOf({ kind, text }: AnyNotice): ReactNode {
  if (kind === "login") return <Say text="New login: {device}." device={<Device name={text} />} />;
  const name = <bdi>{text}</bdi>;
  return kind === "passkey_added" ? (
    <Say text="A passkey was added: {name}." name={name} />
  ) : (
    <Say text="A passkey was removed: {name}." name={name} />
  );
}
