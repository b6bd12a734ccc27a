import { act, render, screen } from "@testing-library/react";
import { StrictMode } from "react";
import { beforeEach, expect, test } from "vitest";
import { mailLink, useFragment } from "./useFragment";

const TOKEN = `${"aB3_-".repeat(8)}xyz`;
const Shown = () => <p>{useFragment()}</p>;
const shown = (): string => screen.getByRole("paragraph").textContent;

beforeEach(() => history.replaceState({ step: 3 }, "", "/"));

test("a link's token is read once and removed from the address; the history entry stays", () => {
  history.replaceState({ step: 3 }, "", `/reset?x=1#${TOKEN}`);
  render(
    <StrictMode>
      <Shown />
    </StrictMode>,
  );
  expect(shown()).toBe(`#${TOKEN}`);
  expect(location.pathname + location.search + location.hash).toBe("/reset?x=1");
  expect(history.state).toEqual({ step: 3 });
});

test("another link on the same page has another token", () => {
  history.replaceState(null, "", `/reset#${TOKEN}`);
  render(<Shown />);
  history.replaceState(null, "", `/reset#${"n".repeat(43)}`);
  act(() => void dispatchEvent(new Event("hashchange")));
  expect(shown()).toBe(`#${"n".repeat(43)}`);
  expect(location.hash).toBe("");
});

test("only the server's format is read as a token", () => {
  expect(mailLink(`#${TOKEN}`)).toEqual({ isUndo: false, token: TOKEN });
  expect(mailLink(`#undo-${TOKEN}`)).toEqual({ isUndo: true, token: TOKEN });
  // A token may begin with any letters.
  expect(mailLink(`#undo-${"a".repeat(38)}`)).toEqual({ isUndo: false, token: `undo-${"a".repeat(38)}` });
  for (const other of ["", "#", "#short", `#${TOKEN}a`, `#${TOKEN.slice(1)}+`, `#redo-${TOKEN}`])
    expect(mailLink(other)).toBeNull();
});
