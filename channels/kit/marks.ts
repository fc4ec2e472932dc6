import type { Conversation, MessageMark } from '../../src/contract.ts';
import { Remembered } from '../../src/lib/remembered.ts';

type React = (to: Conversation, messageId: string, mark: MessageMark) => Promise<void>;

const order: readonly MessageMark[] = ['seen', 'working', 'done'];
const mostRemembered = 1_000;

/**
 * Marks what people have written with a reaction of the bot's own, in place of the one that was there. Done twice, nothing
 * changes. `add` a mark that is there already, or `remove` one that is not, is no error. Throws what they throw.
 */
export function createMarks(add: React, remove: React): React {
  /** The marks that this process has given, by message. */
  const shown = new Remembered<string, MessageMark>(mostRemembered);
  return async (to, messageId, mark) => {
    const key = `${to.chatId} ${messageId}`;
    const before = shown.get(key);
    if (before === mark) return;
    await add(to, messageId, mark);
    // A former process may have left any of those that come before it.
    const former = before === undefined ? order.slice(0, order.indexOf(mark)) : [before];
    for (const other of former) await remove(to, messageId, other);
    shown.set(key, mark);
  };
}
