// Quiet hours: what is on the screens of their user while they last and when they end, and where they are set.

import { type Page, expect, test } from "@playwright/test";

import { checkScreen } from "./checkScreen";
import { type Person, named, openOtherDevice, signUp } from "./people";
import { asked, name as newKey } from "./wire";

const BERLIN = { timezoneId: "Europe/Berlin" };
const NEW_YORK = { timezoneId: "America/New_York" };
const DAYS = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"] as const;

const region = (page: Page) => page.getByRole("region", { name: "Quiet hours" });
const turn = (page: Page) => page.getByRole("switch", { name: "Quiet hours" });
const save = (page: Page) => region(page).getByRole("button", { name: "Save", exact: true });
const bell = (page: Page) =>
  page.getByRole("banner").getByRole("link", { name: "Notifications", exact: true });
const bellNew = (page: Page) =>
  page.getByRole("banner").getByRole("link", { name: "Notifications, new", exact: true });
const pill = (page: Page) => page.getByRole("button", { name: /^\d+ new posts?$/ });
const comments = (page: Page) => page.getByRole("list", { name: "Comments" });

/** The time in Berlin so many hours from now. */
const timeIn = (hours: number): string =>
  new Intl.DateTimeFormat("en-GB", {
    hour: "2-digit",
    minute: "2-digit",
    timeZone: BERLIN.timezoneId,
  }).format(Date.now() + hours * 3_600_000);

async function opensSettings(who: Person): Promise<void> {
  await who.page.getByRole("button", { name: "Account menu" }).click();
  await who.page.getByRole("menuitem", { name: "Settings" }).click();
  await expect(region(who.page)).toBeVisible();
}

test("In quiet hours nothing on her screens says that something is new, and it does once they are over", async ({
  browser,
}) => {
  const ana = await signUp(browser, named("Ana"), BERLIN);
  const ben = await signUp(browser, named("Ben"));
  await ana.follows(ben.name);
  await ben.follows(ana.name);
  await ana.publishes("The kettle is on.");
  await ben.goesHome();
  await expect(ben.post("The kettle is on.")).toBeVisible();
  const home = await ana.opens("/");
  await expect(bellNew(home)).toBeVisible();

  await opensSettings(ana);
  const { page } = ana;
  await expect(turn(page)).toHaveAttribute("aria-checked", "false");
  const until = timeIn(2);
  await page.getByLabel("From", { exact: true }).fill(timeIn(-2));
  await page.getByLabel("To", { exact: true }).fill(until);
  await save(page).click();
  await expect(ana.toast("Quiet hours saved")).toBeVisible();
  await expect(region(page).getByText(`Times in ${BERLIN.timezoneId}.`, { exact: true })).toBeVisible();
  await expect(bellNew(home)).toBeVisible();
  await turn(page).press("Space");
  await expect(turn(page)).toHaveAttribute("aria-checked", "true");
  await expect(turn(page)).toBeFocused();
  await expect(region(page).getByText(`Quiet hours until ${until}.`, { exact: true })).toBeVisible();
  for (const one of [page, home]) await expect(bell(one)).toBeVisible();
  await checkScreen(page, "quiet-hours-now", region(page));

  // An open thread stays true. What arrived before this comment would be seen by now.
  await ben.publishes("A door in Leeds.");
  await ben.goesHome();
  await ben.comments("The kettle is on.", "Milk for me, please.");
  await expect(comments(home).first()).toContainText("Milk for me, please.");
  await expect(pill(home)).toHaveCount(0);
  await expect(bell(home)).toBeVisible();

  // A page that is opened shows all.
  await bell(page).click();
  await expect(page.getByText(`Quiet hours until ${until}.`, { exact: true })).toBeVisible();
  await expect(page.getByRole("list", { name: "Notifications" })).toContainText("Milk for me, please.");
  await checkScreen(page, "notifications-in-quiet-hours");
  await ana.goesHome();
  await expect(ana.post("A door in Leeds.")).toBeVisible();

  await ben.comments("The kettle is on.", "And sugar.");
  await expect(comments(home).first()).toContainText("And sugar.");
  await opensSettings(ana);
  await turn(page).click();
  await expect(pill(home)).toHaveText("1 new post", { timeout: 5_000 });
  for (const one of [page, home]) await expect(bellNew(one)).toBeVisible({ timeout: 5_000 });
  await expect(region(page).getByText(/^Quiet hours until/)).toHaveCount(0);
  await ana.leaves();
  await ben.leaves();
});

test("Two times that are the same and no day are refused, and a device in another zone offers its own", async ({
  browser,
}) => {
  const ana = await signUp(browser, named("Ana"), BERLIN);
  const { page } = ana;
  await opensSettings(ana);
  await expect(page.getByLabel("From", { exact: true })).toHaveValue("22:00");
  await expect(page.getByLabel("To", { exact: true })).toHaveValue("07:00");
  const days = page.getByRole("group", { name: "Days" }).getByRole("checkbox");
  await expect(days).toHaveCount(7);
  for (const day of await days.all()) await expect(day).toBeChecked();
  await checkScreen(page, "quiet-hours-off", region(page));

  await page.getByLabel("To", { exact: true }).fill("22:00");
  await save(page).click();
  await expect(region(page).getByRole("alert")).toHaveText("Choose two different times.");
  await page.getByLabel("To", { exact: true }).fill("06:30");
  await expect(region(page).getByRole("alert")).toHaveCount(0);
  for (const day of await days.all()) await day.uncheck();
  await save(page).click();
  await expect(region(page).getByRole("alert")).toHaveText("Choose at least one day.");
  await checkScreen(page, "quiet-hours-refused", region(page));
  await page.getByRole("checkbox", { name: "Friday" }).check();
  await save(page).click();
  await expect(ana.toast("Quiet hours saved")).toBeVisible();

  const travelling = await openOtherDevice(browser, ana, NEW_YORK);
  await opensSettings(travelling);
  const there = region(travelling.page);
  await expect(there.getByText(`Times in ${BERLIN.timezoneId}.`, { exact: true })).toBeVisible();
  await expect(travelling.page.getByRole("checkbox", { checked: true })).toHaveCount(1);
  await checkScreen(travelling.page, "quiet-hours-elsewhere", there);
  await there.getByRole("button", { name: `Use ${NEW_YORK.timezoneId}`, exact: true }).click();
  await expect(there.getByText(`Times in ${NEW_YORK.timezoneId}.`, { exact: true })).toBeVisible();
  await expect(there.getByRole("button", { name: /^Use / })).toHaveCount(0);
  // The other device learns it, and offers its own in turn.
  await expect(region(page).getByText(`Times in ${NEW_YORK.timezoneId}.`, { exact: true })).toBeVisible();
  await expect(region(page).getByRole("button", { name: `Use ${BERLIN.timezoneId}` })).toBeVisible();
  await travelling.leaves();
  await ana.leaves();
});

test("A page that is opened in quiet hours has no dot, although something is unread", async ({ browser }) => {
  const ana = await signUp(browser, named("Ana"), BERLIN);
  const ben = await signUp(browser, named("Ben"));
  await ben.follows(ana.name);
  await expect(bellNew(ana.page)).toBeVisible();
  await asked(ana.page, "quiet.set", {
    key: newKey(),
    on: true,
    from: timeIn(-2),
    to: timeIn(2),
    days: [...DAYS],
    zone: BERLIN.timezoneId,
  });
  await expect(bell(ana.page)).toBeVisible();
  await ana.page.reload();
  await expect(ana.page.getByRole("heading", { level: 1, name: ana.name })).toBeVisible();
  await expect(bell(ana.page)).toBeVisible();
  const other = await openOtherDevice(browser, ana);
  await expect(bell(other.page)).toBeVisible();
  await other.leaves();
  await ana.leaves();
  await ben.leaves();
});
