import { cleanup, fireEvent, render } from "@testing-library/react";
import { afterEach, describe, expect, test } from "vitest";
import { Avatar } from "./Avatar";

afterEach(cleanup);

const photos = (box: HTMLElement) => [...box.querySelectorAll("img")];

describe("an avatar", () => {
  test("shows the initials until the photo has loaded", () => {
    const { container } = render(<Avatar id={1} name="Ana Lima" photo="/media/a" size={32} />);
    expect(container.querySelector("svg")?.textContent).toBe("AL");
    const [photo] = photos(container);
    expect(photo?.getAttribute("alt")).toBe("");
    expect(photo?.getAttribute("loading")).toBe("lazy");
    expect(photo?.hasAttribute("data-here")).toBe(false);
    fireEvent.load(photo as Element);
    expect(photo?.hasAttribute("data-here")).toBe(true);
  });

  test("shows the initials when the photo fails, and tries again when the connection is back", () => {
    const { container } = render(<Avatar id={1} name="Ana" photo="/media/a" />);
    fireEvent.error(photos(container)[0] as Element);
    expect(photos(container)).toEqual([]);
    fireEvent(window, new Event("online"));
    expect(photos(container)).toHaveLength(1);
  });

  test("shows a new photo only after it has loaded", () => {
    const { container, rerender } = render(<Avatar id={1} name="Ana" photo="/media/a" />);
    fireEvent.load(photos(container)[0] as Element);
    rerender(<Avatar id={1} name="Ana" photo="/media/b" />);
    expect(photos(container).map((one) => one.getAttribute("src"))).toEqual(["/media/a", "/media/b"]);
    fireEvent.load(photos(container)[1] as Element);
    expect(photos(container).map((one) => one.getAttribute("src"))).toEqual(["/media/b"]);
    rerender(<Avatar id={1} name="Ana" photo={null} />);
    expect(photos(container)).toEqual([]);
  });
});
