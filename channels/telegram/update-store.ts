import type { ChannelHost, InboundAction, InboundMessage } from '../../src/contract.ts';
import type { Background } from '../../src/lib/background.ts';
import type { Clock } from '../../src/lib/clock.ts';
import { newId } from '../../src/lib/ids.ts';
import { escapeMarkdown } from '../../src/lib/plain-text.ts';
import { Perishable } from '../../src/lib/remembered.ts';
import { bestEffort } from '../kit/retries.ts';
import type { SendingApi } from './api.ts';
import { answeredBy, questionFor } from './asking.ts';
import { type Parsed, parseUpdate, updateIdOf } from './parse.ts';
import type { BotIdentity } from './reading-api.ts';
import { telegramWords, unreadableWords } from './words.ts';

export interface UpdateStoreParts {
  readonly host: ChannelHost;
  readonly sending: Pick<SendingApi, 'answerPress' | 'ask' | 'send'>;
  /** Signs the questions of buttons that ask for a text. */
  readonly secret: string;
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
  const { clock } = parts.host;
  const storing = {
    ...parts,
    albums: createAlbums(clock),
    questions: new Perishable<string, true>({ clock, most: mostQuestions }),
  };
  return (updates, bot) => storeAll(updates, bot, storing);
}

interface Storing extends UpdateStoreParts {
  readonly albums: Albums;
  /** The questions that were asked lately: chat, person and action. */
  readonly questions: Perishable<string, true>;
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

async function store({ updateId, parsed }: Item, storing: Storing): Promise<void> {
  const { host, sending, background, albums } = storing;
  switch (parsed.type) {
    case 'message': {
      const { album, unreadable: kind, answersAddress } = parsed;
      const completed = answersAddress && answeredBy(parsed.event, answersAddress, storing.secret);
      if (completed) return complete(completed, parsed.event, storing);
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
    case 'ask':
      return background.run('a press that asks for a text was not answered', () => ask(parsed, storing));
    case 'moved':
      return host.moved(parsed.from, parsed.chatId);
    case 'ignored':
      return host.log.debug({ updateId, reason: parsed.reason }, 'an update was ignored');
    case 'unreadable':
      return host.log.warn({ updateId, path: parsed.path }, 'an update could not be read and was skipped');
  }
}

/** Anybody can press in a group: so many of their last questions are known, and none is asked again for so long, in ms. */
const mostQuestions = 1_000;
const askedAgain = 60_000;

/** If the question cannot be asked, the person is told, and may press again. While it stands there, a press adds no other. */
async function ask(
  { asked, pressId }: Extract<Parsed, { type: 'ask' }>,
  { host, sending, secret, questions }: Storing,
): Promise<void> {
  const { conversation, sender, actionId } = asked.event;
  const question = `${conversation.chatId} ${sender.id} ${actionId}`;
  if (questions.get(question)) return sending.answerPress(pressId, undefined);
  questions.set(question, true, askedAgain);
  const language = host.languageFor?.(asked.event.sender) ?? 'en';
  const failure = await bestEffort(() => sending.ask(questionFor(asked, secret, language)).then(() => ''), {
    log: host.log,
    failure: 'a person could not be asked for a text',
  });
  if (failure === undefined) questions.delete(question);
  await sending.answerPress(pressId, failure === undefined ? telegramWords[language].cannotAsk : undefined);
}

/** A reply can be told nothing in private: what a press would be told is answered. */
async function complete(action: InboundAction, { messageId }: InboundMessage, storing: Storing): Promise<void> {
  const { host, sending, background } = storing;
  const { notice } = await host.receive(action);
  if (notice === undefined) return;
  const answer = { id: newId(20), kind: 'notice', markdown: escapeMarkdown(notice), replyTo: messageId } as const;
  background.run('a reply was not answered', async () => {
    await sending.send(action.conversation, answer);
  });
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
