import { toastList } from "../ui/toast";

/** Returns the messages that are shown, in the order of their list. */
export const toasts = (): string[] => toastList.get().map((toast) => toast.message);
