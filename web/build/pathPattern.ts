// Patterns of addresses for the router: parts such as `:id`, and `*` for all.

export function parse(input: string): { keys: string[]; pattern: RegExp } {
  const keys: string[] = [];
  const pattern = input.replace("*", ".*").replace(/:(\w+)/gu, (_, key: string) => {
    keys.push(key);
    return "([^/]+?)";
  });
  return { keys, pattern: new RegExp(`^${pattern}/?$`, "i") };
}
