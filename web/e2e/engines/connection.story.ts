// The end of the server and its return, in every engine.

import { RestartableServer } from "../restartableServer";
import { test } from "./test";

let server: RestartableServer;
test.beforeEach(async () => {
  server = new RestartableServer();
  await server.start();
});
test.afterEach(() => server.kill());

const TEA = "The kettle is on.";

test("c43: The server is killed and comes back: typed text stays, and what was missed arrives", async ({
  visitor,
}) => {
  const site = `http://${server.address}`;
  const ana = await (await visitor("Ana", undefined, site)).signsUp();
  const ben = await (await visitor("Ben", "chromium", site)).signsUp();
  await ben.posted(TEA);
  await ana.follows(ben);
  await ana.opens("Home");
  const box = ana.post(TEA).role("textbox", "Write a comment");
  await box.fills("Half a thought");
  const state = ana.role("status", "Connection");
  await state.says("Live");
  await server.kill();
  await state.says(/Reconnecting|offline/);
  await ana.post(TEA).role("button", "Positive Vibes").presses();
  await server.start();
  await ben.posted("While you were away.");
  await state.says("Live");
  await ana.role("button", "1 new post").presses();
  await ana.post("While you were away.").isShown();
  await box.holds("Half a thought");
  await ana.post(TEA).role("button", "Positive Vibes").has("aria-pressed", "true");
  await ben.chooses("View Profile");
  await ben.post(TEA).says("1 positive vibe");
});

test("c43: Mellow opens without its server and shows the kept feed, and goes on when the server is back", async ({
  visitor,
}) => {
  const ana = await (await visitor("Ana", undefined, `http://${server.address}`)).signsUp();
  await ana.posted(TEA);
  await ana.tab.goesTo("/");
  await ana.post(TEA).isShown();
  await ana.tab.evaluate(async () => {
    await navigator.serviceWorker.ready;
  });
  await server.kill();
  await ana.tab.goesTo("/");
  await ana.post(TEA).isShown();
  await ana.role("status", "Connection").says("You're offline.");
  await server.start();
  await ana.role("status", "Connection").says("Live");
  await ana.post(TEA).isShown();
});
