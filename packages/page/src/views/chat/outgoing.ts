import type { MessageFile } from '@keyturn/client';
import { signal } from '@preact/signals';
import type { ChatEntry } from '../../../../../src/features/page/wire/chat.ts';

/** A message that was written here, and is not stored yet, as far as this tab knows. */
export interface OutgoingMessage {
  readonly id: string;
  readonly text: string;
  readonly files: readonly MessageFile[];
  readonly state: 'sending' | 'refused';
  /** Why it was refused; undefined: the page was closed meanwhile. */
  readonly reason: string | undefined;
  /** The entries that were there before. */
  readonly after: ReadonlySet<string>;
}

/** The messages that are on their way. Their texts are kept while the tab is loaded again. */
export class Outgoing {
  readonly messages = signal<readonly OutgoingMessage[]>([]);
  readonly #item: string;

  constructor(conversationId: string) {
    this.#item = `keyturn.unsent.${conversationId}`;
    this.messages.value = kept(this.#item);
  }

  add(text: string, files: readonly MessageFile[], entries: readonly ChatEntry[]): OutgoingMessage {
    const after = new Set(entries.map(({ id }) => id));
    const message: OutgoingMessage = {
      id: crypto.randomUUID(),
      text,
      files,
      state: 'sending',
      reason: undefined,
      after,
    };
    this.#set([...this.messages.peek(), message]);
    return message;
  }

  change(id: string, changed: Partial<Pick<OutgoingMessage, 'state' | 'reason'>>): void {
    this.#set(this.messages.peek().map((one) => (one.id === id ? { ...one, ...changed } : one)));
  }

  remove(id: string): void {
    this.#set(this.messages.peek().filter((one) => one.id !== id));
  }

  /** Removes those that are stored. */
  settle(isStored: (message: OutgoingMessage) => boolean): void {
    const left = this.messages.peek().filter((one) => !isStored(one));
    if (left.length !== this.messages.peek().length) this.#set(left);
  }

  #set(messages: readonly OutgoingMessage[]): void {
    this.messages.value = messages;
    try {
      const texts = messages.map(({ text }) => text).filter((text) => text !== '');
      if (texts.length === 0) sessionStorage.removeItem(this.#item);
      else sessionStorage.setItem(this.#item, JSON.stringify(texts));
    } catch {
      // Storage is switched off, or full: they are sent if the page stays open.
    }
  }
}

/** Whether the newest entries have it. The same text that stood there before is another message. */
export function isSent({ text, after }: OutgoingMessage, entries: readonly ChatEntry[]): boolean {
  return entries.some((entry) => entry.type === 'person' && entry.isOwn && entry.text === text && !after.has(entry.id));
}

function kept(item: string): readonly OutgoingMessage[] {
  try {
    const texts: unknown = JSON.parse(sessionStorage.getItem(item) ?? '[]');
    if (!Array.isArray(texts)) return [];
    return texts
      .filter((text) => typeof text === 'string')
      .map((text) => ({
        id: crypto.randomUUID(),
        text,
        files: [],
        state: 'refused',
        reason: undefined,
        after: new Set<string>(),
      }));
  } catch {
    // Storage is switched off.
    return [];
  }
}
