import { cleanup, fireEvent, render, screen } from "@testing-library/react";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { RefusedError } from "../../engine/ask";
import { store } from "../../engine/store";
import { aView, anasFeed } from "../../testing/fixtures";
import { PositiveCount } from "./PositiveCount";
import { Vibes } from "./Vibes";
import { nextVote } from "./api";

const ask = vi.hoisted(() => vi.fn());
vi.mock("../../engine/client", () => ({ ask, client: {} }));

const pressed = (name: string) => screen.getByRole("button", { name }).getAttribute("aria-pressed");

beforeEach(() => {
  ask.mockReset();
});
afterEach(cleanup);

describe("vibes", () => {
  test("are cleared by a press on the chosen button, and replaced by a press on the other", () => {
    expect(nextVote("none", "positive")).toBe("positive");
    expect(nextVote("positive", "positive")).toBe("none");
    expect(nextVote("negative", "positive")).toBe("positive");
    expect(nextVote("positive", "negative")).toBe("negative");
    expect(nextVote("negative", "negative")).toBe("none");
  });

  test("are shown at once, are disabled while the vote is sent, and set a value, not a toggle", async () => {
    store.setState(anasFeed([aView(100)]), true);
    let answer: (ok: object) => void = () => undefined;
    ask.mockReturnValue(new Promise((resolve) => (answer = resolve)));
    render(<Vibes postId={100} />);
    fireEvent.click(screen.getByRole("button", { name: "Positive Vibes" }));
    expect(pressed("Positive Vibes")).toBe("true");
    expect(screen.getByRole<HTMLButtonElement>("button", { name: "Negative Vibes" }).disabled).toBe(true);
    expect(ask.mock.calls[0]).toMatchObject(["votes.set", { post_id: 100, vote: "positive" }]);
    answer({ post_id: 100, vote: "positive", seq: 12 });
    await vi.waitFor(() =>
      expect(screen.getByRole<HTMLButtonElement>("button", { name: "Negative Vibes" }).disabled).toBe(false),
    );
    expect(pressed("Positive Vibes")).toBe("true");
  });

  test("show the old vote after a refusal, and say why beside the buttons", async () => {
    store.setState(anasFeed([aView(100, { vote: "negative" })]), true);
    ask.mockRejectedValueOnce(new RefusedError("not_found", "That isn't available."));
    render(<Vibes postId={100} />);
    fireEvent.click(screen.getByRole("button", { name: "Positive Vibes" }));
    expect((await screen.findByRole("alert")).textContent).toBe("That didn't go through. Please try again.");
    expect(pressed("Negative Vibes")).toBe("true");
    ask.mockRejectedValueOnce(new RefusedError("slow_down", "Try again in 40 seconds.", null, 40_000));
    fireEvent.click(screen.getByRole("button", { name: "Positive Vibes" }));
    expect(screen.queryByRole("alert")).toBe(null);
    expect((await screen.findByRole("alert")).textContent).toBe("Try again in 40 seconds.");
  });

  test("have a count beside them only on the viewer's own profile", () => {
    store.setState(anasFeed([aView(100, { author_id: 1, positive_count: 3 })]), true);
    render(<Vibes postId={100} />);
    expect(screen.queryByText("3 positive vibes")).toBe(null);
    render(<PositiveCount postId={100} />);
    expect(screen.getByText("3 positive vibes")).toBeTruthy();
  });
});
