// Accounts, settings and the host's page, in every engine.

import { execFileSync } from "node:child_process";

import { expect, test } from "./test";

const ground = () => getComputedStyle(document.documentElement).backgroundColor;
const [LIGHT, DARK] = ["rgb(250, 246, 240)", "rgb(26, 23, 20)"];

test("c43: Ana signs up, logs out, mistypes her password and logs in again", async ({ visitor }) => {
  const ana = await visitor("Ana");
  await ana.signsUpByForm();
  await ana.chooses("Log Out");
  await ana.heading("Welcome to Mellow").isShown();
  await ana.role("banner").role("link", "Log In").presses();
  await ana.logsIn("a kettle on the stove");
  await ana.toast("Incorrect email or password. Please try again.").isShown();
  await ana.role("textbox", "Email").holds(ana.email);
  await ana.label("Password").fills(ana.password);
  await ana.tab.key("Enter");
  await ana.heading("Your Space").isShown();
  await ana.tab.reloads();
  await ana.heading("Your Space").isShown();
});

test("c43: Hidden numbers disappear from Ben's page, and a dialog gives the focus back", async ({
  ana,
  ben,
}) => {
  await ben.follows(ana);
  await ben.text("1 follower").isShown();
  await ana.chooses("Settings");
  const hide = ana.role("switch", "Hide numbers");
  await hide.presses();
  await hide.has("aria-checked", "true");
  await ben.text("1 follower").isGone();
  const change = ana.role("button", "Change Email");
  await change.presses();
  const dialog = ana.role("dialog", "Change Email");
  await dialog.role("textbox", "New email").is("hasFocus");
  await ana.tab.key("Escape");
  await dialog.isGone();
  await change.is("hasFocus");
  await ana.tab.reloads();
  await hide.has("aria-checked", "true");
});

test("c43: The dark theme applies at once, is chosen with the arrow keys too, and stays after a reload", async ({
  ana,
}) => {
  await ana.chooses("Settings");
  const choice = (name: string) => ana.role("radiogroup", "Theme").role("radio", name);
  const isOn = (color: string) => expect.poll(() => ana.tab.evaluate(ground)).toBe(color);
  await choice("Light").presses();
  await isOn(LIGHT);
  await ana.tab.key("ArrowRight");
  await choice("Dark").is("isChecked");
  await choice("Dark").is("hasFocus");
  await isOn(DARK);
  await ana.tab.reloads();
  await choice("Dark").is("isChecked");
  expect(await ana.tab.evaluate(ground)).toBe(DARK);
});

test("c43: Ana becomes an admin while her page is open, and suspends Ben", async ({ ana, ben }) => {
  const host = (command: string) =>
    execFileSync("../target/debug/mellow", [
      "user",
      command,
      ana.email,
      "--data",
      process.env["E2E_DATA"] ?? "",
    ]);
  await ana.tab.goesTo("/admin");
  await ana.heading("Page not found").isShown();
  host("promote");
  await ana.heading("Admin").isShown();
  await ana.role("searchbox", "Search people").fills(ben.name);
  const row = ana.role("list", "People").role("listitem").with(ben.name);
  await row.role("button", "Suspend").presses();
  await ana.role("dialog").role("button", "Suspend").presses();
  await ana.toast("User suspended").isShown();
  await ben.role("dialog", "Log In").isShown();
  await row.role("button", "Unsuspend").presses();
  await ana.toast("User unsuspended").isShown();
  host("demote");
  await ana.heading("Page not found").isShown();
});

test("c43: Ana's new name, bio and colors appear on Ben's open page", async ({ ana, ben }) => {
  await ben.tab.goesTo(`/profile/${ana.id}`);
  await ben.heading(ana.name).isShown();
  await ana.chooses("View Profile");
  await ana.role("button", "Edit Profile").presses();
  await ana.role("textbox", "Display name").fills(`${ana.name} Šimůnková`);
  await ana.role("textbox", "Bio").fills("Tea, mostly.\nAnd boats.");
  await ana.role("radiogroup", "To color").role("radio", "Yellow").presses();
  await ana.role("button", "Save").presses();
  await ben.heading(`${ana.name} Šimůnková`).isShown();
  await ben.role("main").says(/Tea, mostly\.\s+And boats\./);
  await ben.role("img", /^Banner from .+ to yellow$/i).isShown();
});
