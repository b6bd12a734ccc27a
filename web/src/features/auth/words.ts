// The texts of the pages that links in mails open.

export const forgot = {
  title: "Reset your password",
  lead: "Tell us the email of your account, and we send a link that lets you choose a new password.",
  send: "Send Reset Link",
  sent: "If that address has an account, a link is on its way.",
  failed: "The link could not be sent just now. Please try again.",
  remembered: "Remembered it?",
} as const;

export const reset = {
  title: "Choose a new password",
  lead: "With the old password all your logins end. You log in again with the new one.",
  password: "New password",
  removePasskeys: "Remove my passkeys too",
  save: "Save Password",
  saved: "Password changed. Please log in.",
  failed: "Your password could not be changed just now. Please try again.",
} as const;

export const link = {
  expired: "This link has expired.",
  why: "A link works once, and only for a while.",
  another: "Ask for another link",
} as const;

export const confirm = {
  title: "Confirm your new email",
  lead: "From then on you log in with this address, and mail from Mellow goes there.",
  press: "Confirm Email",
  done: "Your email is updated.",
  toSettings: "Go to Settings",
} as const;

export const undo = {
  title: "Undo the email change",
  lead: "Your account keeps the address this mail was sent to.",
  press: "Keep my old email",
  done: "Your old email is back.",
} as const;

export const mail = {
  failed: "That did not work just now. Please try again.",
  goOn: "Go on",
} as const;
