/** What a bot may or may not do in a channel, as far as anything here depends on it. */
export const permissionBits = {
  MANAGE_CHANNELS: 1n << 4n,
  ADD_REACTIONS: 1n << 6n,
  VIEW_CHANNEL: 1n << 10n,
  SEND_MESSAGES: 1n << 11n,
  MANAGE_MESSAGES: 1n << 13n,
  EMBED_LINKS: 1n << 14n,
  ATTACH_FILES: 1n << 15n,
  READ_MESSAGE_HISTORY: 1n << 16n,
  MENTION_EVERYONE: 1n << 17n,
  MANAGE_THREADS: 1n << 34n,
  CREATE_PUBLIC_THREADS: 1n << 35n,
  SEND_MESSAGES_IN_THREADS: 1n << 38n,
} as const;

export type Permission = keyof typeof permissionBits;

const withheld: readonly Permission[] = ['MANAGE_CHANNELS', 'MANAGE_MESSAGES', 'MANAGE_THREADS'];

/** What everyone has who joins a guild. */
export function usualPermissions(): bigint {
  return Object.values(permissionBits).reduce((all, bit) => all | bit, 0n) & ~bitsOf(withheld);
}

export function bitsOf(names: readonly Permission[]): bigint {
  return names.reduce((all, name) => all | permissionBits[name], 0n);
}
