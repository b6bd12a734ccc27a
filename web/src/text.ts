// The English words that more than one place says, and those of the shell. Words that belong to one
// feature stand in that feature. Calm, short, in the second person; no exclamation marks except where
// the specification has them.

export const common = {
  cancel: "Cancel",
  close: "Close",
  tryAgain: "Try again",
  notLoaded: "Couldn't load this. Try again.",
  showPassword: "Show password",
  messages: "Messages",
  loading: "Loading",
} as const;

export const shell = {
  name: "Mellow",
  skip: "Skip to content",
  logIn: "Log In",
  signUp: "Sign Up",
  logOut: "Log Out",
  accountMenu: "Account menu",
  viewProfile: "View Profile",
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
  // Spoken once; other words than the ones on screen, so that nobody finds the same sentence twice.
  gone: "The connection is gone. What you typed is kept.",
  back: "You're back online.",
  tryNow: "Try now",
} as const;

export const account = {
  email: "Email",
  password: "Password",
  name: "What should people call you?",
  nameHint: "Optional. You can change it later.",
  passwordHint: "At least 10 characters. A few plain words work well.",
  logInFailed: "Error logging in. Please try again.",
  signUpFailed: "Your account could not be made just now. Your words are kept. Please try again.",
  forgot: "Forgot your password?",
  newHere: "New here?",
  haveAccount: "Already have an account?",
  ended: "Your login has ended. Log in again and everything you were writing is still here.",
} as const;

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
