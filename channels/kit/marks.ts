import type { Conversation, MessageMark } from '../../src/contract.ts';
import { Remembered } from '../../src/lib/remembered.ts';

/** Sets the mark on a message. */
export type Mark = (to: Conversation, messageId: string, mark: MessageMark) => Promise<void>;

const order: readonly MessageMark[] = ['seen', 'working', 'done'];
const mostRemembered = 1_000;

/**
 * Marks messages with the bot's reaction, replacing its previous one. Idempotent. `add` must accept an existing mark,
 * and `remove` a missing one. Throws what they throw.
 */
export function createMarks(add: Mark, remove: Mark): Mark {
  /** By message: the mark set by this process. */
  const shown = new Remembered<string, MessageMark>(mostRemembered);
  return async (to, messageId, mark) => {
    const key = `${to.chatId} ${messageId}`;
    const before = shown.get(key);
    if (before === mark) return;
    await add(to, messageId, mark);
    // A former process may have left any earlier mark.
    const former = before === undefined ? order.slice(0, order.indexOf(mark)) : [before];
    for (const other of former) await remove(to, messageId, other);
    shown.set(key, mark);
  };
}
