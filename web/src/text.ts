// The English texts of the shell, and those that several features show. A text that belongs to one feature
// is in that feature. The tone is calm, short and in the second person, without exclamation marks except
// where the product's specification, which is not in this repository, has them.

export const common = {
  cancel: "Cancel",
  close: "Close",
  tryAgain: "Try again",
  notLoaded: "Couldn't load this. Try again.",
  showPassword: "Show password",
  messages: "Messages",
  loading: "Loading",
  notKept: "This screen wasn't kept. It opens when you're back online.",
} as const;

export const shell = {
  name: "Mellow",
  skip: "Skip to content",
  skipToPosts: "Skip to posts",
  logIn: "Log In",
  signUp: "Sign Up",
  logOut: "Log Out",
  accountMenu: "Account menu",
  viewProfile: "View Profile",
  groups: "Manage Groups",
  settings: "Settings",
  main: "Main",
  home: "Home",
  post: "Post",
  search: "Search",
  notifications: "Notifications",
  notificationsNew: "Notifications, new",
  needsLogIn: "You need to be logged in to view this page",
  freshVersion: "This page needs a fresh copy of Mellow. Reload to go on.",
  reload: "Reload",
} as const;

export const connection = {
  name: "Connection",
  live: "Live",
  reconnecting: "Reconnecting",
  offline: "You're offline. What you see may be old.",
  // Announced once. It differs from the sentence on screen, so that no sentence is on the page twice.
  gone: "The connection is gone. What you typed is kept.",
  back: "You're back online.",
  tryNow: "Try now",
} as const;
