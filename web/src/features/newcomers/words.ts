// The texts for a new user.

export const steps = {
  title: "Getting started",
  list: "First steps",
  photo: "Add a photo",
  photoWhy: "So people know it is you",
  follow: "Find people to follow",
  followWhy: "Follow somebody, and Your Space fills",
  invite: "Invite someone",
  inviteWhy: "A link that you hand over yourself",
  answer: "Answer today's theme",
  done: "Done",
  allDone: "You're all set.",
  dismiss: "Dismiss",
  failed: "This could not be saved just now. Please try again.",
} as const;

export const inviter = {
  title: "Follow {name}?",
  lead: "They invited you. If you follow them, you see their posts in Your Space.",
  follow: "Follow",
  notNow: "Not now",
  followed: "You follow {name} now.",
  posts: "See their posts",
} as const;
