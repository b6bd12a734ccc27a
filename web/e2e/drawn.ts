// Pictures for the stories. The browser draws them, so the repository contains none.

import type { Browser, Page } from "@playwright/test";

import { opened } from "./engines/firefox";

export type Scene = "harbour" | "bread" | "hills" | "plums";

const SIZES: Record<Scene, [number, number]> = {
  harbour: [1600, 1067],
  bread: [1200, 1600],
  hills: [1600, 900],
  plums: [1200, 1200],
};

/** Returns a scene as the bytes of a JPEG. */
export async function drawn(browser: Browser, scene: Scene, size = SIZES[scene]): Promise<Buffer> {
  // Firefox ends with its last window, and the browser is for all stories.
  const context = await opened(browser, {});
  const page = await context.newPage();
  const url = await page.evaluate(paint, { scene, width: size[0], height: size[1] });
  await context.close();
  return Buffer.from(url.slice(url.indexOf(",") + 1), "base64");
}

/** Returns an endless GIF that changes from one colour to the next. */
export function turning(
  colors: readonly [number, number, number][] = [
    [180, 87, 75],
    [63, 110, 153],
  ],
  side = 96,
): Buffer {
  const two = (n: number) => [n & 255, n >> 8];
  const palette = Array.from({ length: 128 }, (_, at) => colors[at] ?? [0, 0, 0]).flat();
  const frames = colors.flatMap((_, color) => {
    // Codes have eight bits and are reset before they would grow, so nothing is compressed.
    const codes: number[] = [];
    for (let at = 0; at < side * side; at += 1) {
      if (at % 120 === 0) codes.push(128);
      codes.push(color);
    }
    codes.push(129);
    const blocks: number[] = [];
    for (let at = 0; at < codes.length; at += 255) {
      const block = codes.slice(at, at + 255);
      blocks.push(block.length, ...block);
    }
    return [
      0x21,
      0xf9,
      4,
      0,
      ...two(40),
      0,
      0,
      0x2c,
      0,
      0,
      0,
      0,
      ...two(side),
      ...two(side),
      0,
      7,
      ...blocks,
      0,
    ];
  });
  const forEver = [0x21, 0xff, 11, ...Buffer.from("NETSCAPE2.0"), 3, 1, 0, 0, 0];
  return Buffer.from([
    ...Buffer.from("GIF89a"),
    ...two(side),
    ...two(side),
    0xf6,
    0,
    0,
    ...palette,
    ...forEver,
    ...frames,
    0x3b,
  ]);
}

/** Returns noise as a JPEG. It cannot be compressed, so at this size it has several megabytes. */
export async function heavy(page: Page, seed: number, [wide, high] = [2_000, 1_500]): Promise<Buffer> {
  const url = await page.evaluate(
    ({ from, wide, high }) => {
      const canvas = document.createElement("canvas");
      canvas.width = wide;
      canvas.height = high;
      const pen = canvas.getContext("2d") as CanvasRenderingContext2D;
      const noise = pen.createImageData(canvas.width, canvas.height);
      let state = from;
      for (let at = 0; at < noise.data.length; at += 1) {
        state = (state * 16_807) % 2_147_483_647;
        noise.data[at] = at % 4 === 3 ? 255 : state & 255;
      }
      pen.putImageData(noise, 0, 0);
      return canvas.toDataURL("image/jpeg", 0.92);
    },
    { from: seed, wide: wide ?? 0, high: high ?? 0 },
  );
  return Buffer.from(url.slice(url.indexOf(",") + 1), "base64");
}

type Wanted = { scene: Scene; width: number; height: number };

function paint({ scene, width, height }: Wanted): string {
  const canvas = document.createElement("canvas");
  canvas.width = width;
  canvas.height = height;
  const brush = canvas.getContext("2d") as CanvasRenderingContext2D;
  let seed = 7;
  const random = () => (seed = (seed * 16_807) % 2_147_483_647) / 2_147_483_647;
  const fade = (from: number, to: number, ...colors: string[]) => {
    const gradient = brush.createLinearGradient(0, from * height, 0, to * height);
    colors.forEach((color, at) => gradient.addColorStop(at / (colors.length - 1), color));
    brush.fillStyle = gradient;
    brush.fillRect(0, from * height, width, (to - from) * height + 1);
  };
  const dot = (x: number, y: number, wide: number, high: number, color: string) => {
    brush.fillStyle = color;
    brush.beginPath();
    brush.ellipse(x * width, y * height, wide * width, high * width, 0, 0, 7);
    brush.fill();
  };
  const box = (x: number, y: number, wide: number, high: number, color: string) => {
    brush.fillStyle = color;
    brush.fillRect(x * width, y * height, wide * width, high * height);
  };
  const ridge = (y: number, rough: number, color: string) => {
    brush.fillStyle = color;
    brush.beginPath();
    brush.moveTo(0, height);
    for (let x = 0; x <= 1.001; x += 0.02)
      brush.lineTo(
        x * width,
        (y + rough * (Math.sin(x * 7 + y * 20) + 0.5 * Math.sin(x * 17 + y * 9) + 0.2 * random())) * height,
      );
    brush.lineTo(width, height);
    brush.fill();
  };
  if (scene === "harbour") {
    fade(0, 0.62, "#7f9fb8", "#e9c39b", "#f6d9ae");
    dot(0.7, 0.46, 0.06, 0.06, "#fff1cf");
    ridge(0.56, 0.015, "#6f7f8c");
    fade(0.61, 1, "#8a93a0", "#3f6173", "#1f3f52");
    for (let at = 0; at < 160; at += 1)
      box(
        0.5 + random() * 0.4 * (random() > 0.5 ? 1 : -1),
        0.62 + random() * 0.36,
        0.02 + random() * 0.05,
        0.004,
        "rgb(255 232 190 / 0.25)",
      );
    fade(0.86, 1, "#5b4636", "#3a2c22");
    for (const x of [0.26, 0.37]) box(x, 0.7, 0.012, 0.22, "#2c211a");
    box(0.25, 0.77, 0.14, 0.03, "#3b2d23");
    box(0.25, 0.58, 0.016, 0.22, "#3b2d23");
    for (const y of [0.6, 0.65, 0.7]) box(0.25, y, 0.02, 0.02, "#4a382c");
  } else if (scene === "bread") {
    fade(0, 1, "#efe6d8", "#d9c3a3", "#a57f58");
    box(0, 0.66, 1, 0.34, "#8a6544");
    for (let at = 0; at < 60; at += 1) box(0, 0.66 + random() * 0.34, 1, 0.003, "rgb(60 40 24 / 0.18)");
    dot(0.5, 0.66, 0.37, 0.2, "#7c4f28");
    dot(0.5, 0.61, 0.35, 0.21, "#c08a4e");
    dot(0.46, 0.56, 0.26, 0.12, "#dbb077");
    for (const x of [0.32, 0.46, 0.6]) dot(x, 0.57, 0.02, 0.12, "#f3dcb4");
    for (let at = 0; at < 300; at += 1)
      dot(0.2 + random() * 0.6, 0.45 + random() * 0.25, 0.003, 0.003, "rgb(255 250 240 / 0.5)");
  } else if (scene === "hills") {
    fade(0, 0.7, "#8db3d2", "#dfe9ee");
    ridge(0.42, 0.05, "#9fb3b5");
    ridge(0.55, 0.05, "#7d9a86");
    ridge(0.68, 0.045, "#587a5a");
    ridge(0.82, 0.03, "#3d5a44");
  } else {
    fade(0, 1, "#f0e7f2", "#cdbad2");
    box(0, 0.7, 1, 0.3, "#b79f8d");
    for (const [x, y] of [
      [0.34, 0.62],
      [0.55, 0.6],
      [0.7, 0.68],
      [0.46, 0.73],
    ] as const) {
      dot(x, y + 0.02, 0.13, 0.12, "#3d2547");
      dot(x, y, 0.13, 0.12, "#6a4b7b");
      dot(x - 0.04, y - 0.05, 0.04, 0.03, "#a98bb9");
    }
  }
  return canvas.toDataURL("image/jpeg", 0.9);
}
