import { act, cleanup, render, screen } from "@testing-library/react";
import type { ReactNode } from "react";
import { createPortal } from "react-dom";
import { afterEach, beforeEach, expect, test } from "vitest";
import { Dialog } from "./Dialog";
import { LiveRegions } from "./LiveRegions";
import { Notice } from "./Notice";
import { announce, onAnnounce } from "./announce";

const announced: string[] = [];
onAnnounce("polite", ({ text }) => announced.push(text));

const notice = (text: ReactNode, isQuiet = false) => (
  <Notice label="News" text={text} isQuiet={isQuiet}>
    <button type="button">Later</button>
  </Notice>
);

beforeEach(() => {
  announced.length = 0;
});
afterEach(() => cleanup());

test("a notice that comes while a dialog is open is announced where the dialog silences nothing", async () => {
  const withDialog = (text: ReactNode) => (
    <>
      {notice(text)}
      <Dialog open title="Really?" onClose={() => undefined} />
      {createPortal(<LiveRegions />, document.body)}
    </>
  );
  const { rerender } = render(withDialog(null));
  await act(async () => rerender(withDialog(<b>It rains.</b>)));
  const regions = screen.getAllByRole("status").filter(({ textContent }) => textContent === "It rains.");
  expect(regions.map((one) => one.closest("[inert]"))).toEqual([null]);
});

test("a notice takes no words from what is announced at the same moment", async () => {
  const page = (text: ReactNode) => (
    <>
      {notice(text)}
      <LiveRegions />
    </>
  );
  const { rerender } = render(page(null));
  await act(async () => {
    announce("Login ended");
    rerender(page("It rains."));
  });
  expect(screen.getByRole("status").textContent).toBe("Login ended It rains.");
});

test("a notice is announced once, with each new text, and again after it was gone", () => {
  const { rerender } = render(notice("It rains."));
  for (const text of ["It rains.", "It snows.", null, "It snows."]) rerender(notice(text));
  expect(announced).toEqual(["It rains.", "It snows.", "It snows."]);
});

test("a quiet notice is never announced, also if it is quiet no more", () => {
  const { rerender } = render(notice("It rains.", true));
  rerender(notice("It rains."));
  expect(announced).toEqual([]);
});
