import { fireEvent, render, screen, waitFor } from "@testing-library/react";
import { afterEach, describe, expect, test, vi } from "vitest";
import { onAnnounce } from "../../ui/announce";
import { useKeepPage } from "./AddPictures";
import type { Picture } from "./chosen";
import { Pictures } from "./chosen";
import { ChosenPictures } from "./ChosenPictures";

const aPicture = (over: Partial<Picture> = {}): Picture => ({
  upload: "00",
  name: "a.gif",
  type: "image/gif",
  size: 3,
  index: 0,
  alt: "",
  blob: new Blob(["gif"], { type: "image/gif" }),
  state: "waiting",
  message: null,
  ...over,
});

const show = (picture: Picture, { isSending = false, isSaving = false } = {}) => {
  const list = new Pictures({
    ask: vi.fn(),
    clock: { now: () => 0, after: () => () => undefined } as never,
    changed: vi.fn(),
    keep: vi.fn(),
    drop: vi.fn(),
  });
  const onRetry = vi.fn();
  const { container } = render(
    <ChosenPictures
      list={list}
      pictures={[picture]}
      isSending={isSending}
      isSaving={isSaving}
      onRetry={onRetry}
    />,
  );
  return { container, list, onRetry };
};

afterEach(() => {
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
});

describe("a chosen picture", () => {
  test("is shown by its first frame if it may be animated", async () => {
    const close = vi.fn();
    const drawImage = vi.fn();
    vi.stubGlobal("createImageBitmap", () => Promise.resolve({ width: 704, height: 1_408, close }));
    vi.spyOn(HTMLCanvasElement.prototype, "getContext").mockReturnValue({ drawImage } as never);
    const { container } = show(aPicture());
    await waitFor(() => expect(close).toHaveBeenCalled());
    const canvas = container.querySelector("canvas");
    expect([canvas?.width, canvas?.height]).toEqual([352, 704]);
    expect(drawImage).toHaveBeenCalledOnce();
    expect(container.querySelector("img")).toBe(null);
  });

  test("is refused if the browser cannot show it", async () => {
    vi.stubGlobal("createImageBitmap", () => Promise.reject(new Error("no picture")));
    const { container, list } = show(aPicture());
    const reject = vi.spyOn(list, "reject");
    await waitFor(() => expect(container.querySelector("img")).not.toBe(null));
    fireEvent.error(container.querySelector("img") as HTMLImageElement);
    expect(reject).toHaveBeenCalledWith("00");
  });

  test("can be retried after a failure while others are sent, but not while the post is created", () => {
    const failed = aPicture({
      type: "image/jpeg",
      state: "failed",
      message: "a.gif didn't get through. It's still here.",
    });
    const { onRetry } = show(failed, { isSending: true });
    fireEvent.click(screen.getByRole("button", { name: "Try picture 1 again" }));
    expect(onRetry).toHaveBeenCalledWith("00");
    show(failed, { isSaving: true });
    expect(
      screen.getAllByRole<HTMLButtonElement>("button", { name: "Try picture 1 again" }).at(-1)?.disabled,
    ).toBe(true);
  });
});

test("added pictures are announced together, and refused ones are not", async () => {
  const said: string[] = [];
  const stop = onAnnounce("polite", ({ text }) => said.push(text));
  const list = new Pictures({
    ask: vi.fn(),
    clock: { now: () => 0, after: () => () => undefined } as never,
    changed: vi.fn(),
    keep: vi.fn(),
    drop: vi.fn(),
    judge: async (blob) =>
      blob.name === "notes.txt"
        ? { ok: false, message: "notes.txt is not a valid image file" }
        : { ok: true, name: blob.name, type: "image/png", blob },
  });
  const file = (name: string) => new File([name], name);
  await list.add([file("notes.txt")]);
  expect(said).toEqual([]);
  await list.add([file("a.png")]);
  await list.add([file("b.png"), file("notes.txt"), file("c.png")]);
  expect(said).toEqual(["Picture added", "2 pictures added"]);
  stop();
});

test("a file that is dropped outside the form does not replace the page", () => {
  const Page = () => {
    useKeepPage();
    return null;
  };
  const { unmount } = render(<Page />);
  const drop = (types: string[]): boolean => {
    const event = Object.assign(new Event("drop", { bubbles: true, cancelable: true }), {
      dataTransfer: { types, files: [] },
    });
    fireEvent(document.body, event);
    return event.defaultPrevented;
  };
  expect(drop(["Files"])).toBe(true);
  expect(drop(["text/plain"])).toBe(false);
  unmount();
  expect(drop(["Files"])).toBe(false);
});
