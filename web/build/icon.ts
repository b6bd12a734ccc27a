// Replaces the function with which lucide-react makes an icon of its shape, to save bytes. The original also knows
// contexts, names of classes and sizes of lines, which Mellow does not use.

import type { FunctionComponent, SVGProps } from "react";
import { createElement } from "react";

type Shape = { name: string; node: readonly [tag: string, attributes: Record<string, string>][] };
type IconProps = SVGProps<SVGSVGElement> & { size?: number };

export default function createIcon({ name, node }: Shape): FunctionComponent<IconProps> {
  return ({ size = 24, ...rest }) =>
    createElement(
      "svg",
      {
        width: size,
        height: size,
        viewBox: "0 0 24 24",
        fill: "none",
        stroke: "currentColor",
        strokeWidth: 2,
        strokeLinecap: "round",
        strokeLinejoin: "round",
        "aria-hidden": true,
        // Some turn round from right to left (theme/base.css).
        "data-icon": name,
        ...rest,
      },
      node.map(([tag, attributes]) => createElement(tag, attributes)),
    );
}
