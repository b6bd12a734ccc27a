// The twenty-five moods, in the order of the grid. A mood is identified by its word; the emoji is decoration.

import { say } from "../../say";

export const MOODS = [
  { word: "Happy", emoji: "😊" },
  { word: "Relaxing", emoji: "😌" },
  { word: "Productive", emoji: "✅" },
  { word: "Thinking", emoji: "🤔" },
  { word: "Celebrating", emoji: "🎉" },
  { word: "Cozy", emoji: "🧣" },
  { word: "Silly", emoji: "🤪" },
  { word: "Inspired", emoji: "💡" },
  { word: "Strong", emoji: "💪" },
  { word: "Sleepy", emoji: "😴" },
  { word: "Loved", emoji: "🥰" },
  { word: "Joking", emoji: "😜" },
  { word: "Studying", emoji: "📚" },
  { word: "Listening", emoji: "🎧" },
  { word: "Meh", emoji: "😐" },
  { word: "Hopeful", emoji: "🌱" },
  { word: "Active", emoji: "🏃" },
  { word: "Gaming", emoji: "🎮" },
  { word: "Traveling", emoji: "🧳" },
  { word: "Snacking", emoji: "🍪" },
  { word: "Sad", emoji: "😢" },
  { word: "Mind Blown", emoji: "🤯" },
  { word: "Quiet", emoji: "🤫" },
  { word: "Partying", emoji: "🥳" },
  { word: "Excited", emoji: "🤩" },
] as const;

const moodOf = (word: string) => MOODS.find((mood) => mood.word === word);

export const emojiOf = (word: string): string => moodOf(word)?.emoji ?? "";

/** Says a mood as the server names it. */
export function sayMood(word: string): string {
  const mood = moodOf(word);
  return mood === undefined ? word : say(mood.word);
}

type Today = { slot: "morning" | "evening"; open: boolean; morning: string | null; evening: string | null };

/** Returns the sentence in place of the button; null if a mood may be shared. */
export function alreadySet({ slot, open, morning, evening }: Today): string | null {
  if (morning !== null && evening !== null) return say("You've set both vibes today.");
  if (slot === "evening" && evening !== null) return say("You've set your evening vibe.");
  if (slot === "morning" && morning !== null)
    return say("You've set your morning vibe. See you this evening.");
  // Somebody who travels across time zones may have used all slots of a day.
  return open ? null : say("You've set your vibes for now. See you later.");
}
