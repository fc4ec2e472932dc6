import type { Conversation, MessageMark } from '../../src/contract.ts';
import { Remembered } from '../../src/lib/remembered.ts';

type React = (to: Conversation, messageId: string, mark: MessageMark) => Promise<void>;

const order: readonly MessageMark[] = ['seen', 'working', 'done'];
const mostRemembered = 1_000;

/** Marks what people have written with a reaction of the bot's own, one at a time. Done twice, nothing changes. */
export class Marks {
  readonly #add: React;
  readonly #remove: React;
  /** The marks that this process has given, by message. */
  readonly #shown = new Remembered<string, MessageMark>(mostRemembered);

  /** `add` a mark that is there already, or `remove` one that is not, is no error. */
  constructor(add: React, remove: React) {
    this.#add = add;
    this.#remove = remove;
  }

  /** Puts the mark in place of the one that was there. Throws what the parts throw. */
  async show(to: Conversation, messageId: string, mark: MessageMark): Promise<void> {
    const key = `${to.chatId} ${messageId}`;
    const before = this.#shown.get(key);
    if (before === mark) return;
    await this.#add(to, messageId, mark);
    // A former process may have left any of those that come before it.
    const former = before === undefined ? order.slice(0, order.indexOf(mark)) : [before];
    for (const other of former) await this.#remove(to, messageId, other);
    this.#shown.set(key, mark);
  }
}
