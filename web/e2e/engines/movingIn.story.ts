// Posts of an archive, in every engine: from the file to the profile, and out of it again.

import { packed } from "../archive";
import { test } from "./test";

/** Chooses the second entry of the only list of choices, as a person with the arrow keys does. */
function chooseEveryone(): void {
  const [list] = document.getElementsByTagName("select");
  if (list === undefined) return;
  list.selectedIndex = 1;
  list.dispatchEvent(new Event("change", { bubbles: true }));
}

test("d-w5: Ana brings a post from another Mellow, finds it on her profile, and takes it back", async ({
  ana,
  ben,
}) => {
  await ben.follows(ana);
  const post = { id: 1, title: null, tag: null, audience: "public", pictures: [] };
  const posts = JSON.stringify([
    { ...post, text: "The ferry was early.", written_at: "2019-03-04T08:00:00Z" },
  ]);
  await ana.tab.goesTo("/import");
  const file = ana.label("Archive file");
  await file.isShown();
  await file.chooses({ name: "archive.zip", bytes: packed({ "posts.json": posts }) });
  await ana.role("region", "Preview").says("1 post, 0 pictures");
  await ana.role("button", "Import").is("isDisabled");
  await ana.tab.evaluate(chooseEveryone);
  await ana.role("button", "Import").presses();
  const past = ana.role("list", "Imports").role("listitem");
  await past.says("1 post from Mellow");

  await ana.chooses("View Profile");
  await ana.post("The ferry was early.").says("Imported");
  await ben.tab.goesTo(`/profile/${ana.id}`);
  await ben.post("The ferry was early.").says("Imported");
  await ben.opens("Home");
  await ben.role("heading", "Nothing new.").isShown();

  await ana.tab.goesTo("/import");
  await past.role("button", "Undo Import").presses();
  await ana.role("alertdialog", "Undo Import").role("button", "Undo Import").presses();
  await past.isGone();
  await ben.tab.goesTo(`/profile/${ana.id}`);
  await ben.role("heading", "No posts yet.").isShown();
});
