import type { ChannelHost, InboundMessage } from '../../src/contract.ts';
import type { Background } from '../../src/lib/background.ts';
import type { Clock } from '../../src/lib/clock.ts';
import { Perishable } from '../../src/lib/remembered.ts';
import type { SendingApi } from './api.ts';
import { type Parsed, parseUpdate, updateIdOf } from './parse.ts';
import type { BotIdentity } from './reading-api.ts';
import { unreadableWords } from './words.ts';

export interface UpdateStoreParts {
  readonly host: ChannelHost;
  readonly sending: Pick<SendingApi, 'answerPress'>;
  readonly background: Background;
}

/**
 * Hands a batch of updates to the host. Resolves with the first update that could not be stored, if any: it and all
 * later ones must be delivered again.
 */
export type UpdateStore = (updates: readonly unknown[], bot: BotIdentity) => Promise<Unstored | undefined>;

interface Unstored {
  readonly updateId: number | undefined;
  readonly reason: unknown;
}

export function createUpdateStore(parts: UpdateStoreParts): UpdateStore {
  const storing = { ...parts, albums: createAlbums(parts.host.clock) };
  return (updates, bot) => storeAll(updates, bot, storing);
}

interface Storing extends UpdateStoreParts {
  readonly albums: Albums;
}

async function storeAll(
  updates: readonly unknown[],
  bot: BotIdentity,
  storing: Storing,
): Promise<Unstored | undefined> {
  const now = storing.host.clock.now();
  const items = updates.map((update) => ({ updateId: updateIdOf(update), parsed: parseUpdate(update, bot, now) }));
  const begun: Promise<void>[] = [];
  let moving = Promise.resolve();
  for (const item of items) {
    // The new chat's messages belong to the old conversation. All others are stored at once, in their order.
    const isMove = item.parsed.type === 'moved';
    const before: Promise<unknown> = isMove ? Promise.all(begun) : moving;
    const stored = before.then(() => store(item, storing));
    if (isMove) moving = stored;
    begun.push(stored);
  }
  for (const [index, outcome] of (await Promise.allSettled(begun)).entries())
    if (outcome.status === 'rejected') return { updateId: items[index]?.updateId, reason: outcome.reason };
  return undefined;
}

interface Item {
  readonly updateId: number | undefined;
  readonly parsed: Parsed;
}

async function store({ updateId, parsed }: Item, { host, sending, background, albums }: Storing): Promise<void> {
  switch (parsed.type) {
    case 'message': {
      const { album, unreadable: kind } = parsed;
      const unreadable = kind && unreadableWords[host.languageFor?.(parsed.event.sender) ?? 'en'][kind];
      const event = { ...parsed.event, unreadable };
      // In direct chats every item is addressed to the bot anyway.
      const isAlbum = album !== undefined && event.conversation.kind === 'group';
      const pieces = isAlbum ? albums.pieces(album, event) : [event];
      await Promise.all(pieces.map((piece) => host.receive(piece)));
      return;
    }
    case 'edit':
    case 'membership':
      await host.receive(parsed.event);
      return;
    case 'press': {
      const { notice } = await host.receive(parsed.event);
      return background.run('a press was not answered', () => sending.answerPress(parsed.pressId, notice));
    }
    case 'moved':
      return host.moved(parsed.from, parsed.chatId);
    case 'ignored':
      return host.log.debug({ updateId, reason: parsed.reason }, 'an update was ignored');
    case 'unreadable':
      return host.log.warn({ updateId, path: parsed.path }, 'an update could not be read and was skipped');
  }
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

export interface Albums {
  /** The events for an item: itself, and earlier items again once the album is known to be for the bot. */
  pieces(name: string, event: InboundMessage): readonly InboundMessage[];
}

/**
 * Groups the items of albums. In a group, only the item with the caption shows that the album is for the bot; then all
 * items are addressed, in any order of arrival: the host has ignored those that came before.
 */
export function createAlbums(clock: Clock): Albums {
  const albums = new Perishable<string, Album>({ clock, most: mostAlbums });

  return {
    pieces(name, event) {
      const known = albums.get(name);
      const album = known ?? { isAddressed: false, early: new Map() };
      if (known === undefined) albums.set(name, album, albumTime);
      album.isAddressed ||= event.addressed;
      const { isAddressed, early } = album;
      if (isAddressed) return [...early.values(), event].map((piece) => ({ ...piece, addressed: true }));
      if (early.size < mostItems) early.set(event.key, event);
      return [event];
    },
  };
}
