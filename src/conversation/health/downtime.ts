import type { ChannelAdapter, Conversation } from '../../contract.ts';
import type { Core } from '../../engine/feature.ts';
import { noticeTo, type OutboxDraft } from '../../engine/message.ts';
import { endsWithin, sleep } from '../../lib/clock.ts';
import { nameCode } from '../../lib/plain-text.ts';
import { clockTime, dayWords, durationWords, isSameDay } from '../../lib/time-words.ts';
import type { DirectChat } from '../inbox.ts';
import type { HealthBoard } from './channel-watch.ts';

/** A time in which no process was there, and of which the owners are not told yet. */
export interface Absence {
  readonly from: number;
  readonly until: number;
  /** The newest sequence of the inbox when it ended. */
  readonly seq: number;
  /** What the former process had taken in and not answered. */
  readonly unanswered: readonly LateMessages[];
}

/** Where it is written down that the process is alive. What writes is one transaction, in a relaxed commit. */
export interface LifetimeStore {
  /**
   * The absence that owners are to be told of: one of more than `longerThan` milliseconds, or one that a former process
   * did not come to tell of. There is none before the very first start, and none if that is 0.
   */
  absence(at: number, longerThan: number): Promise<Absence | undefined>;
  /** When a process was last known to be alive; undefined before the very first start. */
  aliveAt(): Promise<number | undefined>;
  /** Until when all that was said on each channel was heard, as far as that was ever noted. */
  heardAt(): Promise<ReadonlyMap<string, number>>;
  /** A process has begun, after an absence that is to be told of, or after none. */
  began(at: number, absence: Absence | undefined): Promise<void>;
  /** The process is alive, and has heard all that was said on these channels until then. */
  alive(at: number, heardAt: ReadonlyMap<string, number>): Promise<void>;
  /** What came in after the absence and was sent before its end. */
  late(absence: Absence): Promise<readonly LateMessages[]>;
  /** The chats of these people with the bot alone, without their threads: of each, the conversation in which to tell them something. */
  directChats(principals: readonly string[]): Promise<readonly DirectChat[]>;
  /** Stores what owners are told of the absence. It is not told of again. */
  told(notices: readonly OutboxDraft[], at: number): Promise<void>;
}

interface DowntimeParts extends Pick<Core, 'clock' | 'log' | 'deliver'> {
  readonly store: LifetimeStore;
  readonly adapters: ReadonlyMap<string, ChannelAdapter>;
  readonly health: HealthBoard;
  readonly owners: () => readonly string[];
  /** An absence of more than that is told of, in milliseconds; 0: none is. */
  readonly longerThan: number;
}

/** How often it is noted that the process is alive, in milliseconds. */
const notedEvery = 30_000;
/** How long the channels have to connect, in milliseconds. */
const connectingTime = 60_000;
/** When nothing that is late has come in for so long, all of it is there; in milliseconds. */
const quietTime = 2_000;
/** How long that is waited for, in milliseconds. */
const longestQuietWait = 30_000;

/** Notes that the process is alive, and tells the owners at the next start how long none was, and what waited meanwhile. */
export function createDowntime({ store, adapters, health, owners, longerThan, clock, log, deliver }: DowntimeParts) {
  const ending = new AbortController();
  const { signal } = ending;
  let absence: Absence | undefined;
  let aliveAt: number | undefined;
  let heardAt: ReadonlyMap<string, number> = new Map();
  let telling: Promise<void> = Promise.resolve();
  let callOff = (): void => {};

  function noteLater(): void {
    if (signal.aborted) return;
    callOff = clock.after(notedEvery, () => {
      void note();
      noteLater();
    });
  }

  /** Never throws: the next time comes soon, and without it an absence only seems longer. */
  async function note(): Promise<void> {
    const heard = [...adapters].flatMap(([name, channel]): [string, number][] =>
      channel.heardAt === undefined ? [] : [[name, channel.heardAt]],
    );
    try {
      await store.alive(clock.now(), new Map(heard));
    } catch (error) {
      log.warn({ err: error }, 'it could not be noted that the process is alive');
    }
  }

  async function tell(): Promise<void> {
    await store.began(clock.now(), absence);
    if (absence === undefined) return;
    await endsWithin(health.whenConnected(), { clock, milliseconds: connectingTime, signal });
    const late = await allLate(absence);
    if (signal.aborted) return;
    await say(absence, [...late, ...absence.unanswered]);
  }

  /** What came in late, once no more of it comes. */
  async function allLate(away: Absence): Promise<readonly LateMessages[]> {
    const enough = clock.now() + longestQuietWait;
    let late = await store.late(away);
    for (let before = -1; before !== total(late) && clock.now() < enough && !signal.aborted; ) {
      before = total(late);
      await sleep(clock, quietTime, signal);
      late = await store.late(away);
    }
    return late;
  }

  async function say({ from, until }: Absence, late: readonly LateMessages[]): Promise<void> {
    // Where people see what was said while they were not there.
    const places = (await store.directChats(owners()))
      .filter(({ conversation }) => adapters.get(conversation.channel)?.capabilities.history === true)
      .map(({ conversationId }) => conversationId);
    const message = noticeTo({}, downtimeWords({ from, until }, late));
    await store.told(
      places.map((conversationId) => ({ conversationId, message })),
      clock.now(),
    );
    const times = { from: new Date(from).toISOString(), until: new Date(until).toISOString() };
    log.info({ ...times, late: total(late), told: places.length }, 'nothing was received for a while');
    deliver(places);
  }

  return {
    /**
     * Until when former processes have heard all that was said on the channel: one may have lived on for long without hearing
     * anything. Undefined if there was none. Known once it has begun.
     */
    leftAt: (channel: string): number | undefined => heardAt.get(channel) ?? aliveAt,

    /** Finds out how long no process was there. Call it before anything can come in or is answered. */
    async begin(): Promise<void> {
      aliveAt = await store.aliveAt();
      heardAt = await store.heardAt();
      absence = await store.absence(clock.now(), longerThan);
    },

    /**
     * From now on it is noted that the process is alive. The owners are told of the absence, if there was one, when it is
     * known what waited. Returns at once, and has written nothing by then: the first write after a start waits for the disk.
     */
    tell(): void {
      telling = tell().catch((error: unknown) => {
        log.error({ err: error }, 'the time away could not be noted or told of; the next start tries it again');
      });
      noteLater();
    },

    /** Notes that the process was alive until now. What was not told by then, the next process tells. */
    async stop(): Promise<void> {
      ending.abort();
      callOff();
      await telling;
      await note();
    },
  };
}

function total(late: readonly LateMessages[]): number {
  return late.reduce((sum, { count }) => sum + count, 0);
}

/** Messages in one place, that waited while nobody took them up. */
export interface LateMessages {
  readonly conversation: Conversation;
  /** Who wrote one of them. */
  readonly name: string;
  readonly count: number;
}

const longestList = 10;

/** What owners read after a time in which Keyturn was away. Instants are milliseconds since 1970. */
export function downtimeWords(
  away: { readonly from: number; readonly until: number },
  late: readonly LateMessages[],
): string {
  const [from, until] = [timeWords(away.from, away.until), timeWords(away.until, away.from)];
  const first = `I was away for ${durationWords(away.until - away.from)}, from ${from} to ${until}.`;
  if (late.length === 0) return first;
  return `${first} What waited meanwhile is taken up now:\n\n${list(late).join('\n')}`;
}

function list(late: readonly LateMessages[]): readonly string[] {
  const counts = new Map<string, number>();
  for (const messages of late) {
    const where = whereWords(messages);
    counts.set(where, (counts.get(where) ?? 0) + messages.count);
  }
  const lines = [...counts].sort(([, one], [, other]) => other - one);
  if (lines.length <= longestList) return lines.map(([where, count]) => `- ${messagesWords(count)} ${where}`);
  const [shown, rest] = [lines.slice(0, longestList - 1), lines.slice(longestList - 1)];
  const left = rest.reduce((sum, [, count]) => sum + count, 0);
  return [
    ...shown.map(([where, count]) => `- ${messagesWords(count)} ${where}`),
    `- ${messagesWords(left)} in ${rest.length} other chats`,
  ];
}

function whereWords({ conversation: { kind, title }, name }: LateMessages): string {
  if (kind === 'direct') return `from ${nameCode(name)}`;
  return title === undefined ? 'in a group' : `in the group ${nameCode(title)}`;
}

function messagesWords(count: number): string {
  return count === 1 ? '1 message' : `${count} messages`;
}

/** With its day, if the other instant is not on the same. */
function timeWords(at: number, other: number): string {
  return isSameDay(at, other) ? clockTime(at) : `${dayWords(at)}, ${clockTime(at)}`;
}
