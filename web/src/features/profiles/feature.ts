import { defineFeature } from "../../engine/feature";
import "./state";

export const profileEdit = defineFeature({ initial: () => ({ profileEdit: null }) });
