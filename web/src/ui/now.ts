// What time it is for words like "5 minutes ago". A device whose clock is wrong still shows true
// ages: the difference to the server's clock is told here once per connection.

let offsetMs = 0;

export function setClockOffset(ms: number): void {
  offsetMs = ms;
}

export function now(): number {
  return Date.now() + offsetMs;
}
