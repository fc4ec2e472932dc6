import type { ShownMessage } from './shown-message.ts';

/** A text that the message contains, a pattern, or a condition. */
export type WantedMessage = string | RegExp | ((message: ShownMessage) => boolean);

export function isWanted(message: ShownMessage, wanted: WantedMessage): boolean {
  if (typeof wanted === 'function') return wanted(message);
  return typeof wanted === 'string' ? message.text.includes(wanted) : wanted.test(message.text);
}
