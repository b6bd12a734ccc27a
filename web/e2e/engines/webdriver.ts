// WebKit, driven over WebDriver (https://www.w3.org/TR/webdriver2/): Debian's WebKitGTK in its MiniBrowser, in a display
// of its own. A driver has one browser, and each browser is a person's own. Parts of a page are found by the library
// that the tests of components use.

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { type AddressInfo, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

import type * as TestingLibrary from "@testing-library/dom";

import { type Engine, type File, type Seen, type Step, type Tab, seen } from "./tab";

const BROWSER = process.env["WEBKIT"] ?? "/usr/lib/x86_64-linux-gnu/webkit2gtk-4.1/MiniBrowser";
/** These limits only end a story that hangs. */
const PRESS_MS = 30_000;
const START_MS = 60_000;
/** The key under which WebDriver returns an element. */
const ELEMENT = "element-6066-11e4-a52e-4f735466cecf";
const KEYS: Record<string, string> = {
  Backspace: "\uE003",
  Tab: "\uE004",
  Enter: "\uE007",
  Escape: "\uE00C",
  Space: " ",
  End: "\uE010",
  Home: "\uE011",
  ArrowLeft: "\uE012",
  ArrowUp: "\uE013",
  ArrowRight: "\uE014",
  ArrowDown: "\uE015",
};

type Found = { [ELEMENT]: string };
type WindowWithLibrary = Window & { TestingLibraryDom?: typeof TestingLibrary };

let library = "";
/** The library as the body of a function. */
const librarySource = (): string =>
  (library ||= readFileSync(
    createRequire(import.meta.url).resolve("@testing-library/dom/dist/@testing-library/dom.umd.min.js"),
    "utf8",
  ));

/** A display without a screen, with a window manager, because only a window in front has the focus. */
export class Display {
  private constructor(
    readonly name: string,
    private readonly processes: ChildProcess[],
  ) {}

  static async start(): Promise<Display> {
    // The server chooses a free number and writes it to its fourth file.
    const server = spawn("Xvfb", ["-displayfd", "3", "-screen", "0", "1600x1400x24", "-nolisten", "tcp"], {
      stdio: ["ignore", "ignore", "ignore", "pipe"],
      detached: true,
    });
    endsWithThis(server);
    const [number] = (await once(server.stdio[3] as NodeJS.ReadableStream, "data")) as [Buffer];
    const name = `:${number.toString().trim()}`;
    const manager = begins("openbox", [], name);
    return new Display(name, [manager, server]);
  }

  stop(): void {
    this.processes.forEach(end);
  }
}

export class WebKitTab implements Tab {
  readonly engine: Engine = "webkit";

  private constructor(
    private readonly driver: ChildProcess,
    private readonly session: string,
    private readonly site: string,
  ) {}

  static async open(display: Display, site: string): Promise<WebKitTab> {
    const port = await freePort();
    const at = `http://127.0.0.1:${port}`;
    const driver = begins("dbus-run-session", ["--", "WebKitWebDriver", `--port=${port}`], display.name);
    const until = Date.now() + START_MS;
    while (
      !(await fetch(`${at}/status`).then(
        ({ ok }) => ok,
        () => false,
      ))
    ) {
      if (Date.now() > until) throw new Error("WebKitWebDriver does not answer");
      await sleep(50);
    }
    const options = { binary: BROWSER, args: ["--automation"] };
    const { sessionId } = await ask<{ sessionId: string }>("POST", `${at}/session`, {
      capabilities: { alwaysMatch: { "webkitgtk:browserOptions": options } },
    });
    return new WebKitTab(driver, `${at}/session/${sessionId}`, site);
  }

  async goesTo(path: string): Promise<void> {
    await this.ask("POST", "url", { url: new URL(path, this.site).href });
  }

  async reloads(): Promise<void> {
    await this.ask("POST", "refresh", {});
  }

  async goesBack(): Promise<void> {
    await this.ask("POST", "back", {});
  }

  async evaluate<R, A>(script: (arg: A) => R, arg?: A): Promise<Awaited<R>> {
    const { value, error } = await this.ask<{ value?: Awaited<R>; error?: string }>("POST", "execute/async", {
      script: `const [arg, done] = arguments;
        Promise.resolve().then(() => (${script})(arg ?? undefined))
          .then((value) => done({ value }), (error) => done({ error: String(error) }));`,
      args: [arg ?? null],
    });
    if (error !== undefined) throw new Error(error);
    return value as Awaited<R>;
  }

  all(steps: readonly Step[]): Promise<Seen[]> {
    return this.finds<Seen[]>(steps, `return found.filter(isVisible).map(${seen})`);
  }

  async presses(steps: readonly Step[]): Promise<void> {
    const until = Date.now() + PRESS_MS;
    for (;;) {
      const [part, ...others] = await this.finds<Found[]>(
        steps,
        `return (${still})(found.filter(isVisible))`,
      );
      try {
        if (part !== undefined && others.length === 0)
          return await this.ask("POST", `element/${part[ELEMENT]}/click`, {});
        if (Date.now() > until)
          throw new Error(`${others.length + (part ? 1 : 0)} parts to press: ${JSON.stringify(steps)}`);
      } catch (error) {
        // The part was replaced or is behind another one, so nothing was pressed.
        if (Date.now() > until || !/stale element|click intercepted|not interactable/.test(String(error)))
          throw error;
      }
      await sleep(50);
    }
  }

  async key(name: string): Promise<void> {
    await this.strikes([KEYS[name] ?? name]);
  }

  /** MiniBrowser has no key for it. */
  async undoes(): Promise<void> {
    await this.evaluate(() => document.execCommand("undo"));
  }

  async types(words: string): Promise<void> {
    await this.strikes([...words.replaceAll("\n", KEYS["Enter"] ?? "")]);
  }

  /** The driver takes one file at a time. */
  async chooses(steps: readonly Step[], files: readonly File[]): Promise<void> {
    const [field] = await this.finds<Found[]>(steps, "return found");
    const folder = mkdtempSync(join(tmpdir(), "mellow-files-"));
    for (const { name, bytes } of files) {
      const path = join(folder, name);
      writeFileSync(path, bytes);
      await this.ask("POST", `element/${field?.[ELEMENT]}/value`, { text: path });
    }
  }

  async resizes(width: number, height: number): Promise<void> {
    // The frame of the window is measured, because only the whole window has a size.
    const [wide, high] = await this.evaluate(() => [innerWidth, innerHeight] as const);
    const whole = await this.ask<{ width: number; height: number }>("GET", "window/rect");
    await this.ask("POST", "window/rect", {
      width: whole.width - wide + width,
      height: whole.height - high + height,
    });
  }

  async screenshot(): Promise<Buffer> {
    return Buffer.from(await this.ask<string>("GET", "screenshot"), "base64");
  }

  async closes(): Promise<void> {
    await ask("DELETE", this.session).catch(() => undefined);
    end(this.driver);
  }

  private ask<T>(method: "GET" | "POST", path: string, body?: object): Promise<T> {
    return ask<T>(method, `${this.session}/${path}`, body);
  }

  private async strikes(keys: string[]): Promise<void> {
    const actions = keys.flatMap((value) => [
      { type: "keyDown", value },
      { type: "keyUp", value },
    ]);
    await this.ask("POST", "actions", { actions: [{ type: "key", id: "keys", actions }] });
  }

  /** Finds the parts in the page, and runs a script with them. Each document loads the library once. */
  private async finds<T>(steps: readonly Step[], then: string): Promise<T> {
    const script = `const isVisible = ${isVisible}, found = (${find})(arguments[0]); if (found === null) return null; ${then}`;
    const args = [steps.map(packed)];
    const run = () =>
      this.ask<T | null>("POST", "execute/sync", { script, args }).catch((error: unknown) => {
        // The driver says so now and then. The page is only read here, so it may be asked again.
        if (!String(error).includes("Could not parse script result")) throw error;
        return this.ask<T | null>("POST", "execute/sync", { script, args });
      });
    let result = await run();
    while (result === null) {
      await this.ask("POST", "execute/sync", {
        script: `var module, exports, define; (function () {${librarySource()}}).call(window);`,
        args: [],
      });
      result = await run();
    }
    return result;
  }
}

/** An expression cannot be sent, so its source is. */
const packed = (step: Step): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(step).map(([key, value]) => [
      key,
      value instanceof RegExp ? { expression: value.source } : value,
    ]),
  );

/** Runs in the page. */
function find(steps: Record<string, never>[]): Element[] | null {
  const dom = (window as WindowWithLibrary).TestingLibraryDom;
  if (dom === undefined) return null;
  const whole = (value: unknown): never =>
    (typeof value === "object" && value !== null && "expression" in value
      ? new RegExp(String(value.expression), "u")
      : value) as never;
  let found: HTMLElement[] = [document.body];
  for (const { role = "none", label, text, has, name, level } of steps) {
    if (has !== undefined) {
      found = found.filter((part) => part.textContent.includes(has));
      continue;
    }
    const inside = found.flatMap((part) => {
      if (label !== undefined) return dom.queryAllByLabelText(part, label);
      if (text !== undefined) return dom.queryAllByText(part, whole(text));
      return dom.queryAllByRole(part, role, {
        ...(name === undefined ? {} : { name: whole(name) }),
        ...(level === undefined ? {} : { level }),
      });
    });
    found = [...new Set(inside)];
  }
  return found;
}

/** Runs in the page. */
function isVisible(part: Element): boolean {
  const { width, height } = part.getBoundingClientRect();
  return width > 0 && height > 0 && getComputedStyle(part).visibility === "visible";
}

/** Runs in the page. Returns the parts that are enabled and stay at their place for two frames. */
async function still(parts: HTMLButtonElement[]): Promise<Element[]> {
  const places = () => JSON.stringify(parts.map((part) => part.getBoundingClientRect()));
  for (const part of parts) part.scrollIntoView({ block: "nearest", behavior: "instant" });
  await new Promise(requestAnimationFrame);
  const before = places();
  await new Promise(requestAnimationFrame);
  return before === places() ? parts.filter((part) => !part.disabled) : [];
}

async function ask<T>(method: string, address: string, body?: object): Promise<T> {
  const response = await fetch(address, { method, ...(body ? { body: JSON.stringify(body) } : {}) });
  const { value } = (await response.json()) as { value: T & { error?: string; message?: string } };
  if (!response.ok) throw new Error(`${address}: ${value.error}: ${value.message}`);
  return value;
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return port;
}

/** Starts a program in a group of its own, so that all its processes end with it. */
function begins(program: string, words: string[], display: string): ChildProcess {
  const env = { ...process.env, DISPLAY: display, GDK_BACKEND: "x11", LIBGL_ALWAYS_SOFTWARE: "1" };
  return endsWithThis(spawn(program, words, { env, stdio: "ignore", detached: true }));
}

const running = new Set<ChildProcess>();
process.once("exit", () => running.forEach(end));

function endsWithThis(program: ChildProcess): ChildProcess {
  running.add(program);
  return program;
}

function end(program: ChildProcess): void {
  running.delete(program);
  try {
    if (program.pid !== undefined) process.kill(-program.pid);
  } catch {
    // All its processes have ended.
  }
}
