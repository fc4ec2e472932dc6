import type { ChannelHost, InboundMessage } from '../../src/contract.ts';
import type { Clock } from '../../src/lib/clock.ts';
import { Perishable } from '../../src/lib/remembered.ts';
import { type Parsed, parseUpdate } from './parse.ts';
import type { BotIdentity } from './receiving.ts';
import { updateIdOf } from './update.ts';

/** Called after a press is stored. Must return at once. */
export type OnPressed = (pressId: string, notice: string | undefined) => void;

/** The first update of a batch that could not be stored: its index, and why. */
export interface Unstored {
  readonly index: number;
  readonly reason: unknown;
}

interface Item {
  readonly updateId: number | undefined;
  readonly parsed: Parsed;
}

/**
 * Hands a batch of updates to the host. Resolves with undefined if all were stored; otherwise the unstored update and
 * all later ones must be delivered again.
 */
export function createInbound(host: ChannelHost, onPressed: OnPressed) {
  const albums = new Albums(host.clock);

  async function store({ updateId, parsed }: Item): Promise<void> {
    switch (parsed.type) {
      case 'message': {
        const pieces = isOfAlbum(parsed) ? albums.pieces(parsed.album, parsed.event) : [parsed.event];
        await Promise.all(pieces.map((event) => host.receive(event)));
        return;
      }
      case 'edit':
        await host.receive(parsed.event);
        return;
      case 'press': {
        const { notice } = await host.receive(parsed.event);
        return onPressed(parsed.pressId, notice);
      }
      case 'moved':
        return host.moved(parsed.from, parsed.chatId);
      case 'ignored':
        return host.log.debug({ updateId, reason: parsed.reason }, 'an update was ignored');
      case 'unreadable':
        return host.log.warn({ updateId, path: parsed.path }, 'an update could not be read and was skipped');
    }
  }

  return async (updates: readonly unknown[], bot: BotIdentity): Promise<Unstored | undefined> => {
    const now = host.clock.now();
    const items = updates.map((update) => ({ updateId: updateIdOf(update), parsed: parseUpdate(update, bot, now) }));
    for (const { parsed } of items) {
      if (parsed.type === 'message' && isOfAlbum(parsed)) albums.note(parsed.album, parsed.event);
    }
    let first = 0;
    for (const stretch of stretches(items)) {
      // All start in order, which the host keeps, and are stored concurrently.
      const stored = await Promise.allSettled(stretch.map(store));
      for (const [index, outcome] of stored.entries()) {
        if (outcome.status === 'rejected') return { index: first + index, reason: outcome.reason };
      }
      first += stretch.length;
    }
    return undefined;
  };
}

type Message = Parsed & { readonly type: 'message' };

/** In direct chats every item is addressed to the bot anyway. */
function isOfAlbum(message: Message): message is Message & { readonly album: string } {
  return message.album !== undefined && message.event.conversation.kind === 'group';
}

/** Splits the batch around moves, since the new chat's messages belong to the old conversation. */
function stretches(items: readonly Item[]): readonly (readonly Item[])[] {
  const result: Item[][] = [];
  let wasMove = true;
  for (const item of items) {
    const isMove = item.parsed.type === 'moved';
    const last = result.at(-1);
    if (last === undefined || isMove || wasMove) result.push([item]);
    else last.push(item);
    wasMove = isMove;
  }
  return result;
}

/** How long after the first item an album may get more, in ms. */
const albumTime = 60_000;
const mostAlbums = 100;
/** Telegram's limit of items per album. */
const mostItems = 10;

interface Album {
  isAddressed: boolean;
  /** Items that came before the album was known to be addressed to the bot. */
  readonly early: Map<string, InboundMessage>;
}

/**
 * Groups the items of albums. In a group, only the item with the caption shows that the album is for the bot; then all
 * items are addressed, in any order of arrival.
 */
export class Albums {
  readonly #albums: Perishable<string, Album>;

  constructor(clock: Clock) {
    this.#albums = new Perishable({ clock, most: mostAlbums });
  }

  /** Reads an item before anything of its batch is passed on. */
  note(name: string, { addressed }: InboundMessage): void {
    const album = this.#find(name);
    album.isAddressed ||= addressed;
  }

  /** The events for an item: itself, and earlier items again once the album is known to be for the bot. */
  pieces(name: string, event: InboundMessage): readonly InboundMessage[] {
    const { isAddressed, early } = this.#find(name);
    if (isAddressed) return [...early.values(), event].map((piece) => ({ ...piece, addressed: true }));
    if (early.size < mostItems) early.set(event.key, event);
    return [event];
  }

  #find(name: string): Album {
    const known = this.#albums.get(name);
    if (known !== undefined) return known;
    const album: Album = { isAddressed: false, early: new Map() };
    this.#albums.set(name, album, albumTime);
    return album;
  }
}
