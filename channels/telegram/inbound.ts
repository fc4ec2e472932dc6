import type { ChannelHost } from '../../src/contract.ts';
import { Albums } from './albums.ts';
import { type Parsed, parseUpdate } from './parse.ts';
import type { BotIdentity } from './receiving.ts';
import { updateIdOf } from './update.ts';

export interface InboundDependencies {
  readonly host: ChannelHost;
  /** Called when a press was stored. Must return at once. */
  readonly onPressed: (pressId: string, notice: string | undefined) => void;
}

/** The first update of a batch that could not be stored, by its place, and why. */
export interface Unstored {
  readonly index: number;
  readonly reason: unknown;
}

interface Item {
  readonly updateId: number | undefined;
  readonly parsed: Parsed;
}

/** Brings what Telegram delivers to the host. */
export class Inbound {
  readonly #dependencies: InboundDependencies;
  readonly #albums: Albums;

  constructor(dependencies: InboundDependencies) {
    this.#dependencies = dependencies;
    this.#albums = new Albums(dependencies.host.clock);
  }

  /** Resolves with undefined once all of them are stored. Else, the one that was not and all after it must come again. */
  async take(updates: readonly unknown[], bot: BotIdentity): Promise<Unstored | undefined> {
    const now = this.#dependencies.host.clock.now();
    const items = updates.map((update) => ({ updateId: updateIdOf(update), parsed: parseUpdate(update, bot, now) }));
    for (const { parsed } of items) {
      if (parsed.type === 'message' && isOfAlbum(parsed)) this.#albums.note(parsed.album, parsed.event);
    }
    let first = 0;
    for (const stretch of stretches(items)) {
      // All begin in their order, which the host keeps, and are stored together.
      const stored = await Promise.allSettled(stretch.map((item) => this.#store(item)));
      for (const [index, outcome] of stored.entries()) {
        if (outcome.status === 'rejected') return { index: first + index, reason: outcome.reason };
      }
      first += stretch.length;
    }
    return undefined;
  }

  async #store({ updateId, parsed }: Item): Promise<void> {
    const { host, onPressed } = this.#dependencies;
    switch (parsed.type) {
      case 'message':
        await Promise.all(this.#piecesOf(parsed).map((event) => host.receive(event)));
        return;
      case 'edit':
        await host.receive(parsed.event);
        return;
      case 'press': {
        const { notice } = await host.receive(parsed.event);
        onPressed(parsed.pressId, notice);
        return;
      }
      case 'moved':
        await host.moved(parsed.from, parsed.chatId);
        return;
      case 'ignored':
        host.log.debug({ updateId, reason: parsed.reason }, 'an update was ignored');
        return;
      case 'unreadable':
        host.log.warn({ updateId, path: parsed.path }, 'an update could not be read and was skipped');
        return;
    }
  }

  #piecesOf(parsed: Parsed & { readonly type: 'message' }) {
    return isOfAlbum(parsed) ? this.#albums.pieces(parsed.album, parsed.event) : [parsed.event];
  }
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
