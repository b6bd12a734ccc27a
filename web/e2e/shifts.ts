// Measures what moves without an action of the user.

import { setTimeout as sleep } from "node:timers/promises";

import type { Page, Request } from "@playwright/test";

import { chromiumTools, isChromium } from "./chromium";

/** Starts adding up layout shifts. Returns a function that reads the sum. */
export async function watchShifts(page: Page): Promise<() => Promise<number>> {
  await page.evaluate(() => {
    const held = window as Window & { shifted?: number };
    held.shifted = 0;
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries())
        held.shifted = (held.shifted ?? 0) + (entry as PerformanceEntry & { value: number }).value;
    }).observe({ type: "layout-shift", buffered: false });
  });
  return async () => {
    await page.waitForTimeout(100);
    return page.evaluate(() => (window as Window & { shifted?: number }).shifted ?? -1);
  };
}

type Watched = Window & { moves?: string[]; forget?: () => void; framesSeen?: number };

/**
 * Watches, in each page that is opened from now on, where people see controls. `movesOf` returns what moved
 * after it was seen. Unlike layout shifts, this counts every pixel, and works in every browser.
 */
export async function watchControls(page: Page): Promise<void> {
  await page.addInitScript(watch);
}

/** Returns the controls that moved since the page was opened, or since this was asked last. */
export const movesOf = (page: Page): Promise<string[]> =>
  page.evaluate(() => (window as Watched).moves?.splice(0) ?? ["nobody watches"]);

/** Waits until the page was drawn this many times. */
export async function frames(page: Page, count: number): Promise<void> {
  await page.evaluate(async (left) => {
    for (; left > 0; left -= 1) await new Promise(requestAnimationFrame);
  }, count);
}

/** Scrolls, and forgets where controls were seen before. */
export const jump = (page: Page, to: number): Promise<void> =>
  page.evaluate((top) => {
    (window as Watched).forget?.();
    scrollTo({ top, behavior: "instant" });
  }, to);

function watch(): void {
  const CONTROLS = "a[href], button, input, select, textarea, [role=slider]";
  /** They float above the page, and come and go. */
  const FLOATS = "header, dialog, [popover], [data-new-posts], [role=region][aria-label^=Messages]";
  const held = window as Watched;
  held.moves = [];
  held.framesSeen = 0;
  let seen = new Map<Element, DOMRectReadOnly>();
  held.forget = () => (seen = new Map());
  // An observer changed what was measured already.
  addEventListener("error", ({ message }) => {
    if (message.includes("ResizeObserver")) held.moves?.push(message);
  });
  // What a person presses may move by that.
  for (const kind of ["keydown", "pointerdown", "wheel", "popstate"])
    addEventListener(kind, () => held.forget?.(), { capture: true, passive: true });
  const look = (): void => {
    const places = seen;
    // A new observer reports, for each element, where it was drawn in this frame.
    const sight = new IntersectionObserver((entries) => {
      sight.disconnect();
      for (const { target, isIntersecting, boundingClientRect: at } of entries) {
        const before = places.get(target);
        const shown = isIntersecting && target.checkVisibility({ visibilityProperty: true });
        if (before !== undefined && Math.abs(before.top - at.top) + Math.abs(before.left - at.left) > 1)
          held.moves?.push(
            `${Math.round(performance.now())} ms: ${location.pathname}: ${target.getAttribute("aria-label") ?? target.textContent} from ${Math.round(before.left)}, ${Math.round(before.top)} to ${Math.round(at.left)}, ${Math.round(at.top)}`,
          );
        if (shown && target.isConnected) places.set(target, at);
        else places.delete(target);
      }
    });
    for (const one of document.querySelectorAll(CONTROLS))
      if (one.closest(FLOATS) === null) sight.observe(one);
    held.framesSeen = (held.framesSeen ?? 0) + 1;
    requestAnimationFrame(look);
  };
  requestAnimationFrame(look);
}

type Point = { x: number; y: number };

/**
 * Waits until a button with this text is drawn whole in the window, also on a page that is opened meanwhile.
 * Returns its centre, where it was at that moment.
 */
export async function whereSeen(page: Page, text: string): Promise<Point> {
  for (;;)
    try {
      return await page.evaluate(firstSight, text);
    } catch (error) {
      // The page was left. The button is on the next one.
      if (!/context was destroyed|navigation/u.test(String(error))) throw error;
    }
}

function firstSight(text: string): Promise<Point> {
  return new Promise((resolve) => {
    let isSeen = false;
    const look = (): void => {
      if (isSeen) return;
      const sight = new IntersectionObserver((entries) => {
        sight.disconnect();
        for (const { target, intersectionRatio, boundingClientRect: at } of entries) {
          if (intersectionRatio < 1 || !target.checkVisibility({ visibilityProperty: true })) continue;
          isSeen = true;
          resolve({ x: at.left + at.width / 2, y: at.top + at.height / 2 });
        }
      });
      for (const one of document.querySelectorAll("button")) if (one.textContent === text) sight.observe(one);
      requestAnimationFrame(look);
    };
    look();
  });
}

/** Presses and releases a point of the window, with this many frames between. */
export async function pressesAt(page: Page, { x, y }: Point, between: number): Promise<void> {
  await page.mouse.move(x, y);
  await page.mouse.down();
  await frames(page, between);
  await page.mouse.up();
}

const LATE_MS_MAX = 500;

/**
 * Holds back every reply, event and later part of the app until the page was drawn three times without it, so
 * that people see the page as a slow network shows it. Returns a function that waits until all has arrived.
 */
export async function arrivesLate(page: Page): Promise<() => Promise<void>> {
  let awaited = 0;
  const late = async (): Promise<void> => {
    awaited += 1;
    // A page that is being left draws no more.
    await Promise.race([frames(page, 3).catch(() => undefined), sleep(LATE_MS_MAX)]);
    awaited -= 1;
  };
  await page.routeWebSocket(/\/ws$/u, (route) => {
    const server = route.connectToServer();
    let turn = Promise.resolve();
    server.onMessage((message) => {
      turn = Promise.all([turn, late()]).then(() => route.send(message));
    });
  });
  await page.route(/\/assets\/.*\.(js|css)$/u, async (route) => {
    await late();
    await route.continue().catch(() => undefined);
  });
  // The end of a request that began before is not the end of one of these.
  const asked = new Set<Request>();
  page.on("request", (request) => asked.add(request));
  for (const end of ["requestfinished", "requestfailed"] as const)
    page.on(end as "requestfinished", (request) => asked.delete(request));
  return async () => {
    for (let calm = 0; calm < 3;) {
      await frames(page, 4);
      const loads = await page.getByText(/^Loading/u).count();
      calm = awaited + asked.size === 0 && loads === 0 ? calm + 1 : 0;
    }
  };
}

/**
 * Returns a function that makes the page's processor this many times slower. What a test waits for is looked up by
 * the same processor: that alone takes half a minute on a page of thirty posts at six times. So a story slows
 * down what a person does and sees, and waits at 1. In other browsers it does nothing.
 */
export async function throttled(page: Page): Promise<(rate: number) => Promise<void>> {
  if (!isChromium(page)) return async () => undefined;
  const session = await chromiumTools(page);
  return async (rate) => {
    await session.send("Emulation.setCPUThrottlingRate", { rate });
  };
}
