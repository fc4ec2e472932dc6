import type { DirectChat } from '../conversation/inbox.ts';
import type { Besides } from '../delivery/attempt.ts';
import { laneOf } from '../delivery/outbox.ts';
import { quietly } from '../engine/message.ts';
import { Background } from '../lib/background.ts';
import { newId } from '../lib/ids.ts';
import { escapeMarkdown } from '../lib/plain-text.ts';
import { Remembered } from '../lib/remembered.ts';
import { type InLanguage, type Words, wordsIn } from '../lib/words.ts';
import { damaged, type firstDamage } from '../store/examine.ts';
import type { Store } from '../store/index.ts';
import { workerFunction, workerProcesses } from '../tools/guard/worker/run-in-worker.ts';
import type { Services } from './services.ts';

type NoticeParts = Pick<Services, 'store' | 'ownersChats' | 'health' | 'readerIn' | 'clock' | 'log' | 'deliver'>;

/** So many notices are remembered, to be told elsewhere if their chat refuses them. */
const mostRemembered = 200;

interface ToldNotice {
  readonly id: string;
  readonly conversationId: string;
  readonly principal: string;
  readonly words: Words;
}

interface NoticesContext extends NoticeParts {
  readonly background: Background;
  readonly told: Remembered<string, ToldNotice>;
}

/**
 * Tells the owners something, each in the language of the chat: see `Services.tellOwners`. What a chat refuses is told in
 * another one of the same person.
 */
export function ownerNotices(parts: NoticeParts): Services['tellOwners'] {
  const { ownersChats, log } = parts;
  const notices: NoticesContext = { ...parts, background: new Background(log), told: new Remembered(mostRemembered) };
  ownersChats.refused.listen((refusing) =>
    notices.background.run('what a chat has refused could not be told to its owner elsewhere', () =>
      tellElsewhere(refusing, notices),
    ),
  );
  return (words, notOnRefused = false, besides) =>
    notices.background.run('the owners could not be told something', () =>
      tellBest(words, { notOnRefused, besides }, notices),
    );
}

async function tellBest(
  words: Words,
  { notOnRefused, besides }: { readonly notOnRefused: boolean; readonly besides: Besides | undefined },
  notices: NoticesContext,
): Promise<void> {
  const { ownersChats, health, log } = notices;
  const isOpen = ({ conversation: { channel } }: DirectChat): boolean =>
    !notOnRefused || health.of(channel)?.health.status !== 'dead';
  const chats = (await ownersChats.all()).flat().filter(isOpen);
  if (chats.length === 0) log.warn({}, 'no owner could be told something: none has a chat of their own here');
  const isElsewhere = ({ conversationId }: DirectChat): boolean => laneOf(conversationId) !== besides?.lane;
  const isKnown = besides?.isNotice === true || besides?.hasStub === true;
  if (isKnown && !chats.every(isElsewhere)) return;
  const chosen = await ownersChats.best((chat) => isOpen(chat) && isElsewhere(chat));
  for (const { conversationId, principal } of chosen)
    await say({ id: newId(20), conversationId, principal, words }, notices);
}

async function tellElsewhere(refusing: string, notices: NoticesContext): Promise<void> {
  const { store, ownersChats, told } = notices;
  const lane = laneOf(refusing);
  const persons = await ownersChats.all();
  for (const notice of told.values().filter(({ conversationId }) => laneOf(conversationId) === lane)) {
    const chats = persons.find((own) => own.some(({ principal }) => principal === notice.principal));
    const other = chats?.find(({ conversationId }) => laneOf(conversationId) !== lane);
    told.delete(notice.id);
    if (other === undefined || !(await store.outbox.isQueued(notice.id))) continue;
    const { conversationId, principal } = other;
    await say({ ...notice, id: newId(20), conversationId, principal }, notices);
    await store.outbox.withdraw(notice.id);
  }
}

async function say(notice: ToldNotice, { store, told, readerIn, clock, deliver }: NoticesContext): Promise<void> {
  told.set(notice.id, notice);
  const { id, conversationId, words } = notice;
  const markdown = wordsIn(readerIn(conversationId).language, words);
  await store.outbox.say(conversationId, quietly({ id, kind: 'notice', markdown }), clock.now());
  deliver([conversationId]);
}

type ModelNoticeParts = Pick<Services, 'setup' | 'tellOwners' | 'ownersChats' | 'owners' | 'heard' | 'redact' | 'log'>;

/**
 * Tells the owners what is learned of the models in force; if none has a chat yet, when one of them writes. Call the returned
 * function when the models are there or may have changed: it also has their servers asked what they can.
 */
export function modelNotices(parts: ModelNoticeParts): () => void {
  const { setup, owners, heard } = parts;
  const untold: InLanguage[] = [];
  const background = new Background(parts.log);
  const tellSoon = (): void => {
    if (untold.length > 0)
      background.run('the owners could not be told what their models lack', () => tellUntold(untold, parts));
  };
  let leave = (): void => {};
  heard.listen((principal) => {
    if (owners.isOwner(principal)) tellSoon();
  });
  return () => {
    leave();
    const { models } = setup.now;
    leave = models.learned.listen((words) => {
      untold.push(words);
      tellSoon();
    });
    models.look();
  };
}

async function tellUntold(untold: InLanguage[], { ownersChats, tellOwners, redact }: ModelNoticeParts): Promise<void> {
  if ((await ownersChats.best()).length === 0) return;
  for (const words of untold.splice(0)) tellOwners((language) => `⚠️ ${escapeMarkdown(redact(words(language)))}`);
}

/** For reading a database: in ms and bytes. */
const bounds = { timeout: 6 * 3_600_000, memory: 512 * 2 ** 20 };

/**
 * Checks a large database in another process; a small one is checked at start. If it is damaged, nothing more is
 * stored. Resolves with the check, or when the signal aborts.
 */
export async function readThrough(
  { state, toBeRead: file }: Store,
  { clock, log, ending }: Pick<Services, 'clock' | 'log' | 'ending'>,
): Promise<void> {
  if (file === undefined) return;
  log.debug({ file }, 'the database is read through beside the work');
  const run = workerProcesses({ clock, most: 1 });
  const work = workerFunction<typeof firstDamage>(import.meta.url, '../store/examine', 'firstDamage');
  const outcome = await run(work, file, { ...bounds, signal: ending });
  if (outcome.type === 'done' && outcome.value === undefined) log.debug({ file }, 'the database is whole');
  else if (outcome.type === 'done') state.lose(damaged(file, String(outcome.value)));
  else if (outcome.type !== 'stopped') log.warn({ file, ...outcome }, 'the database could not be read through');
}
