// Whether the page waits to be scrolled to its old position. It must first be as long as it was.

let returning = false;

export const isReturning = (): boolean => returning;

export const setReturning = (is: boolean): void => {
  returning = is;
};
