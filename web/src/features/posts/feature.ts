import { defineFeature } from "../../engine/feature";
import "./state";

export const postEdits = defineFeature({ initial: () => ({ edits: {} }) });
