/** What a session asks to be told, and what an event belongs to. */
export const intents = {
  guilds: 1 << 0,
  guildMembers: 1 << 1,
  guildPresences: 1 << 8,
  guildMessages: 1 << 9,
  guildReactions: 1 << 10,
  guildTyping: 1 << 11,
  directMessages: 1 << 12,
  directReactions: 1 << 13,
  directTyping: 1 << 14,
  messageContent: 1 << 15,
} as const;

/** Every bit that means something. */
export const knownIntents = 0b11_0011_0011_1111_1111_1111_1111;

/** Something that happened. */
export interface Dispatch {
  readonly event: string;
  /** The intent that it needs; 0 if it comes always. */
  readonly intent: number;
  readonly data: unknown;
  /** For those who may not read messages. The same, if not set. */
  readonly withoutContent?: unknown;
}

export type Publish = (dispatch: Dispatch) => void;
