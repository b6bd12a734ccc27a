/** The server refused a request, or did not reply. `retryMs` is null if trying again does not help. */
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
