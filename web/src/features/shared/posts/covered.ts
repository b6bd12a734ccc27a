import { createContext } from "react";

/** Whether the post around a component is covered by its content note. Then nothing of the post is shown. */
export const Covered = createContext(false);
