import { laneOf } from '../delivery/outbox.ts';
import type { Clock } from '../lib/clock.ts';
import { type Signal, signal } from '../lib/live.ts';
import { Remembered } from '../lib/remembered.ts';
import type { AccountsOf } from './access/access.ts';
import type { DirectChat } from './inbox.ts';

/** The chats in which owners are told something, once it is known who reads there. A person with several accounts is told once. */
export interface OwnersChats {
  /**
   * For each owner, the chats of their own with the bot in running channels. First where they were heard last; those that
   * have refused something since come after all others.
   */
  all(): Promise<readonly (readonly DirectChat[])[]>;
  /** The first chat of each owner, of those that are wanted. */
  best(isWanted?: (chat: DirectChat) => boolean): Promise<readonly DirectChat[]>;
  /** Tell it when a chat takes nothing any more; listeners hear of it afterwards. */
  readonly refused: Signal<string>;
}

export interface OwnersChatsParts {
  /** All chats of these accounts with the bot. */
  readonly chatsOf: (principals: readonly string[]) => Promise<readonly DirectChat[]>;
  readonly owners: { readonly all: () => readonly string[] };
  readonly accountsOf: AccountsOf;
  readonly adapters: { readonly has: (channel: string) => boolean };
  readonly clock: Pick<Clock, 'now'>;
  readonly prepareReaders: (conversationIds: readonly string[]) => Promise<void>;
}

/** So many chats that refuse are remembered. */
const mostRefusing = 1000;

interface OwnersChatsContext extends OwnersChatsParts {
  /** When each lane last refused something. */
  readonly refusedAt: Remembered<string, number>;
}

export function createOwnersChats(parts: OwnersChatsParts): OwnersChats {
  const refused = signal<string>();
  const refusedAt = new Remembered<string, number>(mostRefusing);
  refused.listen((conversationId) => refusedAt.set(laneOf(conversationId), parts.clock.now()));
  const context: OwnersChatsContext = { ...parts, refusedAt };
  return {
    all: () => allChats(context),
    async best(isWanted = () => true) {
      return (await allChats(context)).flatMap((chats) => chats.find(isWanted) ?? []);
    },
    refused,
  };
}

async function allChats(context: OwnersChatsContext): Promise<readonly (readonly DirectChat[])[]> {
  const { chatsOf, owners, accountsOf, adapters } = context;
  const chats = (await chatsOf(owners.all())).filter(({ conversation: { channel } }) => adapters.has(channel));
  await context.prepareReaders(chats.map(({ conversationId }) => conversationId));
  const newestFirst = chats.toSorted((one, other) => other.seenAt - one.seenAt);
  const taking = newestFirst.filter((chat) => !isRefusing(chat, context));
  const ordered = [...taking, ...newestFirst.filter((chat) => isRefusing(chat, context))];
  return [...Map.groupBy(ordered, ({ principal }) => accountsOf(principal)[0] ?? principal).values()];
}

/** Until its person is heard there again. */
function isRefusing({ conversationId, seenAt }: DirectChat, { refusedAt }: OwnersChatsContext): boolean {
  return (refusedAt.get(laneOf(conversationId)) ?? Number.NEGATIVE_INFINITY) >= seenAt;
}
