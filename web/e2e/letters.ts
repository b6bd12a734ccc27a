// Reads the mails that users receive. Without a mail server each mail is a file in the `outbox` folder of the
// data directory. A file is complete when it appears.

import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";

import { expect } from "@playwright/test";

export type Letter = { to: string; subject: string; text: string; html: string };

type Subject = "Reset your password" | "Confirm your new email" | "Your email is about to change";

/** Returns every mail, the oldest first. */
export function letters(): Letter[] {
  const folder = join(process.env["E2E_DATA"] ?? "", "outbox");
  const age = (name: string) => Number(name.split("-")[0]);
  try {
    const names = readdirSync(folder).filter((name) => name.endsWith(".eml"));
    return names
      .sort((a, b) => age(a) - age(b))
      .map((name) => read(readFileSync(join(folder, name), "utf8")));
  } catch {
    return [];
  }
}

/** Waits for the `nth` mail to a user with this subject. Returns its link. */
export async function link(to: string, subject: Subject, nth = 1): Promise<string> {
  const theirs = () => letters().filter((letter) => letter.to === to && letter.subject === subject);
  await expect.poll(() => theirs().length).toBeGreaterThanOrEqual(nth);
  const { text = "", html = "" } = theirs()[nth - 1] ?? {};
  const alone = text.split("\n").filter((line) => line.includes("://"));
  expect(alone, "one link, alone on its line").toHaveLength(1);
  expect(alone[0]).toMatch(/^http:\/\/[^/ ]+\/(reset|verify)#(undo-)?[\w-]{43}$/);
  expect(html, "the same link, to press").toContain(`href="${alone[0]}"`);
  return alone[0] ?? "";
}

function read(mail: string): Letter {
  const lines = mail.replaceAll("\r\n", "\n");
  const header = (name: string) => new RegExp(`^${name}: (.*)$`, "m").exec(lines)?.[1] ?? "";
  const [, boundary = ""] = /boundary="([^"]+)"/.exec(lines) ?? [];
  const [, text = "", html = ""] = lines
    .split(`--${boundary}`)
    .map((part) => part.slice(part.indexOf("\n\n") + 2));
  return { to: header("To"), subject: header("Subject"), text, html };
}
