import type { JsonObject } from '../json.ts';
import { Refusal } from './parameters.ts';

export type RoomKind = 'im' | 'mpim' | 'channel' | 'group';

/** Who wrote a message: the app itself, a person, or another app. */
export interface Author {
  readonly kind: 'self' | 'person' | 'bot';
  /** Undefined for an app that has no user. */
  readonly userId?: string;
  readonly botId?: string;
  readonly username?: string;
  /** Of a guest from another workspace. */
  readonly teamId?: string;
}

export interface StoredFile {
  readonly id: string;
  readonly name: string;
  readonly title: string;
  readonly mediaType: string;
  readonly bytes: Buffer;
  readonly userId: string;
}

/** A message that grows: `in_progress` until it is stopped, or `errored` when it was not in time. */
export type StreamingState = 'in_progress' | 'completed' | 'errored';

/** What a message holds, whoever sees it. */
export interface Content {
  /** As it is on the wire. */
  readonly text: string;
  /** Whether the text was given as Markdown. */
  readonly isMarkdown?: boolean;
  readonly blocks?: readonly JsonObject[];
  readonly threadTs?: string | undefined;
}

/** What is to be put into a room. */
export interface NewMessage extends Content {
  readonly author: Author;
  readonly subtype?: string | undefined;
  readonly isBroadcast?: boolean | undefined;
  readonly files?: readonly StoredFile[];
  readonly metadata?: JsonObject | undefined;
  readonly unfurls?: { readonly links: boolean; readonly media: boolean };
  readonly streaming?: StreamingState;
}

export interface StoredMessage extends NewMessage {
  readonly ts: string;
  readonly room: Room;
  readonly edits: number;
  readonly editedTs?: string;
  /** Each of the app's own. */
  readonly reactions: readonly string[];
}

/** A message that one person alone sees. */
export interface StoredEphemeral extends Content {
  readonly ts: string;
  readonly userId: string;
}

export interface Room {
  readonly id: string;
  readonly kind: RoomKind;
  readonly name: string;
  readonly members: Set<string>;
  /** Whether people of another workspace are in it. */
  readonly isShared: boolean;
  readonly messages: Map<string, StoredMessage>;
  readonly ephemerals: StoredEphemeral[];
  hasBot: boolean;
  isArchived: boolean;
}

export type RoomOptions = Partial<Pick<Room, 'kind' | 'name' | 'isShared' | 'hasBot' | 'isArchived'>> & {
  readonly members?: readonly string[];
};

/** Gives out what Slack names things by. Nothing is ever given twice. */
export class Identifiers {
  readonly #now: () => number;
  #count = 0;
  #lastMicroseconds = 0;

  constructor(now: () => number) {
    this.#now = now;
  }

  /** An id with that beginning: `F` for a file, `Ev` for an event. */
  next(prefix: string): string {
    this.#count += 1;
    return `${prefix}0${this.#count.toString(36).toUpperCase().padStart(9, '0')}`;
  }

  /** The name of a message and the time at which it came, in seconds since 1970. Each is later than the one before. */
  timestamp(): string {
    const microseconds = Math.max(this.#now() * 1000, this.#lastMicroseconds + 100);
    this.#lastMicroseconds = microseconds;
    return `${Math.floor(microseconds / 1_000_000)}.${String(microseconds % 1_000_000).padStart(6, '0')}`;
  }
}

/** Every conversation of a workspace, with what stands in it. */
export class Rooms {
  readonly #rooms = new Map<string, Room>();
  readonly #identifiers: Identifiers;

  constructor(identifiers: Identifiers) {
    this.#identifiers = identifiers;
  }

  /** Makes the room, unless there is one. */
  open(id: string, options: RoomOptions = {}): Room {
    const { kind = kindOf(id), name = id.toLowerCase(), isShared = false, members = [] } = options;
    const { hasBot = true, isArchived = false } = options;
    const room = this.#rooms.get(id) ?? {
      id,
      kind,
      name,
      isShared,
      hasBot,
      isArchived,
      members: new Set<string>(),
      messages: new Map(),
      ephemerals: [],
    };
    for (const member of members) room.members.add(member);
    this.#rooms.set(id, room);
    return room;
  }

  /** Where somebody and the app are alone. Made if it is not there yet. */
  direct(userId: string): Room {
    return this.open(`D${userId.slice(1)}`, { kind: 'im', name: 'directmessage', members: [userId] });
  }

  get all(): readonly Room[] {
    return [...this.#rooms.values()];
  }

  get(id: string): Room | undefined {
    return this.#rooms.get(id);
  }

  /** Throws a refusal where there is none, or none that the app can see: a public channel it sees from outside. */
  visible(id: string): Room {
    const room = this.#rooms.get(id);
    if (room === undefined || (!room.hasBot && room.kind !== 'channel')) throw new Refusal('channel_not_found');
    return room;
  }

  /** One that the app is in. */
  readable(id: string): Room {
    const room = this.visible(id);
    if (!room.hasBot) throw new Refusal('not_in_channel');
    return room;
  }

  /** One that the app may write into. */
  writable(id: string): Room {
    const room = this.readable(id);
    if (room.isArchived) throw new Refusal('is_archived');
    return room;
  }

  add(room: Room, message: NewMessage): StoredMessage {
    const ts = this.#identifiers.timestamp();
    const stored: StoredMessage = { ...message, ts, room, edits: 0, reactions: [] };
    room.messages.set(ts, stored);
    if (message.author.userId !== undefined) room.members.add(message.author.userId);
    return stored;
  }

  addEphemeral(room: Room, message: Omit<StoredEphemeral, 'ts'>): string {
    const ts = this.#identifiers.timestamp();
    room.ephemerals.push({ ...message, ts });
    return ts;
  }

  /** Shows the message with other content. */
  replace(message: StoredMessage): StoredMessage {
    message.room.messages.set(message.ts, message);
    return message;
  }

  edit(message: StoredMessage, content: Partial<StoredMessage>): StoredMessage {
    const editedTs = this.#identifiers.timestamp();
    return this.replace({ ...message, ...content, edits: message.edits + 1, editedTs });
  }

  /** Nothing stands in the rooms any more. */
  forget(): void {
    for (const { messages, ephemerals } of this.#rooms.values()) {
      messages.clear();
      ephemerals.length = 0;
    }
  }
}

function kindOf(id: string): RoomKind {
  if (id.startsWith('D')) return 'im';
  return id.startsWith('G') ? 'mpim' : 'channel';
}

/** A thread is named by its first message. That may be gone; it may not be an answer itself. */
export function checkThread(room: Room, threadTs: string | undefined): void {
  const named = room.messages.get(threadTs ?? '');
  if (named?.threadTs !== undefined && named.threadTs !== named.ts) throw new Refusal('cannot_reply_to_message');
}
