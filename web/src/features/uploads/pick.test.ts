import { describe, expect, test, vi } from "vitest";
import { PICTURE_BYTES_MAX, judge, sniff } from "./pick";

const text = (words: string): Uint8Array<ArrayBuffer> => new TextEncoder().encode(words);
const file = (name: string, ...parts: BlobPart[]): File => new File(parts, name);
const ftyp = (major: string, ...more: string[]): Uint8Array<ArrayBuffer> => {
  const brands = [major, "\0\0\0\0", ...more].join("");
  return new Uint8Array([0, 0, 0, 8 + brands.length, ...text("ftyp"), ...text(brands)]);
};
const jpeg = new Uint8Array([0xff, 0xd8, 0xff, 0xe1, 0, 0]);
const png = new Uint8Array([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0]);

/** The beginning of a PNG of 12,001 by 3,000 pixels. */
const wide = new Uint8Array([
  ...png.slice(0, 8),
  ...[0, 0, 0, 13, ...text("IHDR"), 0, 0, 0x2e, 0xe1, 0, 0, 0x0b, 0xb8],
]);

describe("a chosen file", () => {
  test("is identified by its content", () => {
    expect(sniff(jpeg)).toBe("image/jpeg");
    expect(sniff(png)).toBe("image/png");
    expect(sniff(text("RIFF____WEBPVP8 "))).toBe("image/webp");
    expect(sniff(text("GIF89a.."))).toBe("image/gif");
    expect(sniff(ftyp("heic", "mif1"))).toBe("foreign");
    expect(sniff(ftyp("mif1", "heic"))).toBe("foreign");
    expect(sniff(ftyp("avif", "mif1", "miaf"))).toBe("foreign");
    expect(sniff(ftyp("isom", "mp42"))).toBe(null);
    expect(sniff(text("RIFF____WAVE"))).toBe(null);
    expect(sniff(text("<svg xmlns="))).toBe(null);
    expect(sniff(new Uint8Array())).toBe(null);
    expect(sniff(text("x"))).toBe(null);
  });

  test("keeps its name, and gets the type of its content whatever the name says", async () => {
    const judged = await judge(file("holiday.JPG", png));
    expect(judged).toMatchObject({ ok: true, name: "holiday.JPG", type: "image/png" });
    expect(judged.ok && judged.blob.type).toBe("image/png");
    expect(judged.ok && judged.blob.size).toBe(png.length);
  });

  test("is refused with its name if it is no picture, and so is SVG", async () => {
    for (const [name, content] of [
      ["notes.jpg", "shopping list"],
      ["logo.svg", "<svg/>"],
      ["empty.png", ""],
    ] as const)
      expect(await judge(file(name, content))).toEqual({
        ok: false,
        message: `${name} is not a valid image file`,
      });
  });

  test("may have exactly ten megabytes", async () => {
    const just = file("large.jpg", jpeg, new Uint8Array(PICTURE_BYTES_MAX - jpeg.length));
    expect((await judge(just)).ok).toBe(true);
    const over = file("large.jpg", jpeg, new Uint8Array(PICTURE_BYTES_MAX - jpeg.length + 1));
    expect(await judge(over)).toEqual({
      ok: false,
      message: "Image large.jpg is too large. Maximum size is 10MB",
    });
  });

  test("with more pixels than the server accepts is scaled down, or refused with that reason", async () => {
    const redraw = vi.fn((_: Blob, sideMax: number) =>
      Promise.resolve(new Blob([jpeg, String(sideMax)], { type: "image/jpeg" })),
    );
    const judged = await judge(file("panorama.png", wide), redraw);
    expect(judged).toMatchObject({ ok: true, name: "panorama.png", type: "image/jpeg" });
    expect(redraw).toHaveBeenCalledWith(expect.anything(), 4_096);
    expect(await judge(file("panorama.png", wide), () => Promise.resolve(null))).toEqual({
      ok: false,
      message:
        "panorama.png has too many pixels. An image has at most 12,000 on each side, and 50 million in all.",
    });
  });

  test("with too many pixels is refused with that reason if it moves, because a JPEG would show one picture of it", async () => {
    const gif = new Uint8Array([...text("GIF89a"), 0xe1, 0x2e, 0xb8, 0x0b]);
    const webp = (flags: number) =>
      new Uint8Array([...text("RIFF____WEBPVP8X____"), flags, 0, 0, 0, 0xe0, 0x2e, 0, 0xb7, 0x0b, 0]);
    const redraw = vi.fn(() => Promise.resolve(new Blob([jpeg])));
    for (const [name, content] of [
      ["dance.gif", gif],
      ["dance.webp", webp(0x12)],
    ] as const)
      expect(await judge(file(name, content), redraw)).toMatchObject({
        ok: false,
        message: expect.stringContaining(`${name} has too many pixels.`),
      });
    expect(redraw).not.toHaveBeenCalled();
    expect(await judge(file("still.webp", webp(0x10)), redraw)).toMatchObject({ type: "image/jpeg" });
  });

  test("that cannot be read is not called invalid", async () => {
    const gone = file("gone.jpg", jpeg);
    vi.spyOn(gone, "slice").mockReturnValue({
      arrayBuffer: () => Promise.reject(new Error("NotReadableError")),
    } as unknown as Blob);
    expect(await judge(gone)).toEqual({
      ok: false,
      message: "gone.jpg couldn't be read. Please choose it again.",
    });
  });

  test("from an iPhone becomes a JPEG if the browser can draw it", async () => {
    const redraw = vi.fn(() => Promise.resolve(new Blob([jpeg], { type: "image/jpeg" })));
    const judged = await judge(file("IMG_0001.JPG", ftyp("heic", "mif1")), redraw);
    expect(judged).toMatchObject({ ok: true, name: "IMG_0001.JPG", type: "image/jpeg" });
    expect(judged.ok && judged.blob.size).toBe(jpeg.length);
  });

  test("from an iPhone is refused with its name if the browser cannot draw it", async () => {
    const no = {
      ok: false,
      message: "IMG_0001.HEIC is not a valid image file in this browser. Please save it as a JPEG.",
    };
    expect(await judge(file("IMG_0001.HEIC", ftyp("heic")), () => Promise.resolve(null))).toEqual(no);
    expect(
      await judge(file("IMG_0001.HEIC", ftyp("heic")), () => Promise.reject(new Error("cannot"))),
    ).toEqual(no);
  });
});
