import { initials, swatch } from "./initials";
import css from "./Avatar.module.css";

export type AvatarProps = {
  id: number;
  name: string;
  /** In pixels. */
  size?: number;
  /** Says the name. Off beside a visible name, where it would be heard twice. */
  label?: boolean;
};

/** The person's initials, drawn here so that no stranger learns whose names are shown. */
export function Avatar({ id, name, size = 40, label = false }: AvatarProps) {
  return (
    <svg
      className={css.avatar}
      width={size}
      height={size}
      viewBox="0 0 40 40"
      role={label ? "img" : undefined}
      aria-label={label ? name : undefined}
      aria-hidden={label ? undefined : true}
      focusable="false"
      data-swatch={swatch(id)}
    >
      <rect width="40" height="40" />
      <text x="20" y="20.5" textAnchor="middle" dominantBaseline="central">
        {initials(name)}
      </text>
    </svg>
  );
}
