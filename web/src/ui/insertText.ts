/**
 * Replaces a part of a field's text as if the new text were typed. The field sends its usual input event, and
 * the browser's undo takes back this change, and then what was typed before.
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
