import { defineFeature } from "../../engine/feature";
import { nothingPending } from "./pending";

export const pending = defineFeature({ initial: () => ({ pending: nothingPending() }) });
