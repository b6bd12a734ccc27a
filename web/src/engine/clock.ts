// Time and timers as an object, so that a test can control them.

export type Timer = ReturnType<typeof setTimeout>;

export type Clock = {
  now(): number;
  after(ms: number, run: () => void): Timer;
  cancel(timer: Timer | null): void;
  random(): number;
};

export const realClock: Clock = {
  now: () => Date.now(),
  after: (ms, run) => setTimeout(run, ms),
  cancel: (timer) => {
    if (timer !== null) clearTimeout(timer);
  },
  random: () => Math.random(),
};
