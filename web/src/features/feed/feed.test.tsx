import { act, cleanup, fireEvent, render, screen, within } from "@testing-library/react";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { RefusedError } from "../../engine/ask";
import { apply } from "../../engine/apply";
import { store, update } from "../../engine/store";
import { aMe, ANA, anasFeed, aPost, aView, BEN, created, toFamily } from "../../testing/fixtures";
import { pend } from "../shared/pending";
import { insertWaiting, refreshFirstPage } from "../shared/posts/read";
import { setView } from "../shared/posts/posts";
import type { ListView } from "../shared/posts/types";
import { emptyState } from "../../engine/feature";
import { toasts } from "../../testing/toasts";
import { onAnnounce } from "../../ui/announce";
import { toastList } from "../../ui/toast";
import { useItemIsReady } from "../../ui/Near";
import { YourSpace } from "./YourSpace";

const ask = vi.hoisted(() => vi.fn());
vi.mock("../../engine/client", () => ({
  ask,
  client: { onScreen: () => () => undefined, tidy: () => undefined },
}));

const card = (id: number) => <article>{`card ${id}`}</article>;
const listed = () =>
  within(screen.getByRole("list", { name: "Posts" }))
    .getAllByRole("listitem")
    .map((item) => item.textContent);

function page(more: object = {}) {
  return { posts: [], users: [ANA, BEN], groups: [], older: null, follows_anyone: true, seq: 10, ...more };
}

beforeEach(() => {
  ask.mockReset();
  store.setState({ ...emptyState(), session: { phase: "signed-in", me: aMe() } }, true);
});
afterEach(cleanup);

function Box() {
  return <i>{useItemIsReady() ? "box" : "place of a box"}</i>;
}

describe("Your Space", () => {
  test("has the box of an unsent comment at once, however far down, because it is higher than its place", async () => {
    vi.stubGlobal(
      "IntersectionObserver",
      class {
        observe() {}
        disconnect() {}
      },
    );
    const ids = Array.from({ length: 20 }, (_, at) => 120 - at);
    update((s) => ({ ...s, drafts: { 101: "half a thought" } }));
    ask.mockResolvedValue(page({ posts: ids.map((id) => aView(id)) }));
    render(
      <YourSpace
        tag={null}
        card={(id) => (
          <article>
            <b>{`${id} `}</b>
            <Box />
          </article>
        )}
      />,
    );
    await vi.waitFor(() => expect(listed()).toHaveLength(20));
    expect(listed().filter((text) => text?.endsWith("place of a box"))).not.toEqual([]);
    expect(listed().at(-1)).toBe("101 box");
    vi.unstubAllGlobals();
  });

  test("has the posts before what is beside them in a wide window, and after it in a narrow one", async () => {
    let isWide = true;
    let turned = (): void => undefined;
    vi.spyOn(globalThis, "matchMedia").mockImplementation(
      () =>
        ({
          matches: isWide,
          addEventListener: (_: string, listener: () => void) => (turned = listener),
          removeEventListener: () => undefined,
        }) as unknown as MediaQueryList,
    );
    ask.mockResolvedValue(page({ posts: [aView(101)] }));
    const { container } = render(
      <YourSpace tag={null} card={() => <input name="post" />} beside={<input name="mood" />} />,
    );
    await screen.findByText("You're all caught up.");
    const boxes = () => [...container.querySelectorAll("input")].map(({ name, value }) => `${name} ${value}`);
    for (const box of container.querySelectorAll("input")) box.value = "half";
    expect(boxes()).toEqual(["post half", "mood half"]);
    isWide = false;
    act(turned);
    expect(boxes()).toEqual(["mood half", "post half"]);
  });

  test("says that it loads, and then shows the posts and an end", async () => {
    let answer: (ok: object) => void = () => undefined;
    ask.mockReturnValue(new Promise((resolve) => (answer = resolve)));
    render(<YourSpace tag={null} card={card} />);
    expect(screen.getByText("Loading posts")).toBeTruthy();
    answer(page({ posts: [aView(101), aView(100)] }));
    expect(await screen.findByText("You're all caught up.")).toBeTruthy();
    expect(listed()).toEqual(["card 101", "card 100"]);
    expect(screen.getByRole("link", { name: "Create Post" }).getAttribute("href")).toBe("/create-post");
  });

  test("is read after a follow that was pressed before it, so that it has the posts of whom Ana follows now", async () => {
    update((s) => pend(s, "follows", 2, true));
    ask.mockResolvedValue(page({ posts: [aView(101)] }));
    render(<YourSpace tag={null} card={card} />);
    await act(() => Promise.resolve());
    expect(ask).not.toHaveBeenCalled();
    expect(screen.getByText("Loading posts")).toBeTruthy();
    act(() => update((s) => pend(s, "follows", 2, null)));
    expect(await screen.findByText("You're all caught up.")).toBeTruthy();
    expect(listed()).toEqual(["card 101"]);
  });

  test("d-u3: has no button for new posts in quiet hours, and is read when it is opened", async () => {
    const quietMe = aMe({ quiet_until_ms: 5_000 });
    const announced: string[] = [];
    const stop = onAnnounce("polite", ({ text }) => announced.push(text));
    store.setState(anasFeed([aView(100)]), true);
    update((s) => apply(s, created(11, aPost(101))));
    update((s) => ({ ...s, session: { ...s.session, me: quietMe } }));
    ask.mockResolvedValue(page({ posts: [aView(102), aView(101), aView(100)], seq: 12 }));
    render(<YourSpace tag={null} card={card} />);
    expect(screen.queryByRole("button", { name: "1 new post" })).toBe(null);
    await vi.waitFor(() => expect(listed()).toEqual(["card 102", "card 101", "card 100"]));
    expect(screen.queryByText("You're all caught up.")).toBe(null);
    act(() => update((s) => apply(s, created(13, aPost(103)))));
    expect(screen.queryByRole("button", { name: "1 new post" })).toBe(null);
    expect(announced).toEqual([]);
    act(() => update((s) => ({ ...s, session: { ...s.session, me: aMe() } })));
    expect(screen.getByRole("button", { name: "1 new post" })).toBeTruthy();
    stop();
  });

  test("d-u4: is read again by the button for new posts if posts may be missing between", async () => {
    store.setState(anasFeed([aView(100)]), true);
    const night = page({ posts: [aView(132), aView(131)], older: 131, seq: 12 });
    render(<YourSpace tag={null} card={card} />);
    act(() => update((s) => refreshFirstPage(s, "feed:", night)));
    ask.mockResolvedValue(night);
    fireEvent.click(screen.getByRole("button", { name: "2 new posts" }));
    await vi.waitFor(() => expect(listed()).toEqual(["card 132", "card 131"]));
    expect(ask.mock.calls).toEqual([["posts.feed", { tag: null, before: null }]]);
    expect(screen.getByRole("button", { name: "Show older posts" })).toBeTruthy();
  });

  test("renders the first post alone, and then the others", async () => {
    store.setState(anasFeed([aView(302), aView(301), aView(300)]), true);
    render(<YourSpace tag={null} card={card} />);
    expect(listed()).toEqual(["card 302"]);
    expect(await screen.findByText("You're all caught up.")).toBeTruthy();
    expect(listed()).toEqual(["card 302", "card 301", "card 300"]);
  });

  test("shows no end while there are older posts", async () => {
    ask.mockResolvedValueOnce(page({ posts: [aView(101)], older: 101 }));
    render(<YourSpace tag={null} card={card} />);
    fireEvent.click(await screen.findByRole("button", { name: "Show older posts" }));
    expect(screen.queryByText("You're all caught up.")).toBe(null);
    ask.mockResolvedValueOnce(page({ posts: [aView(99)] }));
    await vi.waitFor(() => expect(ask).toHaveBeenCalledTimes(2));
    expect(ask.mock.calls[1]).toMatchObject(["posts.feed", { tag: null, before: 101 }]);
  });

  test("has three headings for three reasons to be empty", async () => {
    ask.mockResolvedValue(page({ follows_anyone: false }));
    render(<YourSpace tag={null} card={card} />);
    expect(await screen.findByRole("heading", { name: "It's quiet here." })).toBeTruthy();
    expect(screen.getByRole("link", { name: "Find people" }).getAttribute("href")).toBe("/search");
    cleanup();
    store.setState(anasFeed([]), true);
    render(<YourSpace tag={null} card={card} />);
    expect(screen.getByRole("heading", { name: "Nothing new." })).toBeTruthy();
    cleanup();
    ask.mockResolvedValue(page());
    render(<YourSpace tag="tea" card={card} />);
    expect(await screen.findByRole("heading", { name: "No posts with #tea yet." })).toBeTruthy();
    expect(
      within(screen.getByRole("region", { name: "Tag filter" })).getByRole("button", {
        name: "Clear filter",
      }),
    ).toBeTruthy();
  });

  test("d-m1: says that loading failed, and can try again", async () => {
    ask.mockRejectedValueOnce(new RefusedError("timeout", "Too long."));
    render(<YourSpace tag={null} card={card} />);
    const again = await screen.findByRole("button", { name: /try again/i });
    ask.mockResolvedValueOnce(page({ posts: [aView(100)] }));
    fireEvent.click(again);
    expect(await screen.findByText("card 100")).toBeTruthy();
  });

  test("c25: a new post shows the button and moves nothing; a press lists the post and scrolls to it", async () => {
    store.setState(anasFeed([aView(100)]), true);
    render(<YourSpace tag={null} card={card} />);
    update((s) => apply(apply(s, created(11, aPost(101))), created(12, aPost(102))));
    const pill = await screen.findByRole("button", { name: "2 new posts" });
    expect(listed()).toEqual(["card 100"]);
    ask.mockResolvedValueOnce({
      posts: [aView(102), aView(101)],
      users: [BEN],
      groups: [],
      gone: [],
      seq: 13,
    });
    fireEvent.click(pill);
    expect(await screen.findByText("card 102")).toBeTruthy();
    expect(listed()).toEqual(["card 102", "card 101", "card 100"]);
    expect(screen.queryByRole("button", { name: "2 new posts" })).toBe(null);
    expect(document.activeElement?.textContent).toBe("card 102");
  });

  test("a press on the button for new posts says it if they could not be loaded", async () => {
    toastList.clear();
    store.setState(anasFeed([aView(100)]), true);
    render(<YourSpace tag={null} card={card} />);
    act(() => update((s) => apply(s, created(20, aPost(200)))));
    ask.mockRejectedValue(new RefusedError("timeout", "That took too long.", null, 0));
    fireEvent.click(await screen.findByRole("button", { name: "1 new post" }));
    await vi.waitFor(() => expect(toasts()).toEqual(["Couldn't load this. Try again."]));
    expect(screen.getByRole("button", { name: "1 new post" })).toBeTruthy();
  });

  test("c25: a new post behind the button renders no card again", async () => {
    store.setState(anasFeed([aView(100)]), true);
    const drawn = vi.fn(card);
    render(<YourSpace tag={null} card={drawn} />);
    expect(drawn).toHaveBeenCalledWith(100);
    drawn.mockClear();
    update((s) => apply(s, created(11, aPost(101))));
    expect(await screen.findByRole("button", { name: "1 new post" })).toBeTruthy();
    expect(drawn).not.toHaveBeenCalled();
  });

  test("c25: a post that was evicted from the top of a long list does not show the button when it is replayed", async () => {
    const many = (from: number, count: number) => Array.from({ length: count }, (_, at) => aView(from - at));
    const state = anasFeed(many(999, 259));
    store.setState(
      insertWaiting(apply(state, created(11, aPost(1_000))), "feed:", [1_000], {
        posts: [aView(1_000)],
        users: [],
        groups: [],
        gone: [],
        seq: 11,
      }),
      true,
    );
    update((s) => setView(s, "feed:", { ...(s.views["feed:"] as ListView), older: 741 }));
    render(<YourSpace tag={null} card={card} />);
    ask.mockResolvedValueOnce(page({ posts: many(740, 30) }));
    // The search by role looks at each of the 300 cards again after each that is drawn.
    fireEvent.click(await screen.findByText("Show older posts"));
    expect(await screen.findByText("card 711")).toBeTruthy();
    expect(screen.queryByText("card 1000")).toBe(null);
    update((s) => apply(s, created(11, aPost(1_000))));
    expect(screen.queryByRole("button", { name: /new post/ })).toBe(null);
    update((s) => apply(s, created(12, aPost(1_001))));
    expect(await screen.findByRole("button", { name: "1 new post" })).toBeTruthy();
  });

  test("d-b11: posts of an unfollowed user stay with a note; posts of a group stay as they are", async () => {
    store.setState(anasFeed([aView(101, { audience: toFamily }), aView(100)]), true);
    ask.mockResolvedValue(page({ posts: [aView(100)] }));
    render(<YourSpace tag={null} card={card} />);
    update((s) => apply(s, { ev: "follows.changed", seq: 11, user_id: 2, following: false }));
    expect((await screen.findByText(/You no longer follow/)).parentElement?.textContent).toBe(
      "You no longer follow Ben",
    );
    expect(screen.getByText("card 100")).toBeTruthy();
  });
});
