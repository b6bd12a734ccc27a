import { refusal } from "./card";

export type NoteProps = {
  /** The message; nothing is shown without one. */
  text: string | null | undefined;
  id?: string | undefined;
  className?: string | undefined;
};

/**
 * A message beside a control: what was refused or did not work. Screen readers read it aloud when it appears and
 * when it changes. Every message of this kind is drawn here.
 */
export function Note({ text, id, className = refusal }: NoteProps) {
  if (!text) return null;
  // A new element for each text, so that it is announced each time.
  return (
    <p key={text} role="alert" id={id} className={className}>
      {text}
    </p>
  );
}
