import { Leaf } from "lucide-react";

/** A positive vibe, and the words that tell guests of it. */
export const PositiveIcon = Leaf;
