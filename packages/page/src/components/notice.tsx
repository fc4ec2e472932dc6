import type { ComponentChildren } from 'preact';
import './notice.css';
import type { AskError } from '../lib/ask.ts';
import { say } from '../lib/language.ts';
import { Button } from './button.tsx';
import { Icon } from './icon.tsx';
import { componentWords } from './words.ts';

interface NoticeProps {
  readonly kind?: 'plain' | 'warning' | 'danger' | 'good';
  readonly title?: string;
  readonly children: ComponentChildren;
  /** Buttons: what to do about it. */
  readonly actions?: ComponentChildren;
}

/** Says what is wrong, or worth knowing, and what to do about it. A fault is said to readers of the screen at once. */
export function Notice({ kind = 'plain', title, children, actions }: NoticeProps) {
  return (
    <div class={`notice notice-${kind}`} role={kind === 'danger' ? 'alert' : 'note'}>
      {(kind === 'warning' || kind === 'danger') && <Icon name="warning" />}
      <div class="notice-text">
        {title !== undefined && <p class="notice-title">{title}</p>}
        <div>{children}</div>
        {actions !== undefined && <div class="notice-actions">{actions}</div>}
      </div>
    </div>
  );
}

interface FaultProps {
  readonly error: AskError;
  /** Tries it again. */
  readonly again: () => void;
}

/** What was asked for did not come. */
export function Fault({ error, again }: FaultProps) {
  const words = say(componentWords);
  return (
    <Notice kind="danger" actions={<Button onPress={again}>{words.again}</Button>}>
      {error.status === 0 ? words.unreachable : error.message}
    </Notice>
  );
}
