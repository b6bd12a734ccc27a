// The key of a mutation: 16 random bytes, made once per composed thing. The server answers a
// repeated key with its first answer, so sending twice does once.

export function newKey(): ArrayBuffer {
  return crypto.getRandomValues(new Uint8Array(16)).buffer;
}
