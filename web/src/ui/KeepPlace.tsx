// Keeps the reading position when something is inserted or removed above it.
//
// Promise: the topmost visible part with `data-place` that remains is at the same height in the window before
// and after a change. A page that is too short for that is extended. A part with `data-place="focused"`
// counts while the focus is in it, so that a field does not move while it is typed in.

import { Component, createRef } from "react";
import type { ReactNode } from "react";

type Seen = { part: Element; top: number };

// A class, because only classes have `getSnapshotBeforeUpdate`.
export class KeepPlace extends Component<{ children: ReactNode; className?: string | undefined }> {
  private readonly root = createRef<HTMLDivElement>();
  private room = 0;

  override getSnapshotBeforeUpdate(): Seen[] {
    const header = Number.parseFloat(getComputedStyle(document.documentElement).scrollPaddingBlockStart) || 0;
    return [...(this.root.current?.querySelectorAll<HTMLElement>("[data-place]") ?? [])]
      .filter((part) => part.dataset["place"] !== "focused" || part.contains(document.activeElement))
      .map((part) => ({ part, box: part.getBoundingClientRect() }))
      .filter(({ box }) => box.bottom > header && box.top < innerHeight)
      .map(({ part, box }) => ({ part, top: box.top }));
  }

  override componentDidUpdate(_props: unknown, _state: unknown, before: Seen[]): void {
    const kept = before.find(({ part }) => part.isConnected);
    if (kept === undefined) return;
    const moved = Math.round(kept.part.getBoundingClientRect().top - kept.top);
    if (moved === 0) return;
    this.makeRoom(moved);
    // Tells app/useHeaderAway.ts that the reader did not scroll, so the header does not hide.
    document.documentElement.dataset["kept"] = "";
    scrollBy({ top: moved, behavior: "instant" });
  }

  private makeRoom(moved: number): void {
    const page = document.documentElement;
    const root = this.root.current;
    const neededHeight = Math.ceil(scrollY + moved + page.clientHeight);
    if (root === null || page.scrollHeight >= neededHeight) return;
    // The space below this element is not known, so too much is added first and then the surplus is removed.
    this.grow(root, neededHeight - root.getBoundingClientRect().bottom - scrollY);
    this.grow(root, neededHeight - page.scrollHeight);
  }

  private grow(root: HTMLElement, by: number): void {
    this.room = Math.max(0, this.room + Math.ceil(by));
    root.style.paddingBlockEnd = `${String(this.room)}px`;
  }

  override render(): ReactNode {
    return (
      <div ref={this.root} className={this.props.className}>
        {this.props.children}
      </div>
    );
  }
}
