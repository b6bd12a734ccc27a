// The texts of the first screen of a guest.

export const welcome = {
  title: "Welcome to Mellow",
  lead: "A small social network that is kind to your attention. People come, say something, and are let go.",
  join: "Create an account",
  blurbs: [
    {
      title: "Chronological feed",
      text: "Posts from the people you follow, newest first. Nothing is ranked for you, and the page has an end.",
    },
    {
      title: "Chill vibes",
      text: "A positive or a negative vibe, and words. No scoreboards: only you see how your posts were received.",
    },
    {
      title: "Quality over quantity",
      text: "A few photos and a thought that took its time. There is room to write, and no hurry to.",
    },
    {
      title: "Digital well-being",
      text: "No endless scroll, no streaks, nothing that plays by itself. When you have seen it all, Mellow says so.",
    },
  ],
} as const;
