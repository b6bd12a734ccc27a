// The texts of the admin's page.

import type { Act, Reason } from "../../engine/types.gen";

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
  notCopied: (link: string): string => `Unable to copy link. Please copy manually: ${link}`,
} as const;

export const people = {
  search: "Search people",
  none: "Nobody found",
  joined: (day: string): string => `Joined ${day}`,
  invitedBy: (name: string): string => `Invited by ${name}`,
  id: (id: number): string => `Id ${id}`,
  suspended: "Suspended",
  admin: "Admin",
  suspend: "Suspend",
  unsuspend: "Unsuspend",
  delete: "Delete",
  endLogins: "End Logins",
  resetLink: "Reset Link",
  suspendWhy:
    "They are logged out at once and cannot log in. To everybody else they and all of theirs are as if gone. Nothing is deleted.",
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
  } satisfies Record<Reason, string>,
  by: (name: string): string => `Reported by ${name}`,
  kinds: { post: "Post by", comment: "Comment by", poll: "Poll by", user: "Profile of" },
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
  by: (name: string | undefined): string => `By ${name ?? "Command line"}`,
  ends: (day: string): string => `Ends ${day}`,
  neverEnds: "Never ends",
  uses: (uses: number, max: number | null): string =>
    max === null
      ? `${uses} ${uses === 1 ? "use" : "uses"}`
      : `${uses} of ${max} ${max === 1 ? "use" : "uses"}`,
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
  missing: "A theme has a title, a description and a tag.",
} as const;

export const health = {
  list: "Health",
  sockets: "Live sockets",
  queue: "Writer queue",
  database: "Database size",
  media: "Media size",
  free: "Free disk",
  backup: "Last backup",
  version: "Version",
  never: "None yet",
  failed: (why: string): string => `The newest try failed: ${why}`,
  mailWaits: (why: string): string => `Mails wait: ${why}`,
  unknown: "Unknown",
  backUp: "Back Up Now",
  backedUp: "Backup made",
  backups: "Backups",
  noBackups: "No backups yet.",
} as const;

/** The sentence for a change, with the name of the account. */
export const acts: Record<Act, (name: string) => string> = {
  promoted: (name) => `made ${name} an admin`,
  demoted: (name) => `took admin rights from ${name}`,
  suspended: (name) => `suspended ${name}`,
  unsuspended: (name) => `unsuspended ${name}`,
  deleted: () => "deleted an account",
  logins_ended: (name) => `ended the logins of ${name}`,
  reset_link: (name) => `made a password link for ${name}`,
  invite_made: () => "made an invitation",
  invite_revoked: () => "revoked an invitation",
  theme_set: () => "set a theme",
  theme_cleared: () => "cleared a theme",
  report_dismissed: (name) => `dismissed a report about ${name}`,
  content_removed: (name) => `removed content of ${name}`,
  backed_up: () => "made a backup",
};

export const log = {
  list: "Admin log",
  none: "Nothing was changed yet.",
  commandLine: "Command line",
  formerAdmin: "A former admin",
  gone: "somebody whose account is gone",
} as const;
