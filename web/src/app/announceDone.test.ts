import { beforeEach, expect, test } from "vitest";
import { RefusedError } from "../engine/ask";
import { onAnnounce } from "../ui/announce";
import { announceDone } from "./announceDone";

const said: string[] = [];
onAnnounce("polite", ({ text }) => said.push(text));

beforeEach(() => {
  said.length = 0;
});

test("a post that was shared, and a comment that was sent or deleted, are announced", () => {
  announceDone("posts.create", null);
  announceDone("comments.create", null);
  announceDone("comments.delete", null);
  expect(said).toEqual(["Post shared", "Comment posted", "Comment deleted"]);
});

test("what a toast or the screen says already is not announced twice, and neither is a refusal", () => {
  for (const op of ["posts.delete", "posts.update", "saved.set", "votes.set", "polls.create"] as const)
    announceDone(op, null);
  announceDone("comments.create", new RefusedError("slow_down", "Try again in 40 seconds."));
  expect(said).toEqual([]);
});
