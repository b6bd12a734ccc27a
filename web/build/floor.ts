// The oldest browsers that can run Mellow. The build makes scripts and styles for them, an older one gets a page that
// says so (src/theme/early.js), and a test compares the features that Mellow uses with them (src/floor.test.ts).

export const FLOOR = { chrome: "123", edge: "123", firefox: "125", safari: "17.5" } as const;

/** The floor as the build wants it. */
export const TARGET = Object.entries(FLOOR).map(([browser, version]) => browser + version);

/** The floor as people read it. */
export const FLOOR_WORDS = `Chrome or Edge ${FLOOR.chrome}, Firefox ${FLOOR.firefox} and Safari ${FLOOR.safari}`;
