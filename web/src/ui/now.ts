// The current time for texts like "5 minutes ago". A device with a wrong clock still shows correct ages,
// because the difference to the server's clock is set here at each connection.

let offsetMs = 0;

export function setClockOffset(ms: number): void {
  offsetMs = ms;
}

export function now(): number {
  return Date.now() + offsetMs;
}
