// The language of the account, on all its devices (D-L2).
//
// Promises: what the account chose is shown on each device, at once where it is open, and goes with its login. An account
// without a choice knows what its devices show, for its mails. While a choice is on its way, nothing that the server
// still says undoes it; a refused one is undone at once.

import { ask } from "../../../engine/client";
import { newKey } from "../../../engine/keys";
import { store, update } from "../../../engine/store";
import { chooseLanguage, chosenBy, isLanguageHere, keepChoice } from "../../../languages";
import { languageNow } from "../../../say";

/** How many choices are on their way. */
let choosing = 0;
/** The account and the language that were sent last. */
let lastSent = "";

/** Follows the account from now on. Returns how to end that. */
export function followLanguage(): () => void {
  let last = store.getState().session;
  follow();
  return store.subscribe(({ session }) => {
    if (session.me === last.me && session.phase === last.phase) return;
    last = session;
    follow();
  });
}

/** Sets the language of the account and of this device; null: each device has its own. */
export async function setLanguageOfAccount(choice: string | null): Promise<void> {
  choosing += 1;
  try {
    if (await chooseLanguage("account", choice)) await send(choice);
  } finally {
    choosing -= 1;
    follow();
  }
}

function follow(): void {
  const { me, phase } = store.getState().session;
  if (choosing > 0) return;
  if (me === null) {
    // The next person at this device has another account.
    if (phase === "guest" && chosenBy("account") !== null) take(null);
  } else if (me.language !== chosenBy("account")) take(me.language);
  else sendShown();
}

/** Takes the choice of the account. If its file is missing, the next load of the page tries again. */
function take(language: string | null): void {
  keepChoice("account", language);
  // Without its file the page stays as it is.
  chooseLanguage("account", language).then(sendShown, () => undefined);
}

/** Sends what this page shows to an account without a choice, unless it knows. */
function sendShown(): void {
  const { me } = store.getState().session;
  const now = `${String(me?.id)} ${languageNow()}`;
  if (me === null || me.language !== null || choosing > 0 || !isLanguageHere()) return;
  if (me.shown_language === languageNow() || lastSent === now) return;
  lastSent = now;
  // Its mails stay in the language that it showed before.
  send(null).catch(() => undefined);
}

async function send(choice: string | null): Promise<void> {
  const whose = store.getState().session.me?.id;
  const ok = await ask("profiles.language", { key: newKey(), language: choice, shown: languageNow() });
  const { language, shown_language } = ok;
  update((s) => {
    const { me } = s.session;
    if (me === null || me.id !== whose) return s;
    return { ...s, session: { ...s.session, me: { ...me, language, shown_language } } };
  });
}
