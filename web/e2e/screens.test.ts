// Checks every screen on a phone and a desktop, in light and dark: axe finds nothing, and nothing is wider
// than the screen.

import { readFileSync } from "node:fs";

import { type Locator, expect, test } from "@playwright/test";

import { drawn } from "./drawn";
import { checkScreen } from "./checkScreen";
import { InterceptedConnection } from "./connection";
import { type Person, named, signUp, openGuest } from "./people";
import { asked, name as key, posted } from "./wire";

async function postsWithComments(ana: Person, ben: Person): Promise<void> {
  await ben.follows(ana.name);
  await ana.publishes(
    "Walked to the harbour before work. The fishing boats were already in, and somebody had left a chair facing the water. I sat in it for as long as one coffee lasts.",
    { title: "A chair facing the water", tag: "Slow Mornings" },
  );
  await ana.publishes("Is anyone else keeping their sourdough alive out of pure stubbornness?", {
    tag: "Kitchen",
  });
  const hers = ana.post("A chair facing the water");
  for (const words of ["Which pier? I want that chair.", "The one behind the old ice house."]) {
    const by = words.startsWith("Which") ? ben : ana;
    if (by === ben) await ben.goesHome();
    const card = by.post("A chair facing the water");
    await card.getByRole("textbox", { name: "Write a comment" }).fill(words);
    await card.getByRole("button", { name: "Post Comment" }).click();
    await expect(card.getByRole("list", { name: "Comments" }).getByText(words)).toBeVisible();
  }
  await ben.post("A chair facing the water").getByRole("button", { name: "Positive Vibes" }).click();
  await expect(hers.getByText("The one behind the old ice house.")).toBeVisible();
}

test("every screen passes axe and fits, on a phone and a desktop, in light and dark", async ({ browser }) => {
  const ana = await signUp(browser, named("Ana Lindqvist"));
  const ben = await signUp(browser, named("Ben Okafor"));
  await postsWithComments(ana, ben);

  await checkScreen(ben.page, "feed");
  await ana.publishes("One more, to be waited for.");
  await expect(ben.page.getByRole("button", { name: "1 new post" })).toBeVisible();
  await checkScreen(ben.page, "feed-with-new-post");

  await ben.page.getByRole("navigation", { name: "Main" }).getByRole("link", { name: "Post" }).click();
  await ben.page.getByRole("textbox", { name: "Title" }).fill("On asking");
  await ben.page
    .getByRole("textbox", { name: "Text" })
    .fill("What did you notice today that nobody else did?");
  await ben.page.getByRole("textbox", { name: "Tag" }).fill("Slow Mornings");
  await checkScreen(ben.page, "composer");
  await ben.page.getByRole("main").getByRole("button", { name: "Cancel" }).click();
  await checkScreen(ben.page, "not-posted");
  await ben.page
    .getByRole("alertdialog", { name: "Not Posted" })
    .getByRole("button", { name: "Discard" })
    .click();
  await expect(ben.page.getByRole("heading", { level: 1, name: "Your Space" })).toBeVisible();

  await ben.page.goto("/search");
  await checkScreen(ben.page, "search-empty");
  await ben.page.getByRole("searchbox", { name: "Search by name" }).fill("Ana L");
  await expect(ben.page.getByRole("list", { name: "Results" }).getByRole("link").first()).toBeVisible();
  await checkScreen(ben.page, "search");
  await ben.page.getByRole("searchbox", { name: "Search by name" }).fill("zzz");
  await expect(ben.page.getByText("Nobody by that name.").first()).toBeVisible();
  await checkScreen(ben.page, "search-none");

  await ben.finds(ana.name);
  await checkScreen(ben.page, "profile-other");
  await ben.page.getByRole("link", { name: "View full post" }).first().click();
  await expect(ben.page.getByRole("button", { name: "Back" })).toBeVisible();
  await checkScreen(ben.page, "post");

  await ana.page.getByRole("button", { name: "Account menu" }).click();
  await checkScreen(ana.page, "menu");
  await ana.page.getByRole("menuitem", { name: "View Profile" }).click();
  await checkScreen(ana.page, "profile-own");
  await ana.page.getByRole("searchbox", { name: "Search your posts" }).fill("zzz");
  await expect(ana.page.getByText("None of your posts has these words.").first()).toBeVisible();
  await checkScreen(ana.page, "profile-own-search-none");
  await ana.page.getByRole("searchbox", { name: "Search your posts" }).fill("");
  await ana.page.getByRole("button", { name: "1 follower" }).click();
  await expect(ana.page.getByRole("dialog", { name: "Followers" })).toBeVisible();
  await checkScreen(ana.page, "followers");
  await ana.page.keyboard.press("Escape");
  await ana.page.getByRole("button", { name: "Delete", exact: true }).first().click();
  await checkScreen(ana.page, "delete-post");
  await ana.page.keyboard.press("Escape");

  await ben.logsOut();
  await checkScreen(ben.page, "welcome");
  await ben.page.goto("/login");
  await checkScreen(ben.page, "login");
  await ben.page.goto("/signup");
  await ben.page.getByRole("textbox", { name: "Email" }).fill("cleo@example.com");
  await ben.page.getByLabel("Password", { exact: true }).fill("short");
  await ben.page.getByRole("main").getByRole("button", { name: "Sign Up" }).click();
  await expect(ben.page.getByRole("main").getByRole("alert")).toBeVisible();
  await checkScreen(ben.page, "signup");
  await ana.leaves();
  await ben.page.context().close();
});

test("pictures, the viewer and a post being edited pass axe and fit", async ({ browser }) => {
  const ana = await signUp(browser, named("Ana Lindqvist"));
  const ben = await signUp(browser, named("Ben Okafor"));
  await ben.follows(ana.name);
  const four = [
    {
      bytes: await drawn(browser, "harbour"),
      alt: "A wooden chair at the end of a pier, facing the water. The sun stands low, and the far shore is a thin grey line.",
    },
    { bytes: await drawn(browser, "bread"), alt: "A loaf of sourdough with three cuts." },
    { bytes: await drawn(browser, "hills") },
    { bytes: await drawn(browser, "plums"), alt: "Four plums." },
  ];
  await posted(ana.page, "It rose. After a week of sulking in the cold corner, it rose.", four.slice(1, 2), {
    tag: "Kitchen",
  });
  await posted(
    ana.page,
    "Walked to the harbour before work. Somebody had left a chair facing the water. I sat in it for as long as one coffee lasts.",
    four,
    {
      title: "A chair facing the water",
      tag: "Slow Mornings",
    },
  );
  await ben.goesHome();
  const card = ben.post("A chair facing the water");
  const picture = (n: number) => card.getByRole("button", { name: `Open picture ${n} of 4` });
  await expect(picture(1)).toHaveAttribute("data-picture", "here");
  await checkScreen(ben.page, "pictures");
  await card.getByRole("button", { name: "Next picture" }).click();
  await expect(picture(2)).toHaveAttribute("data-picture", "here");
  await checkScreen(ben.page, "pictures-second");
  const one = ben.post("It rose.");
  await one.scrollIntoViewIfNeeded();
  await expect(one.locator("[data-picture=here]")).toBeVisible();
  await checkScreen(ben.page, "picture-alone");

  await picture(1).click();
  await expect(ben.page.getByRole("dialog", { name: "Picture viewer" })).toBeVisible();
  await checkScreen(ben.page, "viewer");
  await ben.page.keyboard.press("ArrowRight");
  await expect(
    ben.page.getByRole("dialog").getByRole("img", { name: "A loaf of sourdough with three cuts." }),
  ).toBeInViewport({ ratio: 0.9 });
  await checkScreen(ben.page, "viewer-second");
  await ben.page.keyboard.press("Escape");
  await card.getByRole("link", { name: "View full post" }).click();
  await expect(ben.page.locator("[data-picture=here]").first()).toBeVisible();
  await checkScreen(ben.page, "post-with-pictures");

  await ana.goesToOwnProfile();
  const hers = ana.post("A chair facing the water");
  await expect(hers.locator("[data-picture=here]").first()).toBeVisible();
  await hers.getByRole("button", { name: "Edit" }).click();
  await ana.page.getByRole("textbox", { name: "Title" }).fill("A chair, facing the water");
  await ana.page.getByRole("textbox", { name: "Text" }).scrollIntoViewIfNeeded();
  await checkScreen(ana.page, "post-editing");
  await ana.page.getByRole("button", { name: "Save" }).click();
  await expect(ana.page.getByText("(edited)")).toBeVisible();
  await checkScreen(ana.page, "post-edited");
  await ana.leaves();
  await ben.leaves();
});

test("profiles, notifications and mention suggestions pass axe and fit", async ({ browser }) => {
  const ana = await signUp(browser, named("Ana Lindqvist"));
  const noa = await signUp(browser, "נועה בן־דוד־מזרחי 🍋 מתל אביב־יפו שאוהבת לימונים");
  const { page } = ana;
  const button = (name: string) => page.getByRole("button", { name, exact: true });
  const guest = await openGuest(browser, "Guest");
  await guest.page.goto("/notifications");
  await expect(guest.page.getByRole("main").getByRole("link", { name: "Log In" })).toBeVisible();
  await checkScreen(guest.page, "notifications-guest");
  await guest.leaves();
  await page.getByRole("banner").getByRole("link", { name: "Notifications" }).click();
  await expect(page.getByRole("heading", { name: "All quiet." })).toBeVisible();
  await checkScreen(page, "notifications-empty");

  // Her own profile, with text, colours and a photo.
  await ana.goesToOwnProfile();
  await button("Edit Profile").click();
  await page
    .getByRole("textbox", { name: "Bio" })
    .fill(
      "Tea, mostly. I walk to the harbour before work and write down what the gulls say.\nhttps://example.com/harbour",
    );
  await page.getByRole("radiogroup", { name: "From color" }).getByRole("radio", { name: "Green" }).check();
  await page.getByRole("radiogroup", { name: "To color" }).getByRole("radio", { name: "Yellow" }).check();
  await page.getByRole("textbox", { name: "Display name" }).fill(" ");
  await button("Save").click();
  await expect(page.getByRole("main").getByRole("alert")).toBeVisible();
  await checkScreen(page, "profile-editing");
  await page.getByRole("textbox", { name: "Display name" }).fill(ana.name);
  await button("Save").click();
  await expect(button("Edit Profile")).toBeVisible();
  const connection = await InterceptedConnection.of(page);
  await expect(page.getByRole("heading", { level: 1, name: ana.name })).toBeVisible();
  connection.out = ({ op }) => op !== "uploads.commit";
  const photo = { name: "me.jpg", mimeType: "image/jpeg", buffer: await drawn(browser, "harbour") };
  await page.getByLabel("Change Photo").setInputFiles(photo);
  await expect(page.getByRole("progressbar", { name: "Changing photo" })).toHaveAttribute(
    "aria-valuenow",
    "100",
  );
  await checkScreen(page, "profile-photo-coming");
  connection.out = () => true;
  await connection.cut();
  await expect(page.getByRole("progressbar")).toHaveCount(0);
  await expect(button("Enlarge photo").locator("img[data-here]")).toHaveCount(1);
  await page.getByLabel("Change Photo").setInputFiles({
    ...photo,
    name: "the list of what to buy before the weekend, second page.txt",
    buffer: Buffer.from("milk"),
  });
  await expect(page.getByRole("main").getByRole("alert")).toBeVisible();
  await checkScreen(page, "profile-photo-refused");

  await noa.follows(ana.name);
  await checkScreen(noa.page, "profile-other-photo");
  await ana.publishes(
    "Walked to the harbour before work. Somebody had left a chair facing the water, and I sat in it for as long as one coffee lasts.",
    { title: "A chair facing the water", tag: "Slow Mornings" },
  );
  await noa.goesHome();
  await noa.comments("A chair facing the water", "איזה מזח? אני רוצה את הכיסא הזה.");
  await ana.goesHome();
  await ana.comments(
    "A chair facing the water",
    `The one behind the old ice house. ${"Go early. ".repeat(12)}`,
  );
  await page.getByRole("banner").getByRole("link", { name: "Notifications, new" }).click();
  await expect(page.getByRole("list", { name: "Notifications" }).getByRole("listitem")).toHaveCount(2);
  await checkScreen(page, "notifications");

  const box = noa.page.getByRole("textbox", { name: "Write a comment" });
  await box.pressSequentially("@");
  await expect(noa.page.getByRole("listbox", { name: "People" }).getByRole("option")).toHaveCount(1);
  await box.press("Enter");
  await box.pressSequentially("thank you, I will. ");
  await noa.post("A chair facing the water").getByRole("button", { name: "Post Comment" }).click();
  await expect(
    noa.post("A chair facing the water").getByRole("button", { name: "3 comments" }),
  ).toBeVisible();
  await ana.goesHome();
  await ana.post("A chair facing the water").getByRole("link", { name: "View full post" }).click();
  await expect(page.getByRole("list", { name: "Comments" }).getByRole("listitem")).toHaveCount(3);
  await checkScreen(page, "post-mentions", page.getByText("thank you, I will."));
  await page.getByRole("textbox", { name: "Write a comment" }).pressSequentially("Ask @");
  await expect(page.getByRole("listbox", { name: "People" }).getByRole("option")).toHaveCount(1);
  await checkScreen(page, "people-offered", page.getByRole("textbox", { name: "Write a comment" }));
  await page.keyboard.press("Escape");

  await page
    .getByRole("list", { name: "Comments" })
    .getByRole("link", { name: noa.name, exact: true })
    .first()
    .click();
  await button("Follow").click();
  await expect(button("Unfollow")).toBeVisible();
  await checkScreen(page, "profile-other-long-name");
  await noa.page.getByRole("banner").getByRole("link", { name: "Notifications, new" }).click();
  await expect(noa.page.getByRole("list", { name: "Notifications" }).getByRole("listitem")).toHaveCount(1);
  await noa.goesToOwnProfile();
  await checkScreen(noa.page, "profile-own-long-name");
  await ana.goesToOwnProfile();
  await button("1 follower").click();
  await expect(page.getByRole("dialog", { name: "Followers" }).getByRole("link")).toHaveCount(1);
  await checkScreen(page, "followers-long-name");
  await page.keyboard.press("Escape");
  await button("Enlarge photo").click();
  await expect(page.getByRole("dialog", { name: "Picture viewer" }).getByRole("img")).toBeVisible();
  await checkScreen(page, "profile-photo-viewer");
  await page.keyboard.press("Escape");
  await ana.leaves();
  await noa.leaves();
});

test("no page scrolls sideways at 320 pixels, however long its words are", async ({ browser }) => {
  const long = "Donaudampfschifffahrtsgesellschaftskapitänsmütze";
  const ana = await signUp(browser, named(long.slice(0, 30)), { viewport: { width: 320, height: 640 } });
  const { page } = ana;
  const words = long.repeat(3);
  await asked(page, "posts.create", {
    key: key(),
    title: words.slice(0, 100),
    text: `${words} https://example.org/${words}`,
    tag: long.slice(0, 30),
    content_note: null,
    audience: { type: "public" },
    pictures: null,
  });
  await asked(page, "groups.create", { key: key(), name: long });
  await asked(page, "polls.create", {
    key: key(),
    question: words.slice(0, 140),
    options: [long.slice(0, 40), "No"],
    audience: { type: "public" },
  });
  const routes = [...readFileSync("src/app/Routes.tsx", "utf8").matchAll(/^ {2}"([^"]+)": /gmu)].map(
    ([, path]) => path ?? "",
  );
  expect(routes.length).toBeGreaterThanOrEqual(15);
  await page.goto("/");
  const post = await page.getByRole("link", { name: "View full post" }).getAttribute("href");
  const places = routes.map((path) =>
    path
      .replace("/post/:id", post ?? "")
      .replace("/invite/:id", "/invite/none")
      .replace(":id", `${ana.id}`),
  );
  const guest = await openGuest(browser, "Guest", { viewport: { width: 320, height: 640 } });
  for (const who of [page, guest.page])
    for (const path of [...places, "/?tab=community-center", "/nowhere"]) {
      await who.goto(path);
      await expect(who.getByRole("heading", { level: 1 })).toBeVisible();
      await expect(who.getByText(/^Loading/)).toHaveCount(0);
      const wide = await who.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
      expect(wide, path).toBeLessThanOrEqual(0);
    }
  await page.context().close();
  await guest.page.context().close();
});

/** Returns how many items of a menu are covered by something else in their middle. */
const coveredOf = (items: Locator): Promise<number> =>
  items.evaluateAll(
    (all) =>
      all.filter((item) => {
        const { left, top, width, height } = item.getBoundingClientRect();
        return (
          document.elementFromPoint(left + width / 2, top + height / 2)?.closest("[role=menuitem]") !== item
        );
      }).length,
  );

test("nothing of a post covers its open menu", async ({ browser }) => {
  const ana = await signUp(browser, named("Ana"));
  const ben = await signUp(browser, named("Ben"));
  await posted(ana.page, "The kettle is on.");
  await ben.follows(ana.name);
  await ben.goesHome();
  const card = ben.post("The kettle is on.");
  await card.getByRole("button", { name: "Post menu" }).click();
  await expect(card.getByRole("menu")).toBeVisible();
  const items = ben.page.getByRole("menuitem");
  await expect(items.first()).toBeVisible();
  expect(await coveredOf(items)).toBe(0);

  // On a profile the menu is longer than the part of the card below its button.
  await ben.page.setViewportSize({ width: 390, height: 844 });
  await ben.goesTo(`/profile/${ana.id}`);
  await ben.page.getByRole("button", { name: "Profile menu" }).click();
  await expect(items).toHaveText([`Mute ${ana.name}`, `Block ${ana.name}`, `Report ${ana.name}`]);
  expect(await coveredOf(items)).toBe(0);
  await ana.leaves();
  await ben.leaves();
});
