// The texts of the admin's page.

import type { Act, Reason } from "../../engine/types.gen";
import { many } from "../../say";

export const TABS = ["people", "reports", "invitations", "theme", "health", "log"] as const;
export type Tab = (typeof TABS)[number];

export const words = {
  admin: "Admin",
  tabs: {
    people: "People",
    reports: "Reports",
    invitations: "Invitations",
    theme: "Theme",
    health: "Health",
    log: "Log",
  },
  more: "Show more",
  failed: "That did not work just now. Please try again.",
  wrongPassword: "Incorrect password. Please try again.",
  copy: "Copy Link",
  copied: "Link copied to clipboard!",
  notCopied: "Unable to copy link. Please copy manually: {link}",
} as const;

export const people = {
  search: "Search people",
  none: "Nobody found",
  joined: "Joined {day}",
  invitedBy: "Invited by {name}",
  id: "Id {id}",
  suspended: "Suspended",
  admin: "Admin",
  suspend: "Suspend",
  unsuspend: "Unsuspend",
  delete: "Delete",
  endLogins: "End Logins",
  resetLink: "Reset Link",
  suspendWhom: "Suspend {name}",
  suspendWhy:
    "They are logged out at once and cannot log in. To everybody else they and all of theirs are as if gone. Nothing is deleted.",
  deleteWhom: "Delete {name}",
  deleteWhy: "The account and all its data are deleted at once, and for good.",
  password: "Current password",
  linkName: "Reset link",
  linkWhy: "Whoever opens it sets a new password. It works once, for 30 minutes. Hand it over yourself.",
  wasSuspended: "User suspended",
  wasUnsuspended: "User unsuspended",
  wasDeleted: "Account deleted successfully",
  loginsEnded: "Logins ended",
} as const;

export const reports = {
  none: "No open reports.",
  reasons: {
    spam: "Spam",
    harassment: "Harassment",
    hate: "Hate or violence",
    private: "Private information",
    other: "Something else",
  } as const satisfies Record<Reason, string>,
  by: "Reported by {name}",
  kinds: {
    post: "Post by {name}",
    comment: "Comment by {name}",
    poll: "Poll by {name}",
    user: "Profile of {name}",
  },
  more: "Read more",
  less: "Read less",
  view: "View",
  dismiss: "Dismiss",
  remove: "Remove Content",
  removeWhy: "It is deleted for everybody, at once and for good.",
  removeYes: "Remove",
  dismissed: "Report dismissed",
  removed: "Content removed",
} as const;

export const invitations = {
  none: "No invitations yet.",
  create: "Create Invitation",
  by: "By {name}",
  byCommand: "By Command line",
  ends: "Ends {day}",
  neverEnds: "Never ends",
  uses: (uses: number, max: number | null): string =>
    max === null
      ? many(uses, "{n} use", "{n} uses")
      : many(max, "{uses} of {n} use", "{uses} of {n} uses", { uses }),
  copied: "Invitation link copied to clipboard!",
  revoke: "Revoke",
  revoked: "Invitation revoked",
} as const;

export const theme = {
  list: "Theme schedule",
  none: "No theme",
  edit: "Edit",
  clear: "Clear",
  title: "Title",
  description: "Description",
  tag: "Tag",
  save: "Save",
} as const;

export const health = {
  list: "Health",
  sockets: "Live sockets",
  socketsAt: "Sockets at {front}",
  queue: "Writer queue",
  database: "Database size",
  media: "Media size",
  free: "Free disk",
  backup: "Last backup",
  version: "Version",
  never: "None yet",
  failed: "The newest try failed: {why}",
  mailWaits: "Mails wait: {why}",
  unknown: "Unknown",
  backUp: "Back Up Now",
  backedUp: "Backup made",
  backups: "Backups",
  noBackups: "No backups yet.",
} as const;

/** The sentence for a change. */
export const acts = {
  promoted: "{admin} made {user} an admin",
  demoted: "{admin} took admin rights from {user}",
  suspended: "{admin} suspended {user}",
  unsuspended: "{admin} unsuspended {user}",
  deleted: "{admin} deleted an account",
  logins_ended: "{admin} ended the logins of {user}",
  reset_link: "{admin} made a password link for {user}",
  passkeys_removed: "{admin} removed the passkeys of {user}",
  invite_made: "{admin} made an invitation",
  invite_revoked: "{admin} revoked an invitation",
  theme_set: "{admin} set a theme",
  theme_cleared: "{admin} cleared a theme",
  report_dismissed: "{admin} dismissed a report about {user}",
  content_removed: "{admin} removed content of {user}",
  backed_up: "{admin} made a backup",
} as const satisfies Record<Act, string>;

/** The sentence for a change of an account that is gone, or of none. */
export const actsOnGone = {
  ...acts,
  promoted: "{admin} made somebody whose account is gone an admin",
  demoted: "{admin} took admin rights from somebody whose account is gone",
  suspended: "{admin} suspended somebody whose account is gone",
  unsuspended: "{admin} unsuspended somebody whose account is gone",
  logins_ended: "{admin} ended the logins of somebody whose account is gone",
  reset_link: "{admin} made a password link for somebody whose account is gone",
  passkeys_removed: "{admin} removed the passkeys of somebody whose account is gone",
  report_dismissed: "{admin} dismissed a report about somebody whose account is gone",
  content_removed: "{admin} removed content of somebody whose account is gone",
} as const satisfies Record<Act, string>;

export const log = {
  list: "Admin log",
  none: "Nothing was changed yet.",
  commandLine: "Command line",
  formerAdmin: "A former admin",
} as const;
