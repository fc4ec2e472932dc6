import type { ComponentChildren } from 'preact';
import './empty.css';
import { say } from '../lib/language.ts';
import { Icon, type IconName } from './icon.tsx';
import { componentWords } from './words.ts';

interface EmptyProps {
  readonly icon: IconName;
  readonly title: string;
  /** How something comes to be here. */
  readonly children?: ComponentChildren;
}

/** There is nothing here, and why. */
export function Empty({ icon, title, children }: EmptyProps) {
  return (
    <div class="empty">
      <Icon name={icon} />
      <p class="empty-title">{title}</p>
      {children !== undefined && <div class="empty-text">{children}</div>}
    </div>
  );
}

/** Stands where something is about to be, in as many lines. */
export function Skeleton({ lines = 3 }: { readonly lines?: number }) {
  return (
    <div class="skeleton" role="status" aria-label={say(componentWords).loading}>
      {Array.from({ length: lines }, (_, line) => (
        <span key={line} />
      ))}
    </div>
  );
}
