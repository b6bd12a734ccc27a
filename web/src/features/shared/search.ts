/** The pause in typing before a search is sent. */
export const TYPING_PAUSE_MS = 350;
