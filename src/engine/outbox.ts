/*
 * Stored messages on their way to people: the port to where they wait, and the two tracks of each chat. What is written
 * first goes first; a track that pauses after a failure holds the other one up for a few seconds only.
 */

import type { ChannelFault, MessageRef } from '../contract.ts';
import { type Clock, sleep } from '../lib/clock.ts';
import type { FileKeeper } from '../tools/output.ts';
import type { FileKey, OutgoingMessage, StoredMessage } from '../words/message-parts.ts';
import type { OutboxDraft } from './message.ts';

/**
 * `control`: cards and what Keyturn itself says, answers to commands among them · `content`: replies, files, what tools do.
 * Each chat has both, and neither waits long for the other.
 */
export type Track = 'control' | 'content';

/** A stored message, on its way to people or already there. */
export interface OutboxRow extends OutgoingMessage {
  /** Grows from message to message. */
  readonly seq: number;
  readonly conversationId: string;
  /** Grows with each change of the text or the buttons. */
  readonly revision: number;
  /** The parts that stand on the platform, in their order. A long message has several. */
  readonly refs: readonly MessageRef[];
  /** The messages that were shown before its text was known: the parts take their places. */
  readonly previews: readonly MessageRef[];
  /** Set once all of a revision was shown. */
  readonly deliveredRevision: number;
  /** What the first of its parts said of its lateness, if parts were sent. */
  readonly lateNote?: string;
  /** The approval that it asks for, while it asks. */
  readonly approvalId?: string;
  /** Set where it is sent once at most. `sending`: a try was begun, and its end was never noted. */
  readonly atMostOnce?: 'unsent' | 'sending';
  /** How often sending it has failed in a row, and since when. */
  readonly failures: number;
  readonly failingSince?: number;
  /** Why it failed last, and how many of its last failures said the same. */
  readonly failure?: string;
  readonly failuresAlike: number;
  /**
   * How many processes in a row may have been killed by sending it: it waited when one ended that was not told of it, or was
   * being sent.
   */
  readonly kills: number;
  /** Nobody needs it any more: it asks for, or reminds of, something that is decided. */
  readonly isSettled: boolean;
  /** Messages that show the same card beside those of `refs`: it was sent twice. */
  readonly twins: readonly MessageRef[];
}

/** A part that stands on the platform. */
export interface SentPart {
  /** Which one of the message, from 0. */
  readonly index: number;
  readonly ref: MessageRef;
  /** What the message says of its lateness: the parts to come are those of a text that begins with it. */
  readonly lateNote?: string;
}

/** A message that a former process has begun to show, and has not finished. */
export interface LeftPreview {
  readonly messageId: string;
  readonly conversationId: string;
  readonly refs: readonly MessageRef[];
}

/** What a former process has left. */
export interface Recovered {
  /** The conversations with messages that are not shown as they should be. */
  readonly undelivered: readonly string[];
  /** Replies that were being shown while the model wrote them, the oldest first. */
  readonly previews: readonly LeftPreview[];
}

/** Where messages wait for their delivery. Each method is one transaction. */
export interface OutboxStore {
  /** The oldest message of a track of the lane that is not shown as it should be; undefined if there is none. */
  next(lane: string, track: Track): Promise<OutboxRow | undefined>;
  /** Whether a message of the track waits in the lane that was written before the other one. */
  isAhead(lane: string, track: Track, seq: number): Promise<boolean>;
  /** It is about to be sent, and a process may be killed by that. */
  sendBegun(messageId: string): Promise<void>;
  /** It goes on, and whatever kills the process from now on is something else. */
  sendLasts(messageId: string): Promise<void>;
  /** No process was killed. */
  sendEnded(messageId: string): Promise<void>;
  /** Sending it has failed once more. */
  tried(messageId: string, revision: number, reason: string, at: number): Promise<void>;
  /** The message that is to stand in the place of one that can't be shown: the one that there is, or this. */
  standIn(messageId: string, stub: OutboxDraft, at: number): Promise<OutboxRow>;
  /** It waits for a person from now on. Its stub stands in the chat, unless that was refused for good. */
  park(messageId: string, revision: number, reason: string, at: number): Promise<void>;
  /** Nobody needs this revision any more. */
  abandon(messageId: string, revision: number): Promise<void>;
  /** One part of the message stands on the platform, be it a new one or in place of another. */
  partSent(messageId: string, part: SentPart): Promise<void>;
  /** Notes which files can't be sent, and the parts that remain of what was sent. */
  filesRefused(messageId: string, refused: readonly FileKey[], refs: readonly MessageRef[]): Promise<void>;
  /** The platform shows this revision. */
  delivered(messageId: string, revision: number, refs: readonly MessageRef[], at: number): Promise<void>;
  /** It will not be shown, and why. */
  failed(messageId: string, revision: number, reason: string): Promise<void>;
  /** Stores a message of Keyturn's own. */
  say(conversationId: string, message: StoredMessage, at: number): Promise<void>;
  /** A part of such a message is about to be sent. On disk before it resolves. */
  sending(messageId: string): Promise<void>;
  /** The platform has not done it: it may be tried again. */
  notSent(messageId: string): Promise<void>;
  /** Finds what a former process has left. What was begun and never shown is given up; what tools did was interrupted. */
  recover(at: number): Promise<Recovered>;
  /** Whether the message is still to be shown, or waits for a person to say so. */
  isQueued(messageId: string): Promise<boolean>;
}

/** What is delivered in order: a chat with all its threads, since platforms limit the chat. */
export function laneOf(conversationId: string): string {
  return conversationId.replace(/:#[^:]*$/, '');
}

/** Where the files of messages stand until they were sent. */
export interface MessageFiles extends FileKeeper {
  /** An absolute path; not whether something stands there. */
  pathOf(messageId: string, key: FileKey): string;
  /** Keeps the whole text of a message as its file `text`. Doing it twice changes nothing. */
  keepText(messageId: string, text: string): Promise<void>;
  has(messageId: string, key: FileKey): Promise<boolean>;
  /** Removes all that was kept for the message, if anything. */
  remove(messageId: string): Promise<void>;
  /** The messages for which something is kept. */
  owners(): Promise<readonly string[]>;
}

/** For so long a message waits for those of the other track that were written before it. In milliseconds. */
const patience = 5000;
/** What pauses for less than that is tried soon enough, whatever else gets through. In milliseconds. */
const longPause = 10_000;

/** A track that waits before its next try. */
interface Pause {
  readonly channel: string;
  /** Since when the message at its head has failed. */
  readonly since: number;
  /** The platform has said for how long. */
  readonly isOrdered: boolean;
  readonly isLong: boolean;
  readonly end: () => void;
}

/**
 * The two tracks of each chat, as keys: in which order they go on, and how long each pauses after a failure. A message that
 * was written before another and is on the other track goes first, unless it takes longer than a few seconds.
 */
export function createTracks(outbox: Pick<OutboxStore, 'isAhead'>, clock: Clock, settings: PauseSettings) {
  const pauses = new Map<string, Pause>();
  /** Since when the message at the head of a track is being sent. */
  const sendingSince = new Map<string, number>();
  /** Told when something has changed in a lane. */
  const waiting = new Map<string, Set<() => void>>();
  /** When a channel has last taken a message, and when a lane has. */
  const shownAt = new Map<string, number>();

  /** Waits for what was written before it in its chat and is on the other track, if it does not take long. */
  async function awaitEarlier(row: OutboxRow, key: string, signal: AbortSignal): Promise<void> {
    const { lane, track } = trackOf(key);
    const other = track === 'control' ? 'content' : 'control';
    const from = clock.now();
    for (let isFirst = true; !signal.aborted && (await outbox.isAhead(lane, other, row.seq)); isFirst = false) {
      const pause = pauses.get(keyOf(lane, other));
      // Both have failed: they are tried in their order.
      if (isFirst && row.failures > 0 && pause?.isOrdered === false) {
        pause.end();
        continue;
      }
      const left =
        Math.min(from, pause?.since ?? sendingSince.get(keyOf(lane, other)) ?? from) + patience - clock.now();
      if (left <= 0) return;
      await changeIn(lane, left, signal);
    }
  }

  /** Waits before the next try. */
  async function pause(row: OutboxRow, fault: ChannelFault, key: string, signal: AbortSignal): Promise<void> {
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
    changed(key);
    await sleep(clock, milliseconds, AbortSignal.any([signal, ending.signal]));
    end();
  }

  /** The message at the head of the track is sent now. */
  function begun(key: string): void {
    sendingSince.set(key, clock.now());
  }

  /** Something was shown, or given up: others may go on. */
  function changed(key: string): void {
    sendingSince.delete(key);
    for (const told of waiting.get(trackOf(key).lane) ?? []) told();
  }

  /** The platform has taken a message. The first that gets through ends the pauses of those that have failed since the last. */
  function shown({ conversation: { channel }, conversationId }: OutboxRow): void {
    const before = shownAt.get(channel);
    for (const place of [channel, laneOf(conversationId)]) shownAt.set(place, clock.now());
    revive(channel, before);
  }

  /** Whether the chat has taken a message since then. */
  function hasShownSince(lane: string, at: number): boolean {
    return (shownAt.get(lane) ?? Number.NEGATIVE_INFINITY) >= at;
  }

  /** The platform can be reached again: ends the pauses of what has failed since then. */
  function revive(channel: string, failingSince = Number.NEGATIVE_INFINITY): void {
    for (const one of pauses.values())
      if (one.channel === channel && one.isLong && !one.isOrdered && one.since >= failingSince) one.end();
  }

  /** Resolves when something has changed in the lane, at the latest after that time. */
  async function changeIn(lane: string, longest: number, signal: AbortSignal): Promise<void> {
    const change = new AbortController();
    const told = (): void => change.abort();
    const others = waiting.get(lane) ?? new Set();
    waiting.set(lane, others.add(told));
    await sleep(clock, longest, AbortSignal.any([signal, change.signal]));
    others.delete(told);
    if (others.size === 0) waiting.delete(lane);
  }

  return { awaitEarlier, begun, pause, changed, shown, hasShownSince, revive };
}

/** Content first: what is woken together is tried in this order. */
export function keysOf(lane: string): readonly string[] {
  return [keyOf(lane, 'content'), keyOf(lane, 'control')];
}

export function trackOf(key: string): { readonly lane: string; readonly track: Track } {
  return { lane: key.slice(key.indexOf(' ') + 1), track: key.startsWith('control ') ? 'control' : 'content' };
}

function keyOf(lane: string, track: Track): string {
  return `${track} ${lane}`;
}

export interface PauseSettings {
  /** The pause before the first new try, in milliseconds; it doubles up to `longestPause`. */
  readonly firstPause: number;
  readonly longestPause: number;
  /** The pause before a message is sent again whose first sending may have succeeded, in milliseconds. */
  readonly ambiguousPause: number;
}

const afterRefusedKey = 5000;

/** How long to wait before the next try, in milliseconds, after so many failures before this one. */
function pauseAfter(fault: ChannelFault, failures: number, settings: PauseSettings): number {
  const growing = growingPause(failures, settings);
  switch (fault.type) {
    case 'rate-limited':
      // One that says "in a second" each time is believed less and less.
      return Math.max(fault.retryAfter, growing);
    case 'ambiguous':
      return Math.max(settings.ambiguousPause, growing);
    case 'moved':
      return 0;
    case 'auth':
      // A platform refuses good credentials for a moment, too.
      return Math.max(afterRefusedKey, growing);
    case 'transient':
    case 'permanent':
      return growing;
  }
}

/** A pause that doubles with each failure, up to the longest. */
export function growingPause(failures: number, { firstPause, longestPause }: PauseSettings): number {
  return Math.min(longestPause, firstPause * 2 ** Math.min(failures, 16));
}
