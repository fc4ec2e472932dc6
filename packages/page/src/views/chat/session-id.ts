import { signal } from '@preact/signals';

/** In the storage of the tab: loaded again, it still knows the chats that it has begun. */
const item = 'keyturn.begun';
const mostKept = 50;

/** Those that were made in this tab: nothing is stored of them before something is said. */
const fresh = signal<ReadonlySet<string>>(new Set());

/** The id of a chat that nobody else has. */
export function newSessionId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(10));
  const id = Array.from(bytes, (byte) => byte.toString(36).padStart(2, '0')).join('');
  fresh.value = new Set([...fresh.peek(), id]);
  keep([...begun(), id]);
  return id;
}

/** Whether nothing was said in it yet. */
export function isFresh(conversationId: string): boolean {
  return fresh.peek().has(sessionIn(conversationId) ?? '');
}

/** Something was said in it. */
export function isUsed(conversationId: string): void {
  const used = sessionIn(conversationId);
  fresh.value = new Set([...fresh.peek()].filter((id) => id !== used));
}

/** Whether this tab has made it, now or before it was loaded again: then it may be that nothing is stored of it. */
export function isBegunHere(conversationId: string): boolean {
  const id = sessionIn(conversationId);
  return id !== undefined && (fresh.peek().has(id) || begun().includes(id));
}

function begun(): readonly string[] {
  try {
    return (sessionStorage.getItem(item) ?? '').split(' ').filter(Boolean);
  } catch {
    // Storage is switched off.
    return [];
  }
}

function keep(ids: readonly string[]): void {
  try {
    sessionStorage.setItem(item, ids.slice(-mostKept).join(' '));
  } catch {
    // Storage is switched off, or full: a chat without a message is gone when the tab is loaded again.
  }
}

const prefix = 'device:';

/** Of a conversation that this page can write in; undefined for those of platforms. */
export function sessionIn(conversationId: string): string | undefined {
  return conversationId.startsWith(prefix) ? conversationId.slice(prefix.length) : undefined;
}
