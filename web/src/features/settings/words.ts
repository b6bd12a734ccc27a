// The texts of Settings. Messages that the product prescribes are exact.

import type { Backups } from "../../engine/types.gen";
import { many, say } from "../../say";

export const titles = {
  settings: "Settings",
  sections: "Sections",
  account: "Account",
  logins: "Your logins",
  passkeys: "Passkeys",
  privacy: "Privacy",
  quiet: "Quiet hours",
  hidden: "Blocked and muted",
  invitations: "Invitations",
  language: "Language",
  timeHere: "Time here",
  look: "Look",
  data: "Your data",
  help: "Help",
} as const;

/** A title also makes the address of its section, so it is said only where it is shown. */
export type Title = (typeof titles)[keyof typeof titles];

export const hidden = {
  lead: "You and who you blocked do not see each other. What people you muted publish is not in your lists.",
  blocked: "Blocked people",
  noneBlocked: "You have blocked nobody.",
  unblock: "Unblock",
  unblocked: "User unblocked",
  muted: "Muted people",
  noneMuted: "You have muted nobody.",
  unmute: "Unmute",
  unmuted: "User unmuted",
  failed: "That didn't go through. Please try again.",
} as const;

export const email = {
  title: "Email",
  own: "You log in with {address}",
  waiting: "Waiting for you to confirm {address}",
  waitingHint: "Until you press the link in the mail we sent there, nothing changes.",
  change: "Change Email",
  lead: "We send a link to the new address. Your account moves there when you press it.",
  next: "New email",
  password: "Current password",
  passwordMissing: "Please enter your current password.",
  shape: "Please enter a valid email address.",
  wrongPassword: "Incorrect password. Please try again.",
  taken: "This email is already in use. Please use a different email.",
  failed: "Error updating email. Please try again.",
  sent: "Verification email sent! Please check your new email to complete the update.",
} as const;

export const password = {
  title: "Password",
  send: "Send Password Reset Email",
  hint: "A mail with a link that lets you choose a new password. All your logins end when you do.",
  sent: "Password reset email sent successfully!",
  failed: "Error sending password reset. Please try again.",
} as const;

/**
 * The sentence about backups of a deleted account (D-T8). It promises nothing until the host's settings are
 * known.
 */
function copies(backups: Backups | null): string {
  if (backups?.every_hours === 0) return say("copies in backups that the host may have made by hand");
  if (backups === null || backups.kept === 0)
    return say("copies in the host's backups, which the host keeps");
  const days = Math.ceil((backups.every_hours * backups.kept) / 24);
  return many(
    days,
    "copies in the host's backups, which age out after {n} day",
    "copies in the host's backups, which age out after {n} days",
  );
}

export const deletion = {
  title: "Leave Mellow",
  open: "Delete Account",
  hint: "At once and for good. You see what that means before anything happens.",
  goes: "This goes at once, for everyone:",
  gone: [
    "your profile, your photo and your email",
    "your posts with their pictures, and every comment on them",
    "your comments on other people's posts",
    "your votes, your moods, your polls and what you chose in others'",
    "the groups you own: what others shared there is theirs alone then",
    "who you follow, who follows you, and your place in others' groups",
    "your notifications, your logins and your drafts",
  ],
  stays: "This stays:",
  left: (backups: Backups | null): string[] => [
    say("where somebody mentioned you, the name they wrote, as plain text"),
    copies(backups),
  ],
  noWay: "There is no way back. You may want to take your data along first.",
  failed: "Error deleting account. Please try again.",
  done: "Account deleted successfully",
} as const;

export const logins = {
  lead: "Every browser in which you are logged in.",
  here: "This device",
  since: "Logged in {when}",
  used: "Logged in {when}, last used {used}",
  usedNow: "Logged in {when}, last used within a day",
  press: "Log Out Other Devices",
  done: "Your other devices are logged out.",
  failed: "Your other devices could not be logged out just now. Please try again.",
} as const;

export const privacy = {
  hide: "Hide numbers",
  hideHint: "Others do not see how many people follow you and how many you follow. You still do.",
  list: "List me under People",
  listHint:
    "Off, you are neither in the list under Search nor among close matches. Who types your name exactly finds you still.",
  add: "Who can add me to groups",
  adders: { followed: "People I follow", followers: "Anyone who follows me", nobody: "Nobody" },
  addHint: "People you follow can always add you, unless you choose Nobody.",
  comment: "Who can comment on my posts",
  commenters: {
    everyone: "Everyone here",
    followers: "People who follow me",
    followed: "People I follow",
  },
  commentHint: "This holds for all your posts, old ones too. In a group all members can comment.",
  left: "Groups you left",
  leftHint: "Nobody adds you to these again until you allow it.",
  allow: "Allow adding again",
  failed: "This could not be saved just now. Please try again.",
} as const;

export const quiet = {
  hint: "No sign of what is new.",
  from: "From",
  to: "To",
  days: "Days",
  zone: "Times in {zone}.",
  use: "Use {zone}",
  save: "Save",
  saved: "Quiet hours saved",
} as const;

export const invitations = {
  lead: "A link lets people make an account here. Hand it over yourself; they are asked whether to follow you.",
  create: "Create Invitation",
  none: "No invitations yet.",
  ends: "Ends {day}",
  neverEnds: "Never ends",
  uses: (uses: number, max: number | null): string =>
    max === null
      ? many(uses, "{n} use", "{n} uses")
      : many(max, "{used} of {n} use", "{used} of {n} uses", { used: uses }),
  copy: "Copy Link",
  copied: "Invitation link copied to clipboard!",
  notCopied: "Unable to copy link. Please copy manually: {link}",
  revoke: "Revoke",
  revoked: "Invitation revoked",
  failed: "The invitation could not be made just now. Please try again.",
  notRevoked: "The invitation could not be revoked just now. Please try again.",
} as const;

export const language = {
  lead: "Mellow's words and mails. What people write stays as they wrote it.",
  unchecked: "No native speaker has checked this translation yet.",
} as const;

export const look = {
  lead: "Kept on this device, for whoever uses it.",
  theme: "Theme",
  motion: "Motion",
  themes: { light: "Light", dark: "Dark", device: "Same as device" },
  motions: { full: "Full", reduced: "Reduced", device: "Same as device" },
} as const;

export const data = {
  lead: "Everything you have here in one zip file: your profile, posts, comments, votes, moods, polls, groups, follows, saved posts and notifications to read, and your pictures as they are kept.",
  press: "Export My Data",
  started: "Your archive is being downloaded. Keep it where only you can read it.",
  failed: "Your data could not be packed just now. Please try again.",
} as const;

export const help = {
  lead: "Mellow can stand on your home screen like an app. Nothing is installed from a store.",
  offline: "Opened without a network, Mellow shows Your Space as you last saw it.",
  install: "Install Mellow",
  iphone: {
    title: "iPhone",
    steps: [
      "Open Mellow in Safari.",
      "Tap Share, the square with an arrow that points up. Newer versions keep it behind the three dots.",
      "Scroll down and tap Add to Home Screen.",
      "Tap Add. Mellow is now among your apps.",
    ],
  },
  android: {
    title: "Android",
    steps: [
      "Open Mellow in Chrome.",
      "Tap the three dots at the top right.",
      "Tap Add to Home screen. Some versions ask whether to install or to make a shortcut: either is fine.",
      "Confirm with Add. In Firefox the same entry is in the menu beside the address.",
    ],
  },
  about: {
    title: "About",
    words: [
      "Mellow is a small social network that is kind to your attention. Posts of the people you follow come in the order they were written, and the page has an end.",
      "Some things are left out on purpose: nobody ranks, suggests or promotes posts; nobody sees who is online, who is typing or who has read what; there are no public scores, streaks or badges, no reposts and no direct messages; nothing plays by itself, and nothing calls you back by push or newsletter.",
      "No font, picture, counter or script comes from anybody else, and what you write is not shown to people without an account.",
    ],
  },
} as const;
