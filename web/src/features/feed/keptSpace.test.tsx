import { render, screen } from "@testing-library/react";
import { expect, test, vi } from "vitest";
import { store } from "../../engine/store";
import { aView, anasFeed } from "../../testing/fixtures";
import { KeptSpace } from "./KeptSpace";

vi.mock("../../engine/client", () => import("../../testing/mockClient"));

test("the kept Your Space says how old it is and why its buttons do nothing, before its posts", () => {
  store.setState(anasFeed([aView(100)]), true);
  render(<KeptSpace savedMs={0} card={(id) => <p>{`post ${String(id)}`}</p>} />);
  const why = screen.getByText("You can vote and comment again then.");
  expect(why.previousElementSibling?.textContent).toMatch(
    /^Saved .+ It will update when you're back online\.$/u,
  );
  expect(why.compareDocumentPosition(screen.getByText("post 100"))).toBe(Node.DOCUMENT_POSITION_FOLLOWING);
});
