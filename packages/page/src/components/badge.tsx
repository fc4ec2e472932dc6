import type { ComponentChildren } from 'preact';
import './badge.css';

interface BadgeProps {
  readonly kind?: 'plain' | 'accent' | 'good' | 'warning' | 'danger';
  readonly children: ComponentChildren;
}

/** A word or a number that stands out. */
export function Badge({ kind = 'plain', children }: BadgeProps) {
  return <span class={`badge badge-${kind}`}>{children}</span>;
}
