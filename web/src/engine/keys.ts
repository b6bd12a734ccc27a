// The key of a mutation: 16 random bytes, made once for each post, comment or other change. The server
// answers a repeated key with the first reply, so a mutation that is sent twice is applied once.

export function newKey(): ArrayBuffer {
  return crypto.getRandomValues(new Uint8Array(16)).buffer;
}

/** Gives the same body the same key, so that a retry after a lost reply is applied once. */
export class RequestKey {
  private key: ArrayBuffer | null = null;
  private body = "";

  for(body: unknown): ArrayBuffer {
    const text = JSON.stringify(body);
    if (this.key === null || this.body !== text) this.key = newKey();
    this.body = text;
    return this.key;
  }

  /** The request was answered. From now on the same body is a new request with a new key. */
  done(): void {
    this.key = null;
  }
}
