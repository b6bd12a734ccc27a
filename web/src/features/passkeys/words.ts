// The texts of passkeys in Settings. Messages that the product prescribes are exact.

export const words = {
  list: "Passkeys",
  none: "You have no passkeys.",
  elsewhere: "Passkeys don't work at this address. They need a host name with https, or localhost.",
  added: "Added {day}",
  used: "Last used {day}",
  unused: "Not used yet",
  host: "For {host}",
  add: "Add Passkey",
  name: "Name",
  password: "Current password",
  isAdded: "Passkey added",
  notAdded: "The passkey was not added.",
  thereAlready: "This device already has a passkey here.",
  rename: "Rename",
  newName: "Passkey name",
  save: "Save",
  remove: "Remove",
  removeOne: "Remove {name}",
  use: "Use a Passkey",
  isRemoved: "Passkey removed",
  wrongPassword: "Incorrect password. Please try again.",
  failed: "That didn't go through. Please try again.",
} as const;

/** Longest name of a passkey, in characters. */
export const NAME_CHARS_MAX = 40;
