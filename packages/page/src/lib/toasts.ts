import { signal } from '@preact/signals';

/** A short word about what was just done, or was not. */
export interface Toast {
  readonly id: number;
  readonly kind: 'done' | 'fault';
  readonly text: string;
}

/** Those that are shown now, the newest last. */
export const toasts = signal<readonly Toast[]>([]);

const shownMs = 6_000;
const mostShown = 4;

/** Shows it for a moment; a fault stays until it is closed. Readers of the screen hear it. */
export function toast(text: string, kind: Toast['kind'] = 'done'): void {
  const id = (toasts.peek().at(-1)?.id ?? 0) + 1;
  toasts.value = [...toasts.peek(), { id, kind, text }].slice(-mostShown);
  if (kind === 'done') setTimeout(() => closeToast(id), shownMs);
}

export function closeToast(id: number): void {
  toasts.value = toasts.peek().filter((one) => one.id !== id);
}
