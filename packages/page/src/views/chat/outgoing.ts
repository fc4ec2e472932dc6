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
  /** The entries of the same text that were there before. */
  readonly after: ReadonlySet<string>;
}

/** A message as it is kept while the tab is loaded again: without its files, and so it is sent only if it has none. */
interface Kept {
  readonly id: string;
  readonly text: string;
  readonly isWhole: boolean;
  readonly after: readonly string[];
}

/** The messages that are on their way. */
export class Outgoing {
  readonly messages = signal<readonly OutgoingMessage[]>([]);
  readonly #item: string;

  constructor(conversationId: string) {
    this.#item = `keyturn.unsent.${conversationId}`;
    this.messages.value = kept(this.#item);
  }

  add(text: string, files: readonly MessageFile[], entries: readonly ChatEntry[]): OutgoingMessage {
    const after = new Set(entries.filter((entry) => isOf(text, entry)).map((entry) => entry.id));
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
      const left = messages.filter(({ text }) => text !== '').map(toKept);
      if (left.length === 0) sessionStorage.removeItem(this.#item);
      else sessionStorage.setItem(this.#item, JSON.stringify(left));
    } catch {
      // Storage is switched off, or full: they are sent if the page stays open.
    }
  }
}

/** Whether the newest entries have it. The same text that stood there before is another message. */
export function isSent({ text, after }: OutgoingMessage, entries: readonly ChatEntry[]): boolean {
  return entries.some((entry) => isOf(text, entry) && !after.has(entry.id));
}

function isOf(text: string, entry: ChatEntry): boolean {
  return entry.type === 'person' && entry.isOwn && entry.text === text;
}

/** A message that was refused is not sent by itself. */
function toKept({ id, text, files, state, after }: OutgoingMessage): Kept {
  return { id, text, isWhole: state === 'sending' && files.length === 0, after: [...after] };
}

function kept(item: string): readonly OutgoingMessage[] {
  try {
    const all: unknown = JSON.parse(sessionStorage.getItem(item) ?? '[]');
    return Array.isArray(all) ? all.filter(isKept).map(fromKept) : [];
  } catch {
    // Storage is switched off.
    return [];
  }
}

function isKept(one: unknown): one is Kept {
  if (typeof one !== 'object' || one === null) return false;
  const { id, text, isWhole, after }: Partial<Record<keyof Kept, unknown>> = one;
  return typeof id === 'string' && typeof text === 'string' && typeof isWhole === 'boolean' && Array.isArray(after);
}

function fromKept({ id, text, isWhole, after }: Kept): OutgoingMessage {
  return { id, text, files: [], state: isWhole ? 'sending' : 'refused', reason: undefined, after: new Set(after) };
}
