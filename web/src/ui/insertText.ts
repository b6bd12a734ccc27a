/**
 * Puts a text into a field in place of a part of what is there, as if it were typed. The field tells of it like of
 * any other input, and the browser's own undo takes it back, and then what was typed before.
 */
export function insertText(
  field: HTMLInputElement | HTMLTextAreaElement,
  from: number,
  to: number,
  text: string,
): void {
  field.focus();
  field.setSelectionRange(from, to);
  const isDone =
    text === "" ? document.execCommand?.("delete") : document.execCommand?.("insertText", false, text);
  if (isDone) return;
  field.setRangeText(text, from, to, "end");
  field.dispatchEvent(new InputEvent("input", { bubbles: true }));
}
