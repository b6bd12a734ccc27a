// Focuses a button that is pressed where the browser does not, as Safari on a Mac. Everything that returns
// the focus to the pressed button, or asks whether it has the focus, relies on that.

/** Focuses each pressed button that its browser did not focus. Returns a function that ends this. */
export function startPressFocus(): () => void {
  /** A press has begun, and the page did not keep the focus where it was, as the list of people below a box does. */
  let isPressed = false;
  const down = ({ defaultPrevented }: MouseEvent): void => {
    isPressed = !defaultPrevented;
  };
  /** A shortcut may press a button by a script. */
  const end = (): void => {
    isPressed = false;
  };
  const press = ({ target }: MouseEvent): void => {
    const button = target instanceof Element ? target.closest<HTMLElement>("button, input") : null;
    if (button === null) return;
    const active = document.activeElement;
    // On an iPhone a pressed button leaves the focus in a field, whose keyboard should stay.
    const isNowhere = active === null || (active !== button && active.contains(button));
    if (isNowhere && isPressed) button.focus({ preventScroll: true });
    end();
  };
  addEventListener("mousedown", down);
  addEventListener("keydown", end, { capture: true });
  addEventListener("click", press, { capture: true });
  return () => {
    removeEventListener("mousedown", down);
    removeEventListener("keydown", end, { capture: true });
    removeEventListener("click", press, { capture: true });
  };
}
