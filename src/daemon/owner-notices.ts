import type { DirectChat } from '../conversation/inbox.ts';
import { laneOf } from '../delivery/outbox.ts';
import { Background } from '../lib/background.ts';
import { newId } from '../lib/ids.ts';
import { escapeMarkdown } from '../lib/plain-text.ts';
import { Remembered } from '../lib/remembered.ts';
import { damaged, type firstDamage } from '../store/examine.ts';
import type { Store } from '../store/index.ts';
import { workerFunction, workerProcesses } from '../tools/guard/worker/run-in-worker.ts';
import type { Services } from './services.ts';

type NoticeParts = Pick<Services, 'store' | 'ownersChats' | 'health' | 'clock' | 'log' | 'deliver'>;

/** So many notices are remembered, to be told elsewhere if their chat refuses them. */
const mostRemembered = 200;

interface ToldNotice {
  readonly id: string;
  readonly conversationId: string;
  readonly principal: string;
  readonly markdown: string;
}

/** Tells the owners something: see `Services.tellOwners`. What a chat refuses is told in another one of the same person. */
export function ownerNotices(parts: NoticeParts): Services['tellOwners'] {
  const { store, ownersChats, health, log } = parts;
  const background = new Background(log);
  const told = new Remembered<string, ToldNotice>(mostRemembered);
  const say = async (notice: ToldNotice): Promise<void> => {
    told.set(notice.id, notice);
    const { id, conversationId, markdown } = notice;
    await store.outbox.say(conversationId, { id, kind: 'notice', markdown }, parts.clock.now());
    parts.deliver([conversationId]);
  };

  ownersChats.refused.listen((refusing) =>
    background.run('what a chat has refused could not be told to its owner elsewhere', async () => {
      const lane = laneOf(refusing);
      const persons = await ownersChats.all();
      for (const notice of told.values().filter(({ conversationId }) => laneOf(conversationId) === lane)) {
        const chats = persons.find((own) => own.some(({ principal }) => principal === notice.principal));
        const other = chats?.find(({ conversationId }) => laneOf(conversationId) !== lane);
        told.delete(notice.id);
        if (other === undefined || !(await store.outbox.isQueued(notice.id))) continue;
        const { conversationId, principal } = other;
        await say({ ...notice, id: newId(20), conversationId, principal });
        await store.outbox.withdraw(notice.id);
      }
    }),
  );

  return (markdown, notOnRefused = false, besides) =>
    background.run('the owners could not be told something', async () => {
      const isOpen = ({ conversation: { channel } }: DirectChat): boolean =>
        !notOnRefused || health.of(channel)?.health.status !== 'dead';
      const places = (await ownersChats.all()).flat().filter(isOpen);
      if (places.length === 0) log.warn({}, 'no owner could be told something: none has a chat of their own here');
      const isElsewhere = ({ conversationId }: DirectChat): boolean => laneOf(conversationId) !== besides?.lane;
      const isKnown = besides?.isNotice === true || besides?.hasStub === true;
      if (isKnown && !places.every(isElsewhere)) return;
      const chosen = await ownersChats.best((chat) => isOpen(chat) && isElsewhere(chat));
      for (const { conversationId, principal } of chosen)
        await say({ id: newId(20), conversationId, principal, markdown });
    });
}

type ModelNoticeParts = Pick<Services, 'setup' | 'tellOwners' | 'ownersChats' | 'owners' | 'heard' | 'redact' | 'log'>;

/**
 * Tells the owners what is learned of the models in force; if none has a chat yet, when one of them writes. Call the returned
 * function when the models are there or may have changed: it also has their servers asked what they can.
 */
export function modelNotices(parts: ModelNoticeParts): () => void {
  const { setup, tellOwners, ownersChats, owners, heard, redact, log } = parts;
  const background = new Background(log);
  const untold: string[] = [];
  let leave = (): void => {};

  function tellSoon(): void {
    if (untold.length === 0) return;
    background.run('the owners could not be told what their models lack', async () => {
      if ((await ownersChats.best()).length === 0) return;
      for (const words of untold.splice(0)) tellOwners(`⚠️ ${escapeMarkdown(redact(words))}`);
    });
  }

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
