// Shows the notices about the account of the person who is signed in.

import { createRoot } from "react-dom/client";
import { store } from "../../engine/store";
import { noticePlace } from "../../ui/noticePlace";
import { AccountNotice } from "./AccountNotice";
import { noticeList, readNotices } from "./list";

/** Begins to read the notices. The line is in the page from the first notice on. */
export function followNotices(): void {
  const ignore = noticeList.watch(() => {
    ignore();
    createRoot(noticePlace()).render(<AccountNotice />);
  });
  store.subscribe(readNotices);
  readNotices();
}
