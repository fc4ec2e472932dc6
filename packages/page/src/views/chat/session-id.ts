/** The id of a chat that nobody else has. */
export function newSessionId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(10));
  return Array.from(bytes, (byte) => byte.toString(36).padStart(2, '0')).join('');
}

const prefix = 'device:';

/** Of a conversation that this page can write in; undefined for those of platforms. */
export function sessionIn(conversationId: string): string | undefined {
  return conversationId.startsWith(prefix) ? conversationId.slice(prefix.length) : undefined;
}
