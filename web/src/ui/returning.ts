// Whether the page is about to be scrolled to where its reader was. Until it is as long as it was, it cannot be.

let returning = false;

export const isReturning = (): boolean => returning;

export const setReturning = (is: boolean): void => {
  returning = is;
};
