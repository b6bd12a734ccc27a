// Passkeys: added, renamed and removed in Settings, and used for a log-in. The stories are at `localhost`, because an IP
// address has no passkeys.

import { type BrowserContextOptions, type Locator, type Page, expect, test } from "@playwright/test";
import { createCodec, decode } from "msgpack-lite";

import { Authenticator } from "./authenticator";
import { checkScreen } from "./checkScreen";
import { link } from "./letters";
import { type Person, named, openGuest, openOtherDevice, openUnknownDevice, phone, signUp } from "./people";
import { RestartableServer } from "./restartableServer";
import { asked, name as key } from "./wire";

const codec = createCodec({ binarraybuffer: true });
const UNKNOWN = "That passkey isn't known here. Please use your password.";
const ELSEWHERE = "Passkeys don't work at this address. They need a host name with https, or localhost.";

const button = (inside: Page | Locator, name: string) => inside.getByRole("button", { name, exact: true });
const region = (page: Page) => page.getByRole("region", { name: "Passkeys", exact: true });
const items = (page: Page) => page.getByRole("list", { name: "Passkeys", exact: true }).getByRole("listitem");
const adding = (page: Page) => page.getByRole("dialog", { name: "Add Passkey" });
const logIn = (page: Page) => button(page, "Log In with a Passkey");
const notice = (page: Page) => page.getByRole("region", { name: "Account notice" });
const space = (page: Page) => page.getByRole("heading", { level: 1, name: "Your Space" });
const ended = (page: Page) => page.getByRole("dialog", { name: "Log In" });

/** The same server by its other name. */
const local = (): BrowserContextOptions => ({
  baseURL: (test.info().project.use.baseURL ?? "").replace("127.0.0.1", "localhost"),
});

/**
 * Gives this page a device. Its browser suggests passkeys only for a log-in that leads on to another page (`next`), so
 * that it is clear what a story presses.
 */
async function deviceOf(page: Page): Promise<Authenticator> {
  await page.addInitScript(() => {
    if (!location.search.includes("next="))
      PublicKeyCredential.isConditionalMediationAvailable = () => Promise.resolve(false);
  });
  return Authenticator.of(page);
}

/** Adds a passkey to the account of this person, on their device. */
async function adds(who: Person, device: Authenticator, name: string): Promise<void> {
  const { page } = who;
  await page.goto("/settings");
  await button(region(page), "Add Passkey").click();
  await adding(page).getByRole("textbox", { name: "Name" }).fill(name);
  await adding(page).getByLabel("Current password", { exact: true }).fill(who.password);
  await device.answers(() => button(adding(page), "Add Passkey").click());
  await expect(who.toast("Passkey added")).toBeVisible();
  await expect(items(page).filter({ hasText: name })).toHaveCount(1);
}

let separate: RestartableServer | null = null;
test.afterEach(async () => {
  await separate?.kill();
  separate = null;
});

test("d-v1, d-v4: Ana adds a passkey, and logs in with it by the button and from the field for the address", async ({
  browser,
}) => {
  const ana = await signUp(browser, named("Ana"), local());
  const { page } = ana;
  const device = await deviceOf(page);
  await page.goto("/settings#passkeys");
  await expect(region(page).getByRole("heading", { name: "Passkeys" })).toBeFocused();
  await expect(region(page).getByText("You have no passkeys.")).toBeVisible();
  await expect(region(page).getByText(ELSEWHERE)).toHaveCount(0);
  await checkScreen(page, "passkeys-none", region(page));

  await button(region(page), "Add Passkey").click();
  const dialog = adding(page);
  const proof = dialog.getByLabel("Current password", { exact: true });
  await expect(dialog.getByRole("textbox", { name: "Name" })).toHaveValue(/\S/u);
  await checkScreen(page, "add-passkey");
  await dialog.getByRole("textbox", { name: "Name" }).fill("  Kitchen   laptop ");
  await proof.fill("kettle on the floor");
  await button(dialog, "Add Passkey").click();
  await expect(ana.toast("Incorrect password. Please try again.")).toBeVisible();
  await expect(proof).toBeFocused();
  await proof.fill(ana.password);
  await device.answers(() => button(dialog, "Add Passkey").click());
  await expect(ana.toast("Passkey added")).toBeVisible();
  await expect(dialog).toHaveCount(0);
  await expect(button(region(page), "Add Passkey")).toBeFocused();
  await expect(items(page)).toContainText([/Kitchen laptop.*Added \d\d\/\w{3}\/\d\d.*Not used yet/u]);

  // One device has one passkey of an account.
  await button(region(page), "Add Passkey").click();
  await proof.fill(ana.password);
  await device.touched(true);
  await button(dialog, "Add Passkey").click();
  await expect(dialog.getByRole("alert")).toHaveText("This device already has a passkey here.");
  await device.touched(false);
  await checkScreen(page, "add-passkey-refused");
  await button(dialog, "Cancel").click();

  await button(items(page), "Rename").click();
  const box = page.getByRole("textbox", { name: "Passkey name" });
  await expect(box).toBeFocused();
  await box.fill("Desk");
  await checkScreen(page, "passkey-renamed", region(page));
  await button(items(page), "Save").click();
  await expect(items(page)).toContainText([/^Desk/u]);
  await expect(button(items(page), "Rename")).toBeFocused();
  await expect(notice(page)).toHaveCount(0);

  await ana.logsOut();
  await page.goto("/login");
  await expect(page.getByRole("textbox", { name: "Email" })).toHaveAttribute(
    "autocomplete",
    "username webauthn",
  );
  await checkScreen(page, "login-with-passkey");
  await device.answers(() => logIn(page).click());
  await expect(space(page)).toBeVisible();
  await page.goto("/settings");
  await expect(items(page)).toContainText([/Last used \d\d\/\w{3}\/\d\d/u]);
  await checkScreen(page, "passkeys", region(page));

  await ana.logsOut();
  await device.answers(() => page.goto("/login?next=%2Fsettings"));
  await expect(page.getByRole("heading", { level: 1, name: "Settings" })).toBeVisible();
  await ana.leaves();
});

test("d-v3, d-v6: each of two devices has its passkey, a removed one is not known, and the other device is told", async ({
  browser,
}) => {
  const ana = await signUp(browser, named("Ana"), local());
  const laptop = await deviceOf(ana.page);
  await adds(ana, laptop, "Laptop");
  const pocket = await openUnknownDevice(browser, ana, { ...phone, ...local() });
  await button(notice(ana.page), "That was me").click();
  const inPocket = await deviceOf(pocket.page);
  await adds(pocket, inPocket, "Phone");
  await expect(items(ana.page)).toContainText([/^Laptop/u, /^Phone/u]);
  await expect(notice(ana.page)).toContainText("A passkey was added: Phone.");
  await expect(button(notice(ana.page), "Log It Out")).toHaveCount(0);
  await expect(notice(pocket.page)).toHaveCount(0);
  await button(notice(ana.page), "That was me").click();
  await expect(notice(ana.page)).toHaveCount(0);

  await button(items(ana.page).filter({ hasText: "Phone" }), "Remove").click();
  const question = ana.page.getByRole("alertdialog", { name: "Remove Phone" });
  await expect(button(question, "Remove")).toBeDisabled();
  await checkScreen(ana.page, "remove-passkey");
  await laptop.answers(() => button(question, "Use a Passkey").click());
  await expect(ana.toast("Passkey removed")).toBeVisible();
  await expect(question).toHaveCount(0);
  for (const { page } of [ana, pocket]) await expect(items(page)).toContainText([/^Laptop/u]);
  await expect(notice(pocket.page)).toContainText("A passkey was removed: Phone.");

  // The phone still has it, and the server does not.
  await pocket.logsOut();
  await pocket.page.goto("/login");
  await inPocket.answers(() => logIn(pocket.page).click());
  await expect(pocket.toast(UNKNOWN)).toBeVisible();
  await expect(pocket.page).toHaveURL(/\/login$/u);
  await pocket.logsIn();

  await button(items(ana.page), "Remove").click();
  const last = ana.page.getByRole("alertdialog", { name: "Remove Laptop" });
  const proof = last.getByLabel("Current password", { exact: true });
  await proof.fill("kettle on the floor");
  await button(last, "Remove").click();
  await expect(ana.toast("Incorrect password. Please try again.")).toBeVisible();
  await proof.fill(ana.password);
  await button(last, "Remove").click();
  await expect(region(ana.page).getByText("You have no passkeys.")).toBeVisible();
  await ana.leaves();
  await pocket.leaves();
});

test("d-v6: The line about a passkey with the longest name fits in a narrow window", async ({ browser }) => {
  const ana = await signUp(browser, named("Ana"), local());
  const pocket = await openUnknownDevice(browser, ana, { ...phone, ...local() });
  await button(notice(ana.page), "That was me").click();
  await expect(notice(ana.page)).toHaveCount(0);
  const name = "W".repeat(40);
  await adds(pocket, await deviceOf(pocket.page), name);
  await ana.page.setViewportSize({ width: 320, height: 640 });
  await expect(notice(ana.page)).toContainText(name);
  const beyond = await notice(ana.page).evaluate((line) => line.scrollWidth - line.clientWidth);
  expect(beyond).toBeLessThanOrEqual(0);
  await ana.leaves();
  await pocket.leaves();
});

test("d-v4: nothing is said if the device refuses, and a counter that goes back is refused as unknown", async ({
  browser,
}) => {
  const ana = await signUp(browser, named("Ana"), local());
  const { page } = ana;
  const device = await deviceOf(page);
  await page.goto("/settings");
  await button(region(page), "Add Passkey").click();
  await adding(page).getByLabel("Current password", { exact: true }).fill(ana.password);
  await device.knowsUser(false);
  await device.touched(true);
  await button(adding(page), "Add Passkey").click();
  await expect(adding(page).getByRole("alert")).toHaveText("The passkey was not added.");
  await device.touched(false);

  // A dialog that is closed while the device waits leaves nothing.
  await device.knowsUser(true);
  await button(adding(page), "Add Passkey").click();
  await expect(button(adding(page), "Add Passkey")).toBeDisabled();
  await button(adding(page), "Cancel").click();
  await expect(adding(page)).toHaveCount(0);
  await expect(region(page).getByText("You have no passkeys.")).toBeVisible();

  await adds(ana, device, "Laptop");
  await ana.logsOut();
  await page.goto("/login");
  await device.knowsUser(false);
  await device.touched(true);
  await logIn(page).click();
  await expect(logIn(page)).toBeFocused();
  await expect(logIn(page)).toBeEnabled();
  await expect(page.getByRole("region", { name: /^Messages/u }).getByRole("listitem")).toHaveCount(0);
  await device.touched(false);
  await device.knowsUser(true);

  await page.reload();
  await device.answers(() => logIn(page).click());
  await expect(space(page)).toBeVisible();
  await device.keeps((await device.passkeys()).map((passkey) => ({ ...passkey, signCount: 0 })));
  await ana.logsOut();
  await page.goto("/login");
  await device.answers(() => logIn(page).click());
  await expect(ana.toast(UNKNOWN)).toBeVisible();
  await expect(page).toHaveURL(/\/login$/u);
  await ana.leaves();
});

test("d-v4: the dialog for a login that has ended takes only a passkey of its person", async ({
  browser,
}) => {
  const ana = await signUp(browser, named("Ana"), local());
  const ben = await signUp(browser, named("Ben"), local());
  const device = await deviceOf(ana.page);
  const bens = await deviceOf(ben.page);
  await adds(ana, device, "Laptop");
  await adds(ben, bens, "Laptop");
  const hers = await device.passkeys();
  await ana.page.goto("/create-post");
  const text = ana.page.getByRole("textbox", { name: "Text" });
  await text.fill("Half a thought");
  const pocket = await openOtherDevice(browser, ana, { ...phone, ...local() });
  await asked(pocket.page, "auth.log_out_others", { key: key() });
  await expect(ended(ana.page)).toBeVisible();
  await checkScreen(ana.page, "login-ended-with-passkey");

  await device.keeps(await bens.passkeys());
  await device.answers(() => logIn(ana.page).click());
  await expect(ana.toast(UNKNOWN)).toBeVisible();
  await expect(ended(ana.page)).toBeVisible();
  await device.keeps(hers.map((passkey) => ({ ...passkey, signCount: 100 })));
  await device.answers(() => logIn(ana.page).click());
  await expect(ended(ana.page)).toHaveCount(0);
  await expect(text).toHaveValue("Half a thought");
  await expect(ana.page.getByRole("status", { name: "Connection" })).toHaveText("Live");
  for (const one of [ana, ben, pocket]) await one.leaves();
});

test("d-v2: at an IP address Settings says that there are no passkeys, and a log-in offers none", async ({
  browser,
}) => {
  const ana = await signUp(browser, named("Ana"));
  await ana.page.goto("/settings");
  await expect(region(ana.page).getByText(ELSEWHERE)).toBeVisible();
  await expect(button(region(ana.page), "Add Passkey")).toHaveCount(0);
  await checkScreen(ana.page, "passkeys-elsewhere", region(ana.page));
  const guest = await openGuest(browser, "Guest");
  await Authenticator.of(guest.page);
  await guest.page.goto("/login");
  await expect(button(guest.page.getByRole("main"), "Log In")).toBeVisible();
  await expect(logIn(guest.page)).toHaveCount(0);
  expect(guest.sockets).toEqual([]);
  await ana.leaves();
  await guest.leaves();
});

test("d-v2, d-v4: a log-in that was cut is not sent again; a server that is restarted between challenge and answer asks once more; a passkey of an earlier host name can only be removed", async ({
  browser,
}) => {
  const server = (separate = new RestartableServer());
  await server.start();
  const at = (host: string) => `http://${server.address.replace("127.0.0.1", host)}`;
  const ana = await signUp(browser, named("Ana"), { baseURL: at("localhost") });
  const { page } = ana;
  const device = await deviceOf(page);
  await adds(ana, device, "Laptop");
  await ana.logsOut();

  // The first answer is on its way when the server ends. The second one is given to the page after the server was
  // restarted.
  let questions = 0;
  let answers = 0;
  let left = (): void => undefined;
  const isLeft = new Promise<void>((resolve) => {
    left = resolve;
  });
  await page.exposeFunction("answered", async () => {
    questions += 1;
    if (questions !== 2) return;
    await server.kill();
    await server.start();
  });
  await page.addInitScript(() => {
    const { credentials } = navigator;
    const get = credentials.get.bind(credentials);
    credentials.get = async (options) => {
      const answer = await get(options);
      await (window as unknown as { answered(): Promise<void> }).answered();
      return answer;
    };
  });
  await page.routeWebSocket(/\/ws$/u, (route) => {
    const upstream = route.connectToServer();
    route.onMessage((message) => {
      const { op } = decode(Buffer.from(message as Buffer), { codec }) as { op: string };
      if (op === "auth.log_in_with_passkey") {
        answers += 1;
        left();
        if (answers === 1) return;
      }
      upstream.send(message);
    });
  });
  await page.goto("/login");
  await device.touched(true);
  await logIn(page).click();
  await isLeft;
  await server.kill();
  // The challenge of an answer that was sent may be over, and nothing is asked without a press.
  await expect(ana.toast("Error logging in. Please try again.")).toBeVisible();
  await server.start();
  expect([questions, answers]).toEqual([1, 1]);
  await logIn(page).click();
  await expect(space(page)).toBeVisible();
  // The restarted server did not know the challenge, and began with a new one.
  expect([questions, answers]).toEqual([3, 3]);
  await page.context().close();

  await server.kill();
  await server.start(["--public-url", at("mellow.localhost")]);
  const there = await openUnknownDevice(browser, ana, { baseURL: at("mellow.localhost") });
  await there.page.goto("/settings");
  await expect(items(there.page)).toContainText([/^Laptop.*For localhost/u]);
  await expect(region(there.page).getByText(ELSEWHERE)).toBeVisible();
  await expect(button(items(there.page), "Rename")).toHaveCount(0);
  await checkScreen(there.page, "passkeys-of-another-host", region(there.page));
  await button(items(there.page), "Remove").click();
  const question = there.page.getByRole("alertdialog", { name: "Remove Laptop" });
  await expect(button(question, "Use a Passkey")).toHaveCount(0);
  await question.getByLabel("Current password", { exact: true }).fill(ana.password);
  await button(question, "Remove").click();
  await expect(region(there.page).getByText("You have no passkeys.")).toBeVisible();
  await there.leaves();
});

test("d-v3: a new password by mail keeps passkeys, unless the box is ticked", async ({ browser }) => {
  const ana = await signUp(browser, named("Ana"), local());
  const device = await deviceOf(ana.page);
  await adds(ana, device, "Laptop");
  const guest = await openGuest(browser, "Ana", local());
  const { page } = guest;
  const box = page.getByRole("checkbox", { name: "Remove my passkeys too" });
  const opensLink = async (nth: number): Promise<void> => {
    await page.goto("/forgot");
    await page.getByRole("textbox", { name: "Email" }).fill(ana.email);
    await button(page, "Send Reset Link").click();
    const address = new URL(await link(ana.email, "Reset your password", nth));
    await page.goto(address.pathname + address.hash);
    await expect(box).toBeVisible();
    await expect(box).not.toBeChecked();
  };
  const saves = async (secret: string): Promise<void> => {
    await page.getByLabel("New password", { exact: true }).fill(secret);
    await button(page, "Save Password").click();
    await expect(page).toHaveURL(/\/login$/u);
  };
  await opensLink(1);
  await checkScreen(page, "reset-with-passkeys");
  await saves("three plain new words");
  await device.answers(() => logIn(ana.page).click());
  await expect(ended(ana.page)).toHaveCount(0);
  await expect(items(ana.page)).toHaveCount(1);

  await opensLink(2);
  await box.check();
  await saves("four other plain words");
  await expect(ended(ana.page)).toBeVisible();
  await device.answers(() => logIn(ana.page).click());
  await expect(ana.toast(UNKNOWN)).toBeVisible();
  await ana.leaves();
  await guest.leaves();
});

test("a host who has switched passkeys off shows nothing of them", async ({ browser }) => {
  const server = (separate = new RestartableServer());
  await server.start(["--passkeys", "off"]);
  const options = { baseURL: `http://${server.address.replace("127.0.0.1", "localhost")}` };
  const ana = await signUp(browser, named("Ana"), options);
  await ana.page.goto("/settings");
  await expect(ana.page.getByRole("region", { name: "Your logins" })).toBeVisible();
  await expect(region(ana.page)).toHaveCount(0);
  await expect(ana.page.getByText(/passkey/iu)).toHaveCount(0);
  const guest = await openGuest(browser, "Guest", options);
  await Authenticator.of(guest.page);
  await guest.page.goto("/login");
  await expect(button(guest.page.getByRole("main"), "Log In")).toBeVisible();
  await expect(guest.page.getByText(/passkey/iu)).toHaveCount(0);
  expect(guest.sockets).toEqual([]);
  await ana.leaves();
  await guest.leaves();
});
