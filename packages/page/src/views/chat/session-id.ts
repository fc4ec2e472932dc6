import { signal } from '@preact/signals';

/** Those that were made in this tab: nothing is stored of them before something is said. */
const fresh = signal<ReadonlySet<string>>(new Set());

/** The id of a chat that nobody else has. */
export function newSessionId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(10));
  const id = Array.from(bytes, (byte) => byte.toString(36).padStart(2, '0')).join('');
  fresh.value = new Set([...fresh.peek(), id]);
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

const prefix = 'device:';

/** Of a conversation that this page can write in; undefined for those of platforms. */
export function sessionIn(conversationId: string): string | undefined {
  return conversationId.startsWith(prefix) ? conversationId.slice(prefix.length) : undefined;
}
