// In place of the router's own patterns of addresses, which nothing uses: `src/app/Routes.tsx` finds the screen itself.

export function parse(): never {
  throw new Error("no part of the app has patterns of addresses");
}
