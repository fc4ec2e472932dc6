import type { MessageFile } from '@keyturn/client';
import { computed, type ReadonlySignal, type Signal, signal } from '@preact/signals';
import type { ChatEntry } from '../../../../../src/features/page/wire/chat.ts';

/** A message that was written here, and is not stored yet, as far as this tab knows. */
export interface OutgoingMessage {
  readonly id: string;
  readonly text: string;
  readonly files: readonly MessageFile[];
  readonly state: 'sending' | 'refused';
  /** Why it was refused; undefined: the page was closed meanwhile. */
  readonly reason: string | undefined;
  /** Whether it can be among the entries. What the daemon has refused is not, whatever looks like it. */
  readonly mayBeStored: boolean;
  /** The entries with the same text that were there before: they are other messages. */
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
  /** Those that are not among the newest entries. */
  readonly messages: ReadonlySignal<readonly OutgoingMessage[]>;
  readonly #all: Signal<readonly OutgoingMessage[]>;
  readonly #newest = signal<readonly ChatEntry[]>([]);
  /** The entries of messages that were taken: they are no other message. */
  readonly #taken = new Set<string>();
  readonly #item: string;

  constructor(conversationId: string) {
    this.#item = `keyturn.unsent.${conversationId}`;
    this.#all = signal(kept(this.#item));
    this.messages = computed(() => {
      const stored = storedIn(this.#all.value, this.#newest.value, this.#taken);
      return this.#all.value.filter(({ id }) => !stored.has(id));
    });
  }

  add(text: string, files: readonly MessageFile[], entries: readonly ChatEntry[]): OutgoingMessage {
    const message: OutgoingMessage = {
      id: crypto.randomUUID(),
      text,
      files,
      state: 'sending',
      reason: undefined,
      mayBeStored: true,
      after: new Set(entries.flatMap((entry) => (isSaid(text, entry) ? [entry.id] : []))),
    };
    this.#set([...this.#all.peek(), message]);
    return message;
  }

  /** It is sent once more. */
  sendAgain(id: string): void {
    this.#change(id, { state: 'sending', reason: undefined, mayBeStored: true });
  }

  /** It did not come through. `mayBeStored`: nobody knows for certain. */
  refuse(id: string, reason: string, mayBeStored: boolean): void {
    this.#change(id, { state: 'refused', reason, mayBeStored });
  }

  /** The daemon has taken it, and it is among the newest entries. */
  take(id: string): void {
    const entry = storedIn(this.#all.peek(), this.#newest.peek(), this.#taken, id).get(id);
    if (entry !== undefined) this.#taken.add(entry);
    this.remove(id);
  }

  remove(id: string): void {
    this.#set(this.#all.peek().filter((one) => one.id !== id));
  }

  /** These are the newest entries now: what is among them is not shown twice. */
  settle(newest: readonly ChatEntry[]): void {
    this.#newest.value = newest;
    const stored = storedIn(this.#all.peek(), newest, this.#taken);
    // Nothing more is heard of what is not being sent.
    const over = this.#all.peek().filter(({ id, state }) => state === 'refused' && stored.has(id));
    for (const { id } of over) this.take(id);
    this.#keep();
  }

  #change(id: string, changed: Partial<Pick<OutgoingMessage, 'state' | 'reason' | 'mayBeStored'>>): void {
    this.#set(this.#all.peek().map((one) => (one.id === id ? { ...one, ...changed } : one)));
  }

  #set(messages: readonly OutgoingMessage[]): void {
    this.#all.value = messages;
    this.#keep();
  }

  #keep(): void {
    try {
      const left = this.messages
        .peek()
        .filter(({ text }) => text !== '')
        .map(toKept);
      if (left.length === 0) sessionStorage.removeItem(this.#item);
      else sessionStorage.setItem(this.#item, JSON.stringify(left));
    } catch {
      // Storage is switched off, or full: they are sent if the page stays open.
    }
  }
}

/**
 * Which entry each message is, by their ids. An entry is one message: that which is known to be taken (`first`), else the one
 * that was sent first.
 */
function storedIn(
  messages: readonly OutgoingMessage[],
  entries: readonly ChatEntry[],
  taken: ReadonlySet<string>,
  first?: string,
): ReadonlyMap<string, string> {
  const rank = ({ id, state }: OutgoingMessage): number => (id === first ? 0 : state === 'sending' ? 1 : 2);
  const found = new Map<string, string>();
  const used = new Set(taken);
  for (const message of messages.filter(({ mayBeStored }) => mayBeStored).toSorted((a, b) => rank(a) - rank(b))) {
    const entry = entries.find((one) => isOf(message, one) && !used.has(one.id));
    if (entry === undefined) continue;
    used.add(entry.id);
    found.set(message.id, entry.id);
  }
  return found;
}

function isOf({ text, after }: OutgoingMessage, entry: ChatEntry): boolean {
  return isSaid(text, entry) && !after.has(entry.id);
}

function isSaid(text: string, entry: ChatEntry): boolean {
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
  const state = isWhole ? 'sending' : 'refused';
  return { id, text, files: [], state, reason: undefined, mayBeStored: true, after: new Set(after) };
}
