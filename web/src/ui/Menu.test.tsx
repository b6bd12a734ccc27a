import { fireEvent, render, screen } from "@testing-library/react";
import { expect, test, vi } from "vitest";
import { Menu } from "./Menu";

test("arrow and letter keys move in a menu, and Escape returns the focus to its button", () => {
  const onSelect = vi.fn();
  render(
    <Menu
      label="Account menu"
      items={[
        { label: "View Profile", href: "/profile/1" },
        { label: "Log Out", onSelect },
      ]}
    >
      <span>A</span>
    </Menu>,
  );
  const button = screen.getByRole("button", { name: /Account menu/u });
  expect(button.getAttribute("aria-haspopup")).toBe("menu");
  fireEvent.click(button);
  const menu = screen.getByRole("menu");
  expect(document.activeElement?.textContent).toBe("View Profile");
  fireEvent.keyDown(menu, { key: "ArrowDown" });
  expect(document.activeElement?.textContent).toBe("Log Out");
  fireEvent.keyDown(menu, { key: "ArrowDown" });
  expect(document.activeElement?.textContent).toBe("View Profile");
  fireEvent.keyDown(menu, { key: "l" });
  expect(document.activeElement?.textContent).toBe("Log Out");
  fireEvent.keyDown(menu, { key: "Escape" });
  expect(screen.queryByRole("menu")).toBeNull();
  expect(document.activeElement).toBe(button);
  fireEvent.click(button);
  fireEvent.click(screen.getByRole("menuitem", { name: "Log Out" }));
  expect(onSelect).toHaveBeenCalledOnce();
});
