// The screen of an unknown address.

import { say } from "../../say";
import { NotFound } from "../NotFound";
import { notFound } from "../notFoundWords";

export default function NotFoundScreen() {
  return <NotFound title={say(notFound.page)}>{say(notFound.pageWhy)}</NotFound>;
}
