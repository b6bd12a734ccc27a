// An app that stays: what is there without a network, what goes out later, and what a new build leaves alone.

import { type Browser, type BrowserContext, type Page, expect, test } from "@playwright/test";

import { type Person, named, someone } from "./people";
import { posted } from "./wire";

/** Waits until this browser could open Mellow without a network. */
async function isKept(page: Page): Promise<void> {
  await page.evaluate(async () => {
    await navigator.serviceWorker.ready;
  });
}

test("d-r1: Mellow can be installed, and its worker keeps the app's files and nothing of the people", async ({
  browser,
}) => {
  const ana = await someone(browser, named("Ana"));
  const { page } = ana;
  const manifest = await page.evaluate(async () => {
    const link = document.querySelector<HTMLLinkElement>("link[rel=manifest]");
    return (await (await fetch(link?.href ?? "")).json()) as Record<string, unknown>;
  });
  expect(manifest).toMatchObject({
    name: "Mellow",
    id: "/",
    start_url: "/",
    scope: "/",
    display: "standalone",
  });
  expect(manifest["icons"]).toMatchObject([
    { sizes: "192x192", type: "image/png" },
    { sizes: "512x512", type: "image/png" },
    { sizes: "512x512", type: "image/png", purpose: "maskable" },
  ]);
  await posted(page, "The kettle is on.");
  await isKept(page);
  await page.goto("/");
  await expect(ana.post("The kettle is on.")).toBeVisible();
  const kept = await page.evaluate(async () => {
    const caches = await Promise.all((await window.caches.keys()).map((name) => window.caches.open(name)));
    const requests = (await Promise.all(caches.map((cache) => cache.keys()))).flat();
    return requests.map(({ url }) => new URL(url).pathname);
  });
  expect(kept).toContain("/");
  expect(kept.length).toBeGreaterThan(40);
  expect(kept.filter((path) => !/^\/(?:assets\/|icons\/|favicon|manifest|$)/.test(path))).toEqual([]);
  await ana.leaves();
});
