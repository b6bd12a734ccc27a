import { Component } from "react";
import type { ReactNode } from "react";
import { shell } from "../text";
import { Button } from "../ui/Button";
import css from "./SignInPrompt.module.css";

type Props = { children: ReactNode };

/**
 * Shown in place of a screen that failed. The usual cause is a file of an older build that the server no
 * longer has; loading the page again helps. The header and the bottom bar stay usable.
 */
export class Boundary extends Component<Props, { failed: boolean }> {
  override state = { failed: false };

  static getDerivedStateFromError(): { failed: boolean } {
    return { failed: true };
  }

  override render(): ReactNode {
    if (!this.state.failed) return this.props.children;
    return (
      <div className={css.prompt} role="alert">
        <h1>{shell.name}</h1>
        <p>{shell.freshVersion}</p>
        <Button onClick={() => location.reload()}>{shell.reload}</Button>
      </div>
    );
  }
}
