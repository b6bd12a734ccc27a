// The texts of pages for unknown addresses, users and posts.

export const notFound = {
  page: "Page not found",
  pageWhy: "This page is gone, or it was never here.",
  user: "User not found",
  userWhy: "Nobody is here under this address, or no longer.",
  home: "Back to Home",
  people: "Find people",
} as const;
