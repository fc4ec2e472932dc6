import type { ChannelHost, InboundMessage } from '../../src/contract.ts';
import type { Clock } from '../../src/lib/clock.ts';
import { Perishable } from '../../src/lib/remembered.ts';
import { type Parsed, parseUpdate } from './parse.ts';
import type { BotIdentity } from './receiving.ts';
import { updateIdOf } from './update.ts';

/** Called when a press was stored. Must return at once. */
export type OnPressed = (pressId: string, notice: string | undefined) => void;

/** The first update of a batch that could not be stored, by its place, and why. */
export interface Unstored {
  readonly index: number;
  readonly reason: unknown;
}

interface Item {
  readonly updateId: number | undefined;
  readonly parsed: Parsed;
}

/**
 * Brings what Telegram delivers to the host. Resolves with undefined once all of them are stored. Else, the one that was not
 * and all after it must come again.
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
      // All begin in their order, which the host keeps, and are stored together.
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

/** A direct chat is with the bot anyway. */
function isOfAlbum(message: Message): message is Message & { readonly album: string } {
  return message.album !== undefined && message.event.conversation.kind === 'group';
}

/** Before and after a move stand in stretches of their own: what comes from the new chat belongs to the old conversation. */
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

/** How long after its first item an album may still have others, in milliseconds. */
const albumTime = 60_000;
const mostAlbums = 100;
/** More items an album has on no platform. */
const mostItems = 10;

interface Album {
  isAddressed: boolean;
  /** Items that came before it was known for whom the album is. */
  readonly early: Map<string, InboundMessage>;
}

/**
 * Knows which items belong to one album. In a group only the item with the caption says that the album is for the bot;
 * then all of them are, in whatever order they come.
 */
export class Albums {
  readonly #albums: Perishable<string, Album>;

  constructor(clock: Clock) {
    this.#albums = new Perishable({ clock, most: mostAlbums });
  }

  /** Looks at an item before anything of its batch is passed on. */
  note(name: string, { addressed }: InboundMessage): void {
    const album = this.#find(name);
    album.isAddressed ||= addressed;
  }

  /** What to pass on for the item: itself; and those before it, again, if only now it is known that they are for the bot. */
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
