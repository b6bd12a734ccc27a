import { Leaf } from "lucide-react";

/** The icon of a positive vibe, and of the text that explains it to guests. */
export const PositiveIcon = Leaf;
