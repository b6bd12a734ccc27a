import { Component } from "react";
import type { ReactNode } from "react";
import { store } from "../engine/store";
import { say } from "../say";
import { common, shell } from "../text";
import { Button } from "../ui/Button";
import css from "./SignInPrompt.module.css";

type Props = { children: ReactNode };
/** `isMissing`: the file of the screen could not be loaded. */
type State = { failed: boolean; isMissing: boolean };

/** The file of a screen could not be loaded, so drawing the screen again does not help. */
export class NotLoaded extends Error {}

/** How long a screen that was drawn again must last. One that fails earlier would fail again and again. */
const LIVES_MS = 3_000;

/**
 * Draws a screen again after it failed, because a translator or another extension may have taken it apart. If
 * it fails again, or its file is missing, a sentence is shown in its place. A file is usually missing because
 * it belongs to an older build that the server no longer has, so loading the page again helps, or because there is no
 * connection, so it is tried again with the next one. What is around the boundary stays usable.
 */
export class Boundary extends Component<Props, State> {
  override state: State = { failed: false, isMissing: false };
  private drawnMs = -Infinity;

  /**
   * After an outage the file may be there, and during one the sentence is another. The function that ends the
   * subscription is called at the end.
   */
  override componentDidMount(): void {
    this.componentWillUnmount = store.subscribe((now, { connection }) => {
      if (now.connection === connection) return;
      if (now.connection.state === "live") this.setState({ failed: false });
      else if (this.state.failed) this.forceUpdate();
    });
  }

  static getDerivedStateFromError(error: unknown): State {
    return { failed: true, isMissing: error instanceof NotLoaded };
  }

  override componentDidCatch(error: unknown): void {
    if (error instanceof NotLoaded || performance.now() - this.drawnMs < LIVES_MS) return;
    this.drawnMs = performance.now();
    this.setState({ failed: false });
  }

  override render(): ReactNode {
    if (!this.state.failed) return this.props.children;
    // Without a network another load of the page would only lose it.
    if (this.state.isMissing && store.getState().connection.state === "offline")
      return (
        <div className={css.prompt} role="alert">
          <h1>{say("You're offline")}</h1>
          <p>{say(common.notKept)}</p>
        </div>
      );
    return (
      <div className={css.prompt} role="alert">
        <h1>{shell.name}</h1>
        <p>{say(shell.freshVersion)}</p>
        <Button onClick={() => location.reload()}>{say(shell.reload)}</Button>
      </div>
    );
  }
}
