// The name of a device, in the language of the page. The server sends `Firefox on Linux`, or nothing if it does not
// know the device.

import { say } from "../../say";
import { Say } from "../../ui/Say";

const BOTH = "{browser} on {system}";

/** The name of a device inside other text. */
export function Device({ name }: { name: string }) {
  const [browser, system] = name.split(" on ");
  if (system !== undefined)
    return <Say text={BOTH} browser={<bdi>{browser}</bdi>} system={<bdi>{system}</bdi>} />;
  return <bdi>{name === "" ? say("A browser") : name}</bdi>;
}

/** Returns the name of a device as a line by itself; empty if it is not known. */
export function deviceLine(name: string): string {
  const [browser = "", system] = name.split(" on ");
  // Without the signs that keep a name apart from the text around it.
  return system === undefined ? name : say(BOTH, { browser, system }).replaceAll(/[\u2068\u2069]/gu, "");
}
