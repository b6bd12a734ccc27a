// Whether passkeys work at the address of this page (D-V2). The page contains the host name to which they belong, an
// empty one if they can work nowhere, and none if the host has switched them off.

/**
 * `here`: they belong to this host name. `elsewhere`: they cannot work at this address. `off`: the host has switched
 * them off, and nothing of them is shown.
 */
export type PasskeyPlace = "here" | "elsewhere" | "off";

export function passkeyPlace({ hostname }: Pick<Location, "hostname"> = location): PasskeyPlace {
  const host = document.head.querySelector<HTMLMetaElement>('meta[name="mellow:passkeys"]')?.content;
  if (host === undefined) return "off";
  return host === hostname ? "here" : "elsewhere";
}

/** Returns whether this browser can use passkeys on this page. */
export const canUsePasskeys = (): boolean => passkeyPlace() === "here" && "PublicKeyCredential" in window;
