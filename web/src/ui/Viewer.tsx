// Opens the picture viewer. Its code is loaded when the first picture is opened.

import { lazyPart, usePreload, useLazyPart } from "./lazyPart";

export type ViewedPicture = {
  url: string;
  /** A smaller file of the same picture that is loaded already. It is shown until the large one is loaded. */
  preview?: string;
  /** The description of the picture; empty if there is none. */
  alt: string;
  width: number;
  height: number;
  motion_url?: string | null;
};

export type ViewerProps = {
  pictures: readonly ViewedPicture[];
  /** The index of the picture to show first; null while the viewer is closed. */
  first: number | null;
  onClose: () => void;
  /**
   * Called after `onClose` if the viewer could not be loaded. The caller shows a message beside the picture.
   */
  onFailed: () => void;
};

const pictureViewer = lazyPart(() => import("./PictureViewer"));

export function Viewer({ pictures, first, onClose, onFailed }: ViewerProps) {
  const { part } = useLazyPart(pictureViewer, first !== null, () => {
    onClose();
    onFailed();
  });
  usePreload(pictureViewer);
  if (part === null || first === null) return null;
  return <part.PictureViewer pictures={pictures} first={first} onClose={onClose} />;
}
