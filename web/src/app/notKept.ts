// Tells a person that this browser did not keep their login. Few people ever see it, so it is a file of its own.

import { say } from "../say";
import { toast } from "../ui/toast";

const NOT_KEPT =
  "This browser didn't keep your login. If the connection is lost, you'll be asked to log in again. What you write stays.";

export function tellNotKept(): void {
  toast(say(NOT_KEPT), { error: true, ms: 15_000 });
}
