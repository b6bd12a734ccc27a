import { render } from "@testing-library/react";
import { describe, expect, test } from "vitest";
import { translate } from "../testing/bareText";
import { UserText } from "./UserText";

const show = (text: string): HTMLElement => render(<UserText text={text} />).container;

describe("text that a person wrote", () => {
  test("is never interpreted as markup", () => {
    const box = show('<img src=x onerror="alert(1)"><b>bold</b>');
    expect(box.querySelector("img, b")).toBeNull();
    expect(box.textContent).toBe('<img src=x onerror="alert(1)"><b>bold</b>');
  });

  test("keeps its line breaks and chooses its own direction", () => {
    const box = show("one\n\ntwo");
    expect(box.textContent).toBe("one\n\ntwo");
    expect(box.firstElementChild?.getAttribute("dir")).toBe("auto");
  });

  test("links web addresses, without a referrer", () => {
    const link = show("see https://example.org/a?b=c now").querySelector("a");
    expect(link?.getAttribute("href")).toBe("https://example.org/a?b=c");
    expect(link?.getAttribute("rel")).toBe("nofollow ugc noopener noreferrer");
  });

  test("does not take the end of a sentence into an address", () => {
    expect(show("(https://example.org/a).").querySelector("a")?.textContent).toBe("https://example.org/a");
    expect(show("https://example.org/a_(b)!").querySelector("a")?.textContent).toBe(
      "https://example.org/a_(b)",
    );
  });

  test("can change while the browser translates the page", () => {
    const { container, rerender } = render(<UserText text="Go to https://a.example/x now" />);
    translate(container);
    rerender(<UserText text="Go now" />);
    expect(container.textContent).toBe("Go now");
  });

  test("links only http and https", () => {
    expect(show("javascript:alert(1) data:text/html,x ftp://x.org http://").querySelector("a")).toBeNull();
  });
});
