// Looking at pictures whole. The viewer itself is fetched when the first picture is opened.

import { useEffect } from "react";
import { later, useAhead, useLater } from "./later";

export type ViewedPicture = {
  url: string;
  /** A smaller file of the same picture that is here already, to look at meanwhile. */
  preview?: string;
  /** What the picture shows, in somebody's words; empty when nobody wrote any. */
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

const pictureViewer = later(() => import("./PictureViewer"));

export function Viewer({ pictures, first, onClose, onFailed }: ViewerProps) {
  const { part, failed, again } = useLater(pictureViewer, first !== null);
  useAhead(pictureViewer);
  useEffect(() => {
    if (!failed) return;
    again();
    onClose();
    onFailed();
  }, [failed]);
  if (part === null || first === null) return null;
  return <part.PictureViewer pictures={pictures} first={first} onClose={onClose} />;
}
