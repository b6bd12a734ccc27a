// Opens the picture viewer, whose code is loaded with the first opened picture.

import { lazyPart, usePreload, useLazyPart } from "./lazyPart";

export type ViewedPicture = {
  url: string;
  /** A smaller file of the same picture that is loaded already, shown meanwhile. */
  preview?: string;
  /** The description of the picture; empty when there is none. */
  alt: string;
  width: number;
  height: number;
  motion_url?: string | null;
};

export type ViewerProps = {
  pictures: readonly ViewedPicture[];
  /** Which picture is looked at first; null while the viewer is closed. */
  first: number | null;
  onClose: () => void;
  /** The viewer could not be fetched: `onClose` was called, and a word beside the picture is due. */
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
