import type { JsonObject } from '../../../src/lib/json.ts';
import type { StoredFile } from './files.ts';
import type { Identifiers } from './identifiers.ts';
import { Refusal } from './refusal.ts';

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

export interface Reaction {
  readonly name: string;
  readonly users: readonly string[];
}

/** A message that grows: `in_progress` until it is stopped, or `errored` when it was not in time. */
export type StreamingState = 'in_progress' | 'completed' | 'errored';

/** What is to be put into a room. */
export interface NewMessage {
  readonly author: Author;
  /** As it is on the wire. */
  readonly text: string;
  /** Whether the text was given as Markdown. */
  readonly isMarkdown?: boolean;
  readonly blocks?: readonly JsonObject[];
  readonly subtype?: string;
  readonly threadTs?: string;
  readonly isBroadcast?: boolean;
  readonly files?: readonly StoredFile[];
  readonly metadata?: JsonObject;
  readonly unfurls?: { readonly links: boolean; readonly media: boolean };
  /** Whether Slack was asked to look for names in the text. */
  readonly findsNames?: boolean;
  readonly streaming?: StreamingState;
}

export interface StoredMessage extends NewMessage {
  readonly ts: string;
  readonly room: Room;
  readonly edits: number;
  readonly editedTs?: string;
  readonly reactions: readonly Reaction[];
}

/** A message that one person alone sees. */
export interface StoredEphemeral {
  readonly ts: string;
  readonly userId: string;
  readonly text: string;
  readonly isMarkdown: boolean;
  readonly blocks: readonly JsonObject[];
  readonly threadTs?: string;
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
      ...{ id, kind, name, isShared, hasBot, isArchived },
      ...{ members: new Set<string>(), messages: new Map(), ephemerals: [] },
    };
    for (const member of members) room.members.add(member);
    this.#rooms.set(id, room);
    return room;
  }

  get(id: string): Room | undefined {
    return this.#rooms.get(id);
  }

  /** Throws a refusal where there is none. */
  find(id: string): Room {
    const room = this.#rooms.get(id);
    if (room === undefined) throw new Refusal('channel_not_found');
    return room;
  }

  /** A room that the bot may write into. */
  writable(id: string): Room {
    const room = this.find(id);
    if (!room.hasBot) throw new Refusal(room.kind === 'channel' ? 'not_in_channel' : 'channel_not_found');
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

  addEphemeral(room: Room, message: Omit<StoredEphemeral, 'ts'>): StoredEphemeral {
    const stored = { ...message, ts: this.#identifiers.timestamp() };
    room.ephemerals.push(stored);
    return stored;
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
    for (const room of this.#rooms.values()) {
      room.messages.clear();
      room.ephemerals.length = 0;
    }
  }

  ids(): readonly string[] {
    return [...this.#rooms.keys()];
  }
}

function kindOf(id: string): RoomKind {
  if (id.startsWith('D')) return 'im';
  return id.startsWith('G') ? 'mpim' : 'channel';
}
