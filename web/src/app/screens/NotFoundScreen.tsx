// The screen of an unknown address.

import { NotFound } from "../NotFound";
import { notFound } from "../notFoundWords";

export default function NotFoundScreen() {
  return <NotFound title={notFound.page}>{notFound.pageWhy}</NotFound>;
}
