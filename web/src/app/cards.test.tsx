import { act, cleanup, fireEvent, render, screen, waitFor } from "@testing-library/react";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { LiveRegions } from "../ui/LiveRegions";
import { apply } from "../engine/apply";
import { store, update } from "../engine/store";
import { aPicture, aView, anasFeed } from "../testing/fixtures";
import { feedCard } from "./cards";
import { ownCard } from "./ownCard";

vi.mock("../engine/client", () => ({
  ask: vi.fn(),
  client: { onScreen: () => () => undefined, tidy: () => undefined },
}));

const pictures = [aPicture(1, { alt: "A chair" }), aPicture(2)];

beforeEach(() => {
  Element.prototype.scrollTo = () => undefined;
});
afterEach(cleanup);

describe("the whole card of a post", () => {
  test("has its pictures between the text and the vote buttons", async () => {
    store.setState(anasFeed([aView(100, { pictures })]), true);
    render(feedCard(100));
    const opener = await screen.findByRole("button", { name: "Open picture 1 of 2: A chair" });
    const words = screen.getByText("post 100");
    expect(words.compareDocumentPosition(opener) & Node.DOCUMENT_POSITION_FOLLOWING).toBeTruthy();
    expect(
      opener.compareDocumentPosition(screen.getByRole("button", { name: "Positive Vibes" })) &
        Node.DOCUMENT_POSITION_FOLLOWING,
    ).toBeTruthy();
  });

  test("can be edited by its author everywhere, and on their profile by buttons too", async () => {
    store.setState(anasFeed([aView(100, { author_id: 1 })]), true);
    render(feedCard(100));
    fireEvent.click(await screen.findByRole("button", { name: "Post menu" }));
    expect(screen.getByRole("menuitem", { name: "Edit" })).toBeTruthy();
    expect(screen.queryByRole("button", { name: "Edit" })).toBe(null);
    cleanup();
    render(ownCard(100));
    expect(screen.getByRole("button", { name: "Edit" })).toBeTruthy();
    expect(screen.getByRole("button", { name: "Delete" })).toBeTruthy();
  });

  test("says how many positive vibes it has to its author on their profile, and nowhere else", () => {
    store.setState(anasFeed([aView(100, { author_id: 1, positive_count: 3 })]), true);
    render(feedCard(100));
    expect(screen.queryByText("3 positive vibes")).toBe(null);
    cleanup();
    render(ownCard(100));
    expect(screen.getByText("3 positive vibes")).toBeTruthy();
  });

  test("closes the picture viewer and becomes one line when the post is deleted", async () => {
    store.setState(anasFeed([aView(100, { pictures })]), true);
    render(
      <>
        {feedCard(100)}
        <LiveRegions />
      </>,
    );
    const opener = await screen.findByRole("button", { name: "Open picture 2 of 2" });
    opener.focus();
    fireEvent.click(opener);
    expect(
      (await screen.findByRole("dialog", { name: "Picture viewer" })).contains(document.activeElement),
    ).toBe(true);
    act(() => update((s) => apply(s, { ev: "posts.deleted", seq: 11, post_id: 100, author_id: 2 })));
    const line = await screen.findByText("Removed");
    expect(screen.queryByRole("dialog")).toBe(null);
    expect(screen.queryByRole("article")).toBe(null);
    expect(document.activeElement).toBe(line);
    await waitFor(() => expect(screen.getByRole("status").textContent).toBe("This post was removed"));
  });
});
