import { defineFeature } from "../../engine/feature";
import { mentioned } from "../shared/mentions";
import "./state";

export const comments = defineFeature({
  initial: () => ({ drafts: {}, meant: {} }),
  users: ({ pending, meant }) => [
    ...pending.comments.flatMap(({ text }) => mentioned(text)),
    ...Object.values(meant).flatMap((all) => all.map(({ id }) => id)),
  ],
});
