import { say } from "../say";
import { common } from "../text";
import { Button } from "./Button";
import css from "./InlineError.module.css";

/** Shown in place of something that did not load, with a button to try again. */
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
        <Button variant="quiet" small onClick={onRetry}>
          {say(common.tryAgain)}
        </Button>
      )}
    </div>
  );
}
