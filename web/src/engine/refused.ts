/** The server said no, or the answer did not come. `retryMs` null: trying again will not help. */
export class RefusedError extends Error {
  constructor(
    readonly code: string,
    message: string,
    readonly field: string | null = null,
    readonly retryMs: number | null = null,
  ) {
    super(message);
    this.name = "RefusedError";
  }
}
