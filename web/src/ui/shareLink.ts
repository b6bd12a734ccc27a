// Shares a link by the device's share sheet, or copies it to the clipboard if there is none.

export type Shared = "shared" | "copied" | "failed";

export async function shareLink(url: string): Promise<Shared> {
  if (typeof navigator.share === "function") {
    try {
      await navigator.share({ url });
      return "shared";
    } catch (error) {
      // The user closed the sheet, which is not a failure.
      if (error instanceof DOMException && error.name === "AbortError") return "shared";
    }
  }
  return copyLink(url);
}

export async function copyLink(url: string): Promise<Shared> {
  try {
    await navigator.clipboard.writeText(url);
    return "copied";
  } catch {
    return "failed";
  }
}
