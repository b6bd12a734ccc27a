// The time here: it is counted in the browser alone and told once a day. The page to which people then step away has no
// socket.

import { type BrowserContext, type Page, type WebSocket as Socket, expect, test } from "@playwright/test";
import { createCodec, decode } from "msgpack-lite";

import { checkScreen } from "./checkScreen";
import { type Person, named, openGuest, signUp } from "./people";
import { watchShifts } from "./shifts";
import { posted } from "./wire";

const codec = createCodec({ binarraybuffer: true });
const DAY = 24 * 60;
const noon = new Date().setHours(12, 0, 30, 0);

const line = (page: Page) => page.getByRole("region", { name: "Time reminder", exact: true });
const heading = (page: Page, name: string) => page.getByRole("heading", { level: 1, name });
const connection = (page: Page) => page.getByRole("status", { name: "Connection" });
const section = (page: Page) => page.getByRole("region", { name: "Time here", exact: true });
const toggle = (page: Page) => section(page).getByRole("switch", { name: "Remind me about my time here" });
const after = (page: Page) => section(page).getByRole("combobox", { name: "After", exact: true });

/** Sets the clock of all tabs of a browser to this many minutes after noon. */
const setsClock = (context: BrowserContext, minutes: number): Promise<void> =>
  context.clock.setSystemTime(noon + minutes * 60_000);

/** Does something in a tab, in one of three ways. */
async function uses(page: Page, nth: number): Promise<void> {
  if (nth % 3 === 0) await page.keyboard.press("Shift");
  else if (nth % 3 === 1) await page.mouse.move(200 + nth, 300 + nth);
  else {
    // A wheel event arrives later than the call returns, perhaps in the next minute.
    const wheeled = page.evaluate(
      () => new Promise<void>((arrived) => addEventListener("wheel", () => arrived(), { once: true })),
    );
    await page.mouse.wheel(0, 10);
    await wheeled;
  }
}

type Sent = { requests: string[]; frames: { op?: string }[]; sockets: Socket[] };

/** Records everything that all tabs of a browser send from now on. */
function recordsSent(context: BrowserContext): Sent {
  const sent: Sent = { requests: [], frames: [], sockets: [] };
  context.on("request", (request) => {
    const { pathname, search } = new URL(request.url());
    sent.requests.push(`${request.method()} ${pathname}${search} ${request.postData() ?? ""}`);
  });
  const listen = (page: Page): void => {
    page.on("websocket", (socket) => {
      sent.sockets.push(socket);
      socket.on("framesent", ({ payload }) =>
        sent.frames.push(decode(Buffer.from(payload), { codec }) as { op?: string }),
      );
    });
  };
  for (const page of context.pages()) listen(page);
  context.on("page", listen);
  return sent;
}

const openSockets = ({ sockets }: Sent): number => sockets.filter((socket) => !socket.isClosed()).length;

/** What this browser keeps of the time here, without what was chosen. */
const sumsIn = (page: Page): Promise<string[]> =>
  page.evaluate(() =>
    Object.keys(localStorage).filter((key) => key.startsWith("mellow.here.") && key.endsWith(".today")),
  );

/** Opens Settings and waits until all of it is loaded. */
async function opensSettings({ page }: Person): Promise<void> {
  await page.goto("/settings");
  await expect(page.getByRole("region", { name: "Your logins" }).getByRole("listitem")).toHaveCount(1);
  await expect(page.getByRole("button", { name: "Create Invitation" })).toBeVisible();
  await expect(page.getByText("You have muted nobody.")).toBeVisible();
  await expect(connection(page)).toHaveText("Live");
}

test("d-u5: the minutes of two tabs count together and are told once a day, and nothing of it is sent", async ({
  browser,
}) => {
  const ada = await signUp(browser, named("Ada"));
  const { page } = ada;
  const context = page.context();
  await setsClock(context, 0);
  const sent = recordsSent(context);
  const other = await ada.opens("/");
  await expect(heading(other, "Your Space")).toBeVisible();
  await expect(connection(other)).toHaveText("Live");
  await opensSettings(ada);
  await expect(toggle(page)).toHaveAttribute("aria-checked", "false");
  await expect(after(page)).toHaveValue("20");
  await expect(after(page).getByRole("option")).toHaveText([
    "10 minutes",
    "20 minutes",
    "30 minutes",
    "60 minutes",
  ]);
  await expect(section(page).getByText("Kept on this device alone.")).toBeVisible();

  const before = sent.frames.length;
  await toggle(page).click();
  await expect(toggle(page)).toHaveAttribute("aria-checked", "true");
  await after(page).selectOption("10 minutes");
  // In five minutes both tabs are used, and in four more only the other one.
  for (let minute = 0; minute < 9; minute += 1) {
    await setsClock(context, minute);
    if (minute < 5) await uses(page, minute);
    await uses(other, minute);
  }
  for (const tab of [page, other]) await expect(line(tab)).toHaveCount(0);
  await after(page).focus();
  const shifts = await watchShifts(page);
  await setsClock(context, 9);
  // What is announced is gone from the page after ten seconds.
  const isAnnounced = expect(
    page.getByRole("status").filter({ hasText: "You have been here 10 minutes today." }),
  ).toHaveCount(1);
  await page.keyboard.press("Shift");
  for (const tab of [page, other])
    await expect(line(tab)).toContainText("You have been here 10 minutes today.");
  await isAnnounced;
  await expect(after(page)).toBeFocused();
  expect(await shifts()).toBe(0);

  await line(other).getByRole("button", { name: "Stay" }).click();
  for (const tab of [page, other]) await expect(line(tab)).toHaveCount(0);
  for (let minute = 10; minute < 25; minute += 1) {
    await setsClock(context, minute);
    await uses(page, minute);
  }
  await expect(line(page)).toHaveCount(0);
  // A clock that jumps makes a tab probe its connection. Nothing else was sent.
  expect(sent.frames.slice(before).filter(({ op }) => op !== "live.probe")).toEqual([]);

  // On the next day the line appears again, and stays through a reload until she answers.
  for (let minute = 0; minute < 10; minute += 1) {
    await setsClock(context, DAY + minute);
    await uses(minute % 2 === 0 ? page : other, minute);
  }
  for (const tab of [page, other]) await expect(line(tab)).toBeVisible();
  await other.reload();
  await expect(heading(other, "Your Space")).toBeVisible();
  await expect(line(other)).toBeVisible();
  expect(await sumsIn(page)).toHaveLength(1);

  // A log-out deletes the sum. What she chose stays on this device.
  await ada.logsOut();
  await expect(heading(other, "Welcome to Mellow")).toBeVisible();
  await expect.poll(() => sumsIn(page)).toEqual([]);
  await expect(line(page)).toHaveCount(0);
  await ada.logsIn();
  await opensSettings(ada);
  await expect(toggle(page)).toHaveAttribute("aria-checked", "true");
  await expect(after(page)).toHaveValue("10");
  await expect(line(page)).toHaveCount(0);

  const all = [
    ...sent.requests.filter((request) => !request.startsWith("GET /assets/")),
    ...sent.frames.map((frame) => JSON.stringify(frame)),
  ];
  expect(all.length).toBeGreaterThan(10);
  // The moods of today are asked for by the zone of the device.
  const others = all.map((one) => one.replace('"offset_minutes"', ""));
  expect(others.filter((one) => /mellow\.here|remind|minute|answered|\bon 10\b/iu.test(one))).toEqual([]);
  await ada.leaves();
});

test("d-u6: Step Away leads to a page without a socket, and words that are half written are there afterwards", async ({
  browser,
}) => {
  const ada = await signUp(browser, named("Ada"));
  const { page } = ada;
  const context = page.context();
  await posted(page, "The kettle is on.");
  await setsClock(context, 0);
  const sent = recordsSent(context);
  await opensSettings(ada);
  await checkScreen(page, "time-here", section(page));
  await after(page).selectOption("10 minutes");
  await toggle(page).click();
  await ada.goesHome();
  const comment = ada.post("The kettle is on.").getByRole("textbox", { name: "Write a comment" });
  await comment.fill("Half a comment.");
  await page.getByRole("navigation", { name: "Main" }).getByRole("link", { name: "Post" }).click();
  const text = page.getByRole("textbox", { name: "Text" });
  await text.fill("Half a post.");
  for (let minute = 0; minute < 10; minute += 1) {
    await setsClock(context, minute);
    await uses(page, minute);
  }
  await expect(line(page)).toBeVisible();
  await checkScreen(page, "time-reminder");
  // The line stops nobody.
  await text.press("End");
  await text.pressSequentially(" And more.");
  await expect(line(page)).toBeVisible();

  await line(page).getByRole("button", { name: "Step Away" }).click();
  await expect(heading(page, "See you later.")).toBeFocused();
  await expect(page).toHaveURL(/\/away$/);
  await expect(page.getByRole("alertdialog")).toHaveCount(0);
  await expect(line(page)).toHaveCount(0);
  await expect.poll(() => openSockets(sent)).toBe(0);
  await expect(page.getByRole("banner").getByRole("link")).toHaveCount(1);
  await expect(page.getByRole("banner").getByRole("button")).toHaveCount(0);
  await expect(connection(page)).toHaveCount(0);
  const [sockets, requests] = [sent.sockets.length, sent.requests.length];
  // Hours pass, the network returns, and she looks at the tab.
  await context.clock.fastForward("03:00:00");
  await page.evaluate(() => {
    dispatchEvent(new Event("online"));
    document.dispatchEvent(new Event("visibilitychange"));
  });
  await page.keyboard.press("Shift");
  expect([sent.sockets.length, sent.requests.length]).toEqual([sockets, requests]);
  await checkScreen(page, "away");

  // A reload is a page of its own that opens no socket either.
  expect((await page.reload())?.status()).toBe(200);
  await expect(heading(page, "See you later.")).toBeVisible();
  await context.clock.fastForward("03:00:00");
  expect(sent.sockets.length).toBe(sockets);
  await page.getByRole("main").getByRole("link", { name: "Back to Home" }).click();
  await expect(heading(page, "Your Space")).toBeVisible();
  await expect(connection(page)).toHaveText("Live");
  await expect(comment).toHaveValue("Half a comment.");
  await expect(line(page)).toHaveCount(0);

  // Back and Forward lead through it too.
  await page.goBack();
  await expect(heading(page, "See you later.")).toBeVisible();
  await expect.poll(() => openSockets(sent)).toBe(0);
  await page.goForward();
  await expect(comment).toHaveValue("Half a comment.");
  await expect.poll(() => openSockets(sent)).toBe(1);
  await expect(connection(page)).toHaveText("Live");
  await page.getByRole("navigation", { name: "Main" }).getByRole("link", { name: "Post" }).click();
  await expect(text).toHaveValue("Half a post. And more.");
  await ada.leaves();
});

test("d-u6: a guest who opens the page sees it too, and no log-in leads there", async ({ browser }) => {
  const guest = await openGuest(browser, "Guest");
  const { page } = guest;
  expect((await page.goto("/away"))?.status()).toBe(200);
  await expect(heading(page, "See you later.")).toBeVisible();
  await expect(page.getByRole("banner").getByRole("link", { name: "Log In" })).toHaveAttribute(
    "href",
    "/login",
  );
  await page.getByRole("main").getByRole("link", { name: "Back to Home" }).click();
  await expect(heading(page, "Welcome to Mellow")).toBeVisible();
  expect(guest.sockets).toEqual([]);
  await guest.leaves();
});
