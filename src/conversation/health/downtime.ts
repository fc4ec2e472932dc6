import type { Conversation } from '../../contract.ts';
import { type OutboxDraft, quietNoticeIn } from '../../engine/message.ts';
import { endsWithin, sleep } from '../../lib/clock.ts';
import { nameCode } from '../../lib/plain-text.ts';
import { clockTime, dayWords, durationWords, isSameDay, type Reader } from '../../lib/time-words.ts';
import type { ConversationCore } from '../conversation-core.ts';
import type { DirectChat } from '../inbox.ts';
import { healthWords, type NamedChat } from './words.ts';

/** A time without a process that the owners have not been told about. */
export interface Absence {
  readonly from: number;
  readonly until: number;
  /** The newest sequence of the inbox when it ended. */
  readonly seq: number;
  /** What the former process had accepted and not answered. */
  readonly unanswered: readonly LateMessages[];
}

/** Stores when the process was alive. Each write is one transaction, in a relaxed commit. */
export interface LifetimeStore {
  /**
   * The absence to tell owners about: one longer than `longerThan` ms, or one that a former process did not get to tell
   * about. Undefined before the very first start, and if `longerThan` is 0.
   */
  absence(at: number, longerThan: number): Promise<Absence | undefined>;
  /** When a process was last known to be alive; undefined before the very first start. */
  aliveAt(): Promise<number | undefined>;
  /** Until when everything on each channel was received, as far as noted. */
  heardAt(): Promise<ReadonlyMap<string, number>>;
  /** Notes a start, and the absence to tell about, if any. */
  began(at: number, absence: Absence | undefined): Promise<void>;
  /** Notes that the process is alive, and has received everything on these channels until then. */
  alive(at: number, heardAt: ReadonlyMap<string, number>): Promise<void>;
  /** What came in after the absence and was sent before its end. */
  late(absence: Absence): Promise<readonly LateMessages[]>;
  /** The private chats of these people with the bot: for each, the conversation to send notices to. No threads. */
  directChats(principals: readonly string[]): Promise<readonly DirectChat[]>;
  /** Stores the notices to owners, and that the absence was told. */
  told(notices: readonly OutboxDraft[], at: number): Promise<void>;
}

interface DowntimeParts extends ConversationCore {
  readonly store: LifetimeStore;
  /** Called each time it is noted that the process is alive. Never throws. */
  readonly noted: () => Promise<void>;
}

/** How often to note that the process is alive. In ms. */
const notedEvery = 30_000;
/** How long to wait for the channels to connect. In ms. */
const connectingTime = 60_000;
/** After this long without a late message, all have arrived. In ms. */
const quietTime = 2_000;
/** The longest wait for that. In ms. */
const longestQuietWait = 30_000;

/** Notes that the process is alive. After the next start, tells the owners how long none was, and what waited. */
export interface Downtime {
  /**
   * Until when former processes received everything on the channel: one may have run for long without receiving.
   * Undefined if there was none. Needs `begin` first.
   */
  leftAt(channel: string): number | undefined;
  /** Finds out how long no process ran. Call it before anything is received or answered. */
  begin(): Promise<void>;
  /**
   * Starts noting that the process is alive, and tells the owners of an absence once it is known what waited. Returns
   * at once, before any write: the first write after a start waits for the disk.
   */
  tell(): void;
  /** Notes that the process was alive until now. The next process tells what was not told. */
  stop(): Promise<void>;
}

interface DowntimeState {
  readonly parts: DowntimeParts;
  readonly ending: AbortController;
  absence: Absence | undefined;
  aliveAt: number | undefined;
  heardAt: ReadonlyMap<string, number>;
  telling: Promise<void>;
  callOff: () => void;
}

export function createDowntime(parts: DowntimeParts): Downtime {
  const { store, config, clock, log } = parts;
  const state: DowntimeState = {
    parts,
    ending: new AbortController(),
    absence: undefined,
    aliveAt: undefined,
    heardAt: new Map(),
    telling: Promise.resolve(),
    callOff: () => {},
  };
  return {
    leftAt: (channel) => state.heardAt.get(channel) ?? state.aliveAt,
    async begin() {
      state.aliveAt = await store.aliveAt();
      state.heardAt = await store.heardAt();
      state.absence = await store.absence(clock.now(), config.delivery.downtime_after_secs * 1000);
    },
    tell() {
      state.telling = tell(state).catch((error: unknown) => {
        log.error({ err: error }, 'the time away could not be noted or told of; the next start tries it again');
      });
      noteLater(state);
    },
    async stop() {
      state.ending.abort();
      state.callOff();
      await state.telling;
      await note(parts);
    },
  };
}

function noteLater(state: DowntimeState): void {
  if (state.ending.signal.aborted) return;
  state.callOff = state.parts.clock.after(notedEvery, () => {
    void note(state.parts);
    noteLater(state);
  });
}

/** Never throws: it repeats soon, and a missed note only makes an absence seem longer. */
async function note({ store, adapters, clock, log, noted }: DowntimeParts): Promise<void> {
  const heard = [...adapters].flatMap(([name, channel]): [string, number][] =>
    channel.heardAt === undefined ? [] : [[name, channel.heardAt]],
  );
  try {
    await store.alive(clock.now(), new Map(heard));
  } catch (error) {
    log.warn({ err: error }, 'it could not be noted that the process is alive');
  }
  await noted();
}

async function tell({ parts, absence, ending: { signal } }: DowntimeState): Promise<void> {
  const { store, clock, health } = parts;
  await store.began(clock.now(), absence);
  if (absence === undefined) return;
  await endsWithin(health.whenConnected(), { clock, milliseconds: connectingTime, signal });
  const late = await allLate(absence, signal, parts);
  if (signal.aborted) return;
  await say(absence, [...late, ...absence.unanswered], parts);
}

/** Resolves with the late messages once no more arrive. */
async function allLate(
  away: Absence,
  signal: AbortSignal,
  { store, clock }: DowntimeParts,
): Promise<readonly LateMessages[]> {
  const enough = clock.now() + longestQuietWait;
  let late = await store.late(away);
  for (let before = -1; before !== total(late) && clock.now() < enough && !signal.aborted; ) {
    before = total(late);
    await sleep(clock, quietTime, signal);
    late = await store.late(away);
  }
  return late;
}

async function say({ from, until }: Absence, late: readonly LateMessages[], parts: DowntimeParts): Promise<void> {
  const { store, adapters, ownersChats, clock, log, deliver, readerIn } = parts;
  // Where people can see what was said while they were away.
  const hasHistory = ({ conversation: { channel } }: DirectChat): boolean =>
    adapters.get(channel)?.capabilities.history === true;
  const conversationIds = (await ownersChats.best(hasHistory)).map(({ conversationId }) => conversationId);
  const notices = conversationIds.map((id) => quietNoticeIn(id, downtimeWords({ from, until }, late, readerIn(id))));
  await store.told(notices, clock.now());
  const times = { from: new Date(from).toISOString(), until: new Date(until).toISOString() };
  log.info({ ...times, late: total(late), told: conversationIds.length }, 'nothing was received for a while');
  deliver(conversationIds);
}

function total(late: readonly Pick<LateMessages, 'count'>[]): number {
  return late.reduce((sum, { count }) => sum + count, 0);
}

/** Messages in one conversation that waited while no process ran. */
export interface LateMessages {
  readonly conversation: Conversation;
  /** The author of one of them. */
  readonly name: string;
  readonly count: number;
}

const longestList = 10;

/** The notice to owners after an absence. Instants are in ms since 1970. */
export function downtimeWords(
  away: { readonly from: number; readonly until: number },
  late: readonly LateMessages[],
  reader: Reader,
): string {
  const words = healthWords[reader.language];
  const [from, until] = [timeWords(away.from, away.until, reader), timeWords(away.until, away.from, reader)];
  const first = words.away({ time: durationWords(away.until - away.from, reader.language), from, until });
  if (late.length === 0) return first;
  const lines = list(late).map((one) => `- ${words.late(one)}`);
  return `${words.withTakenUp({ first })}\n\n${lines.join('\n')}`;
}

interface LateLine {
  readonly where: NamedChat | { readonly others: number };
  readonly count: number;
}

/** A line for each person or group, the most messages first. */
function list(late: readonly LateMessages[]): readonly LateLine[] {
  const byChat = Map.groupBy(late, (messages) => JSON.stringify(chatOf(messages)));
  const lines = [...byChat.values()].flatMap((all) =>
    all.slice(0, 1).map((one) => ({ where: chatOf(one), count: total(all) })),
  );
  const sorted = lines.toSorted((one, other) => other.count - one.count);
  if (sorted.length <= longestList) return sorted;
  const rest = sorted.slice(longestList - 1);
  return [...sorted.slice(0, longestList - 1), { where: { others: rest.length }, count: total(rest) }];
}

function chatOf({ conversation: { kind, title }, name }: LateMessages): NamedChat {
  if (kind === 'direct') return { kind, name: nameCode(name) };
  return { kind, name: title === undefined ? undefined : nameCode(title) };
}

/** With its day, unless the other instant is on the same day. */
function timeWords(at: number, other: number, reader: Reader): string {
  const time = clockTime(at, reader);
  if (isSameDay(at, other, reader)) return time;
  return healthWords[reader.language].dayAndTime({ day: dayWords(at, reader), time });
}
