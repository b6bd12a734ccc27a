// One user blocks another while both have the post of a third user open. Checks both windows and every frame.

import { type Page, expect, test } from "@playwright/test";
import { createCodec, decode } from "msgpack-lite";

import { type Person, named, signUp } from "./people";
import { posted } from "./wire";

const codec = createCodec({ binarraybuffer: true });

type Message = { ev?: string; user_id?: number };

/** Records every message on sockets that the page opens from now on. */
function received(page: Page): Message[] {
  const messages: Message[] = [];
  page.on("websocket", (socket) =>
    socket.on("framereceived", ({ payload }) => {
      if (typeof payload !== "string") messages.push(decode(payload, { codec }) as Message);
    }),
  );
  return messages;
}

const boxOf = (person: Person) =>
  person.post("Tea at four").getByRole("textbox", { name: "Write a comment" });

test("A block while the other user writes a comment on a third user's post hides each from the other", async ({
  browser,
}) => {
  const ana = await signUp(browser, named("Ana"));
  const ben = await signUp(browser, named("Ben"));
  const cleo = await signUp(browser, named("Cleo"));
  const post = await posted(cleo.page, "Tea at four.");
  const messagesOf = { ana: received(ana.page), ben: received(ben.page) };
  for (const who of [ana, ben, cleo]) await who.page.goto(`/post/${post}`);
  await ana.comments("Tea at four", "Lemon, please.");
  await expect(ben.page.getByText("Lemon, please.")).toBeVisible();
  await boxOf(ben).fill("No sugar for me.");

  const profile = await ana.opens(`/profile/${ben.id}`);
  await profile.getByRole("button", { name: "Profile menu" }).click();
  await profile.getByRole("menuitem", { name: `Block ${ben.name}` }).click();
  await profile.getByRole("alertdialog").getByRole("button", { name: "Block" }).click();
  await expect(profile.getByRole("region", { name: "Messages" })).toContainText("User blocked");
  await profile.close();

  // Her comment disappears from his window, and his unsent comment stays.
  await expect(ben.page.getByText("Lemon, please.")).toHaveCount(0);
  await expect(boxOf(ben)).toHaveValue("No sugar for me.");
  await ben.post("Tea at four").getByRole("button", { name: "Post Comment" }).click();
  await expect(cleo.page.getByText("No sugar for me.")).toBeVisible();
  await ana.comments("Tea at four", "Two lemons.");
  await expect(cleo.page.getByText("Two lemons.")).toBeVisible();
  await cleo.comments("Tea at four", "See you both.");

  for (const [who, other, words, messages] of [
    [ana, ben, "No sugar for me.", messagesOf.ana],
    [ben, ana, "Two lemons.", messagesOf.ben],
  ] as const) {
    await expect(who.page.getByText("See you both.")).toBeVisible();
    const shown = await who.page.locator("body").innerText();
    expect(shown).not.toContain(words);
    expect(shown).not.toContain(other.name);
    const gone = messages.findIndex(({ ev, user_id }) => ev === "users.deleted" && user_id === other.id);
    expect(gone, "both receive the end of an account").toBeGreaterThan(-1);
    for (const message of messages.slice(gone + 1)) {
      // She may know whom she blocked.
      if (message.ev === "people.changed" && who === ana) continue;
      const sent = JSON.stringify(message);
      for (const trace of [String(other.id), other.name, words]) expect(sent).not.toContain(trace);
    }
    await who.page.screenshot({ path: test.info().outputPath(`${who === ana ? "ana" : "ben"}.png`) });
  }
  for (const who of [ana, ben, cleo]) await who.leaves();
});

test("After a mute in Your Space and a block on a profile the focus is on what is left, not at the top of the page", async ({
  browser,
}) => {
  const ana = await signUp(browser, named("Ana"));
  const ben = await signUp(browser, named("Ben"));
  const cleo = await signUp(browser, named("Cleo"));
  await posted(cleo.page, "Tea at four.");
  await posted(ben.page, "Coffee at five.");
  for (const { name } of [ben, cleo]) await ana.follows(name);
  await ana.goesHome();
  await ana.post("Coffee at five.").getByRole("button", { name: "Post menu" }).press("Enter");
  await ana.page.getByRole("menuitem", { name: `Mute ${ben.name}` }).press("Enter");
  await expect(ana.post("Coffee at five.")).toHaveCount(0);
  await expect(ana.page.locator("[data-item]:focus")).toContainText("Tea at four.");

  await ana.goesTo(`/profile/${cleo.id}`);
  await ana.page.getByRole("button", { name: "Profile menu" }).press("Enter");
  await ana.page.getByRole("menuitem", { name: `Block ${cleo.name}` }).press("Enter");
  await ana.page.getByRole("alertdialog").getByRole("button", { name: "Block" }).press("Enter");
  await expect(ana.page.getByRole("heading", { level: 1, name: "User not found" })).toBeFocused();
  for (const who of [ana, ben, cleo]) await who.leaves();
});
