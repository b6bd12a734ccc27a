import { say } from "../say";
import { common } from "../text";
import { Button } from "./Button";
import { catchFocus } from "./focus";
import css from "./InlineError.module.css";

/** Shown in place of something that did not load, with a button to try again, which goes when it is pressed. */
export function InlineError({
  message = say(common.notLoaded),
  onRetry,
}: {
  message?: string;
  onRetry?: () => void;
}) {
  return (
    <div className={css.box} role="alert">
      <p>{message}</p>
      {onRetry !== undefined && (
        <Button
          variant="quiet"
          small
          onClick={({ currentTarget }) => {
            const around = currentTarget.closest<HTMLElement>("[tabindex]");
            onRetry();
            catchFocus(() => around);
          }}
        >
          {say(common.tryAgain)}
        </Button>
      )}
    </div>
  );
}
