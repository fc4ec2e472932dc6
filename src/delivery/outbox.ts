/*
 * The outbox: the port to stored messages, and the two tracks of each chat. Earlier messages go first; a track that pauses
 * after a failure holds the other one up for a few seconds only.
 */

import type { ChannelFault, MessageRef } from '../contract.ts';
import type { OutboxDraft } from '../engine/message.ts';
import { type Clock, sleep } from '../lib/clock.ts';
import type { FileKeeper, KeptFile } from '../tools/output.ts';
import type { FileKey, OutgoingMessage, StoredMessage } from '../words/message-parts.ts';

/**
 * `control`: cards and Keyturn's own words, including answers to commands · `content`: replies, files, tool output. Each chat
 * has both, and neither waits long for the other.
 */
export type Track = 'control' | 'content';

/** A stored message, delivered or not. */
export interface OutboxRow extends OutgoingMessage {
  /** Grows with each message. */
  readonly seq: number;
  readonly conversationId: string;
  /** Grows with each change of text or buttons. */
  readonly revision: number;
  /** The parts on the platform, in order. A long message has several. */
  readonly refs: readonly MessageRef[];
  /** Messages shown before the text was known: the parts replace them. */
  readonly previews: readonly MessageRef[];
  /** The newest revision that was shown completely. */
  readonly deliveredRevision: number;
  /** The note about lateness in the first part, if parts were sent. */
  readonly lateNote?: string;
  /** The approval it asks for, while it is pending. */
  readonly approvalId?: string;
  /** How long its approval can be decided once it is shown, in ms. Undefined if it was shown, or asks for none. */
  readonly wait?: number;
  /** Set if it may be sent once at most. `sending`: an attempt began and its outcome was never stored. */
  readonly atMostOnce?: 'unsent' | 'sending';
  /** Failures in a row, and since when. */
  readonly failures: number;
  readonly failingSince?: number;
  /** The last error, and how many of the last failures had the same. */
  readonly failure?: string;
  readonly failuresAlike: number;
  /** Processes in a row that may have died of sending it: it was being sent, or its turn was next, when one was killed. */
  readonly kills: number;
  /** Obsolete: it asks for, or reminds of, something already decided. */
  readonly isSettled: boolean;
  /** A card that was shown, and says now that others are asked, or that it is asked again: no news where it is gone. */
  readonly isMovedOn: boolean;
  /** Further messages that show the same card, since it was sent twice. */
  readonly twins: readonly MessageRef[];
  /** It is the stub of this message. */
  readonly stubOf?: string;
}

/** The oldest undelivered message of a track. */
export interface NextRow extends OutboxRow {
  /** An earlier message waits on the other track. */
  readonly isBehind: boolean;
}

/** A part on the platform. */
export interface SentPart {
  /** Its index in the message, from 0. */
  readonly index: number;
  readonly ref: MessageRef;
  /** The note about lateness: the remaining parts continue a text that begins with it. */
  readonly lateNote?: string;
}

/** A preview that an earlier process left unfinished. */
export interface LeftPreview {
  readonly messageId: string;
  readonly conversationId: string;
  readonly refs: readonly MessageRef[];
}

/** What an earlier process left. */
export interface Recovered {
  /** Conversations with undelivered messages. */
  readonly undelivered: readonly string[];
  /** Replies that were being streamed, the oldest first. */
  readonly previews: readonly LeftPreview[];
  /** Conversations with messages that are parked without a stub in the chat. */
  readonly held: readonly string[];
}

/** Stores messages for delivery. Each method is one transaction. */
export interface OutboxStore {
  /** The oldest undelivered message of a track. */
  next(lane: string, track: Track): Promise<NextRow | undefined>;
  /** Whether an earlier message waits on that track, as `NextRow` says of the other one. */
  isAhead(lane: string, track: Track, seq: number): Promise<boolean>;
  /** Counts an attempt that may kill the process. */
  sendBegun(messageId: string): Promise<void>;
  /** The attempt lasts too long to be what kills: later deaths do not count. */
  sendLasts(messageId: string): Promise<void>;
  /** The attempt ended; the process survived. */
  sendEnded(messageId: string): Promise<void>;
  /** Notes a failed attempt. */
  tried(messageId: string, revision: number, reason: string, at: number): Promise<void>;
  /** Returns the stub for a message that can't be shown, or stores this one. */
  standIn(messageId: string, stub: OutboxDraft, at: number): Promise<OutboxRow>;
  /** Parks it until a person decides. Its stub is in the chat. */
  park(messageId: string, revision: number, reason: string, at: number): Promise<void>;
  /** Parks it although its stub is refused, too. This text of the stub is for the time when the chat takes messages. */
  hold(messageId: string, revision: number, reason: string, offer: StoredMessage, at: number): Promise<void>;
  /** The stub is refused. What it stands for stays parked. */
  stubRefused(stubId: string): Promise<void>;
  /** Queues the stubs of what was held in the conversation: the newest, so many at most. */
  offerHeld(conversationId: string, most: number): Promise<void>;
  /** This revision is obsolete. */
  abandon(messageId: string, revision: number): Promise<void>;
  /** Notes one part on the platform, new or replaced, unless that is not `isNeeded` any more when it is stored. */
  partSent(messageId: string, part: SentPart, isNeeded: () => boolean): Promise<void>;
  /** Notes the files that can't be sent, and the parts that remain. */
  filesRefused(messageId: string, refused: readonly FileKey[], refs: readonly MessageRef[]): Promise<void>;
  /** The platform shows this revision. */
  delivered(messageId: string, revision: number, refs: readonly MessageRef[], at: number): Promise<void>;
  /** The chat has another id now: nothing that stands under the old one is changed. What still asks is shown again. */
  leaveBehind(conversationId: string): Promise<void>;
  /** It will not be shown, and why. */
  failed(messageId: string, revision: number, reason: string): Promise<void>;
  /** Stores a message of Keyturn's own. */
  say(conversationId: string, message: StoredMessage, at: number): Promise<void>;
  /** Gives the message up, unless it was shown: it is told elsewhere. */
  withdraw(messageId: string): Promise<void>;
  /** Notes, on disk before it resolves, that an at-most-once part is about to be sent. */
  sending(messageId: string): Promise<void>;
  /** The platform did not send it: it may be retried. */
  notSent(messageId: string): Promise<void>;
  /**
   * Finds what an earlier process left. A stream that was never shown is given up; what tools did was interrupted.
   * `isSuspicious`: what was next in each chat may have killed it.
   */
  recover(at: number, isSuspicious: boolean): Promise<Recovered>;
  /** Whether the message is still to be shown, or parked. */
  isQueued(messageId: string): Promise<boolean>;
}

/** The unit of ordered delivery: a chat with all its threads, since platforms rate-limit the chat. */
export function laneOf(conversationId: string): string {
  return conversationId.replace(/:#[^:]*$/, '');
}

/** Keeps the files of messages until they are sent. */
export interface MessageFiles extends FileKeeper {
  /** An absolute path; the file may not exist. */
  pathOf(messageId: string, key: FileKey): string;
  /** Keeps the whole text of a message as its file `text`. Idempotent. */
  keepText(messageId: string, text: string): Promise<void>;
  /** Keeps bytes as the only file of a message, which is stored afterwards. On disk when it resolves. */
  keepBytes(messageId: string, file: Omit<KeptFile, 'size'>, bytes: Uint8Array): Promise<KeptFile>;
  has(messageId: string, key: FileKey): Promise<boolean>;
  /** Removes all files of the message. */
  remove(messageId: string): Promise<void>;
  /** The messages that have files. */
  owners(): Promise<readonly string[]>;
}

/** How long a message waits for earlier ones on the other track, in ms. */
const patience = 5000;
/** A pause shorter than this is not cut short when the platform is reachable again. In ms. */
const longPause = 10_000;

/** A track that waits before a retry. */
interface Pause {
  readonly channel: string;
  /** Since when its first message has failed. */
  readonly since: number;
  /** The platform told how long. */
  readonly isOrdered: boolean;
  readonly isLong: boolean;
  readonly end: () => void;
}

/** The two tracks of each chat: in which order they send, and how long each pauses after a failure. */
export interface Tracks {
  /**
   * Waits, for a few seconds at most, for earlier messages on the other track. While these are sent at the platform's pace,
   * what has waited as long keeps its order, and what is fresh overtakes them.
   */
  awaitEarlier(row: NextRow, key: string, waiting: Waiting): Promise<void>;
  /** The message waits until the platform takes one more. */
  waits(row: OutboxRow): void;
  /** The platform takes it now. */
  goesOn(row: OutboxRow): void;
  /** The first message of the track is being sent. */
  begun(key: string): void;
  /** Waits before the row is tried again. */
  pause(row: OutboxRow, fault: ChannelFault, key: string, signal: AbortSignal): Promise<void>;
  /** Something was shown or given up: others may go on. */
  changed(key: string): void;
  /** The platform accepted a message. The first success ends the pauses of all failures since the last one. */
  shown(row: OutboxRow): void;
  /** Whether the chat, or the channel, has accepted a message since then. */
  hasShownSince(channelOrLane: string, at: number): boolean;
  /** The platform is reachable again: ends the pauses. */
  revive(channel: string): void;
}

interface TracksContext {
  readonly outbox: Pick<OutboxStore, 'isAhead'>;
  readonly clock: Clock;
  readonly settings: PauseSettings;
  readonly pauses: Map<string, Pause>;
  /** Since when the first message of a track is being sent. */
  readonly sendingSince: Map<string, number>;
  /** Listeners for changes in a lane. */
  readonly waiting: Map<string, Set<() => void>>;
  /** The tracks whose first message waits until the platform takes one more. */
  readonly paced: Set<string>;
  /** When a channel, and a lane, last accepted a message. */
  readonly shownAt: Map<string, number>;
}

export function createTracks(outbox: TracksContext['outbox'], clock: Clock, settings: PauseSettings): Tracks {
  const context: TracksContext = {
    outbox,
    clock,
    settings,
    pauses: new Map(),
    sendingSince: new Map(),
    waiting: new Map(),
    paced: new Set(),
    shownAt: new Map(),
  };
  return {
    awaitEarlier: (row, key, waiting) => awaitEarlier(row, key, waiting, context),
    waits(row) {
      context.paced.add(keyOfRow(row));
      tellIn(laneOf(row.conversationId), context);
    },
    goesOn(row) {
      context.paced.delete(keyOfRow(row));
      begun(keyOfRow(row), context);
    },
    begun: (key) => begun(key, context),
    pause: (row, fault, key, signal) => pauseTrack({ row, fault, key, signal }, context),
    changed: (key) => changed(key, context),
    shown: (row) => shown(row, context),
    hasShownSince: (channelOrLane, at) => (context.shownAt.get(channelOrLane) ?? Number.NEGATIVE_INFINITY) >= at,
    revive: (channel) => revive(channel, Number.NEGATIVE_INFINITY, context),
  };
}

async function awaitEarlier(
  row: NextRow,
  key: string,
  { isLate, signal }: Waiting,
  context: TracksContext,
): Promise<void> {
  const { outbox, clock, pauses, paced, sendingSince } = context;
  const { lane, track } = trackOf(key);
  const other = track === 'control' ? 'content' : 'control';
  let from = clock.now();
  const isStillBehind = (): Promise<boolean> => outbox.isAhead(lane, other, row.seq);
  for (let isFirst = true; !signal.aborted && (isFirst ? row.isBehind : await isStillBehind()); isFirst = false) {
    const pause = pauses.get(keyOf(lane, other));
    // Both have failed: retry them in order.
    if (isFirst && row.failures > 0 && pause?.isOrdered === false) {
      pause.end();
      continue;
    }
    if (paced.has(keyOf(lane, other))) {
      if (!isLate) return;
      from = clock.now();
    }
    const left = Math.min(from, pause?.since ?? sendingSince.get(keyOf(lane, other)) ?? from) + patience - clock.now();
    if (left <= 0) return;
    await changeIn(lane, left, signal, context);
  }
}

interface FailedSend {
  readonly row: OutboxRow;
  readonly fault: ChannelFault;
  readonly key: string;
  readonly signal: AbortSignal;
}

async function pauseTrack({ row, fault, key, signal }: FailedSend, context: TracksContext): Promise<void> {
  const { clock, settings, pauses } = context;
  const ending = new AbortController();
  const milliseconds = pauseAfter(fault, row.failures, settings);
  const end = (): void => {
    pauses.delete(key);
    ending.abort();
  };
  pauses.set(key, {
    channel: row.conversation.channel,
    since: row.failingSince ?? clock.now(),
    isOrdered: fault.type === 'rate-limited',
    isLong: milliseconds >= longPause,
    end,
  });
  changed(key, context);
  await sleep(clock, milliseconds, AbortSignal.any([signal, ending.signal]));
  end();
}

function begun(key: string, { sendingSince, clock }: TracksContext): void {
  sendingSince.set(key, clock.now());
}

function changed(key: string, context: TracksContext): void {
  context.sendingSince.delete(key);
  tellIn(trackOf(key).lane, context);
}

function tellIn(lane: string, { waiting }: TracksContext): void {
  for (const told of waiting.get(lane) ?? []) told();
}

function shown({ conversation: { channel }, conversationId }: OutboxRow, context: TracksContext): void {
  const { shownAt, clock } = context;
  const before = shownAt.get(channel);
  for (const channelOrLane of [channel, laneOf(conversationId)]) shownAt.set(channelOrLane, clock.now());
  revive(channel, before ?? Number.NEGATIVE_INFINITY, context);
}

/** Ends the pauses of failures since then. */
function revive(channel: string, failingSince: number, { pauses }: TracksContext): void {
  for (const one of pauses.values())
    if (one.channel === channel && one.isLong && !one.isOrdered && one.since >= failingSince) one.end();
}

/** Resolves at the next change in the lane, or after that time. */
async function changeIn(
  lane: string,
  longest: number,
  signal: AbortSignal,
  { waiting, clock }: TracksContext,
): Promise<void> {
  const change = new AbortController();
  const told = (): void => change.abort();
  const others = waiting.get(lane) ?? new Set();
  waiting.set(lane, others.add(told));
  await sleep(clock, longest, AbortSignal.any([signal, change.signal]));
  others.delete(told);
  if (others.size === 0) waiting.delete(lane);
}

/** Content first: the order in which a lane's tracks are tried. */
export function keysOf(lane: string): readonly string[] {
  return [keyOf(lane, 'content'), keyOf(lane, 'control')];
}

export function trackOf(key: string): { readonly lane: string; readonly track: Track } {
  return { lane: key.slice(key.indexOf(' ') + 1), track: key.startsWith('control ') ? 'control' : 'content' };
}

function keyOf(lane: string, track: Track): string {
  return `${track} ${lane}`;
}

function keyOfRow({ conversationId, kind }: OutboxRow): string {
  return keyOf(laneOf(conversationId), kind === 'card' || kind === 'notice' ? 'control' : 'content');
}

interface Waiting {
  /** It has waited for some time already. */
  readonly isLate: boolean;
  readonly signal: AbortSignal;
}

export interface PauseSettings {
  /** The first pause, in ms; it doubles up to `longestPause`. */
  readonly firstPause: number;
  readonly longestPause: number;
  /** The pause before resending a message whose outcome is unknown, in ms. */
  readonly ambiguousPause: number;
}

const afterRefusedKey = 5000;

/** The pause before the next try, in ms. `failures`: those before this one. */
function pauseAfter(fault: ChannelFault, failures: number, settings: PauseSettings): number {
  const growing = growingPause(failures, settings);
  switch (fault.type) {
    case 'rate-limited':
      // A platform that says "in a second" each time is trusted less and less.
      return Math.max(fault.retryAfter, growing);
    case 'ambiguous':
      return Math.max(settings.ambiguousPause, growing);
    case 'auth':
      // Platforms refuse valid credentials for a moment, too.
      return Math.max(afterRefusedKey, growing);
    case 'moved':
    case 'transient':
    case 'permanent':
      return growing;
  }
}

export function growingPause(failures: number, { firstPause, longestPause }: PauseSettings): number {
  return Math.min(longestPause, firstPause * 2 ** Math.min(failures, 16));
}
