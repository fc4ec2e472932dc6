import { isDeepStrictEqual } from 'node:util';
import type { RunFailure } from '../../../contract.ts';
import { newId } from '../../../lib/ids.ts';
import { Remembered } from '../../../lib/remembered.ts';
import type { Language } from '../../../lib/words.ts';
import { deviceWords } from '../words.ts';
import type { ApprovalRequest, ChatFrame, ShownFrame } from './frames.ts';

/*
 * One chat of devices, as it is shown. Publishing a frame gives it a number, adds it to the replay and sends it to its
 * audience. A turn starts with a message of a person or of the core, and ends when the conversation is idle or waits
 * for a person. Clients that reconnect get the frames they missed; others get the current turn and the open cards.
 */

/** A client that shows the session. */
export interface Listener {
  /** Whether it renders `approval_request` frames. If not, it gets them as text. */
  readonly showsApprovals: boolean;
  /** Returns false once it cannot send any more. */
  send(frame: ShownFrame | { readonly type: 'replay'; readonly frames: number; readonly complete: boolean }): boolean;
}

/** Whether the clients meant show approvals themselves; undefined: all clients. */
type Audience = boolean | undefined;

/** A text of a turn. */
export interface Piece {
  text: string;
  readonly audience: Audience;
}

type Fate = 'aborted' | 'failed';

/** From the first message until the conversation is idle or waits for a person. */
interface Turn {
  readonly id: string;
  pieces: readonly Piece[];
  fate?: Fate;
  failure?: RunFailure;
  /** Why it failed, for the person. */
  reasons: readonly string[];
}

export type Session = ReturnType<typeof createSession>;

/** What a session is made from. */
export interface SessionParts {
  readonly id: string;
  /** Above all numbers of earlier processes. */
  readonly lastSeq: number;
  /** Calls `idle` when only people can continue. */
  readonly whenIdle: (idle: () => void) => void;
  /** The language of its person. */
  readonly language: () => Language;
}

/** One chat of devices: its listeners, the replay and the current turn. */
export function createSession({ id, lastSeq, whenIdle, language }: SessionParts) {
  const listeners = new Set<Listener>();
  /** The newest frames by number, for clients that reconnect. */
  const replay = new Remembered<number, Published>(mostText, ({ size }) => size);
  const cards = new Map<string, ApprovalRequest>();
  let seq = lastSeq;
  let turn: Turn | undefined;
  let isWatched = false;
  /** Messages that are being stored: they may still be answered. */
  let arriving = 0;
  /** Number of pending `whenHeard` calls. */
  let awaited = 0;
  let heard = Promise.withResolvers<void>();

  const isHeard = (): boolean => listeners.size > 0;
  const isRunning = (): boolean => turn !== undefined;
  const numbered = (frame: ChatFrame): ShownFrame => ({ ...frame, seq, turn_id: turn?.id });

  function replayTo(listener: Listener, heardSeq: number): void {
    const kept = replay.values();
    // Otherwise the clock was set back: older numbers mean nothing now.
    const isKnown = heardSeq <= seq;
    const complete = isKnown && heardSeq + 1 >= (kept[0]?.shown.seq ?? seq + 1);
    const missed = kept.filter(
      ({ shown, audience }) => isFor(audience, listener.showsApprovals) && !(isKnown && shown.seq <= heardSeq),
    );
    listener.send({ type: 'replay', frames: missed.length, complete });
    for (const { shown } of missed) listener.send(shown);
  }

  function catchUp({ showsApprovals, send }: Listener): void {
    if (turn !== undefined) {
      const text = textFor(showsApprovals, turn);
      const frames: readonly ChatFrame[] = [{ type: 'turn_start' }, { type: 'chunk_reset' }];
      for (const frame of text === '' ? frames : [...frames, { type: 'chunk', content: text } as const])
        send(numbered(frame));
    }
    if (showsApprovals) for (const card of cards.values()) send({ type: 'approval_request', ...card, seq });
  }

  function publish(frame: ChatFrame, audience?: Audience): void {
    seq += 1;
    const shown = numbered(frame);
    replay.set(seq, { shown, audience, size: 100 + JSON.stringify(shown).length });
    for (const listener of [...listeners]) if (isFor(audience, listener.showsApprovals)) listener.send(shown);
  }

  /** Publishes what some clients see differently. Skips undefined. */
  function publishEach(frameFor: (showsApprovals: boolean) => ChatFrame | undefined): void {
    const [whole, asked] = [frameFor(false), frameFor(true)];
    const isOne = isDeepStrictEqual(whole, asked);
    if (whole !== undefined) publish(whole, isOne ? undefined : false);
    if (asked !== undefined && !isOne) publish(asked, true);
  }

  /** The current turn, which begins now if there is none. */
  function open(): Turn {
    if (turn !== undefined) return turn;
    turn = { id: newId(12), pieces: [], reasons: [] };
    publish({ type: 'turn_start' });
    return turn;
  }

  /** Ends the turn once the conversation is idle. Idempotent while a watch is pending. */
  function watch(): void {
    if (isWatched) return;
    isWatched = true;
    whenIdle(() => {
      isWatched = false;
      // A message that is still arriving starts its own watch once it is stored.
      if (arriving === 0) end();
    });
  }

  function end(): void {
    const ended = turn;
    if (ended === undefined) return;
    const waiting = cards.size > 0 || undefined;
    publish({ type: 'chunk_reset' });
    publishEach((showsApprovals) => endingOf(ended, textFor(showsApprovals, ended), waiting, language()));
    turn = undefined;
  }

  /** Begins a turn, if there is none. */
  function work(): void {
    open();
    watch();
  }

  /** A text of the turn, which is written in parts. */
  function addPiece(audience?: false): Piece {
    const piece: Piece = { text: '', audience };
    const current = open();
    current.pieces = [...current.pieces, piece];
    watch();
    return piece;
  }

  function write(piece: Piece, delta: string): void {
    const isNext = piece.text === '' && turn?.pieces.some(({ text }) => text !== '') === true;
    piece.text += delta;
    publish({ type: 'chunk', content: isNext ? between + delta : delta }, piece.audience);
  }

  /** Shows a complete text as part of the turn. */
  function say(text: string, audience?: false): void {
    write(addPiece(audience), text);
  }

  return {
    ...{ id, isHeard, isRunning, publish, work, addPiece, write, say },
    /** The number of the newest frame. */
    seq: (): number => seq,

    /** Whether it has no listeners and nothing is in progress. */
    isIdle: (): boolean => !isHeard() && !isRunning() && arriving === 0 && awaited === 0 && cards.size === 0,

    async whenHeard(): Promise<void> {
      awaited += 1;
      await heard.promise;
      awaited -= 1;
    },

    /** Adds a listener. Sends it the frames after `heardSeq`, or without that the current turn. */
    attach(listener: Listener, heardSeq?: number): void {
      if (heardSeq === undefined) catchUp(listener);
      else replayTo(listener, heardSeq);
      listeners.add(listener);
      heard.resolve();
    },

    detach(listener: Listener): void {
      listeners.delete(listener);
      if (!isHeard()) heard = Promise.withResolvers();
    },

    /** A message arrives that may be answered. Call the returned function once it is stored. */
    begin(): () => void {
      arriving += 1;
      open();
      return () => {
        arriving -= 1;
        watch();
      };
    },

    /** Sets how the turn will end, if there is one. An abort wins over anything later. */
    ends(fate: Fate, failure?: RunFailure): void {
      if (turn === undefined) return;
      if (turn.fate !== 'aborted') turn.fate = fate;
      turn.failure = failure;
    },

    /** Says why a turn fails; false if it does not. */
    explain(words: string): boolean {
      if (turn?.fate !== 'failed') return false;
      turn.reasons = [...turn.reasons, words];
      return true;
    },

    /** Replaces a text that was written; an empty one goes. Shows the whole turn again, unless `isLike` it. */
    rewrite(piece: Piece, text: string, isLike = false): void {
      piece.text = text;
      const current = turn;
      if (isLike || current === undefined) return;
      publish({ type: 'chunk_reset' });
      publishEach((showsApprovals) => {
        const content = textFor(showsApprovals, current);
        return content === '' ? undefined : { type: 'chunk', content };
      });
    },

    ask(card: ApprovalRequest): void {
      cards.set(card.id, card);
      work();
      publish({ type: 'approval_request', ...card }, true);
      say(card.message, false);
    },

    /** An approval was decided or cancelled, or its outcome was updated. */
    resolve(cardId: string, message: string): void {
      cards.delete(cardId);
      publish({ type: 'approval_resolved', id: cardId, message });
    },
  };
}

function isFor(audience: Audience, showsApprovals: boolean): boolean {
  return audience === undefined || audience === showsApprovals;
}

function textFor(showsApprovals: boolean, { pieces }: Turn): string {
  const shown = pieces.filter(({ text, audience }) => text !== '' && isFor(audience, showsApprovals));
  return shown.map(({ text }) => text).join(between);
}

function endingOf(
  { fate, failure = 'other', reasons }: Turn,
  text: string,
  waiting: true | undefined,
  language: Language,
): ChatFrame {
  switch (fate) {
    case 'aborted':
      return { type: 'aborted' };
    case 'failed':
      return {
        type: 'error',
        code: codes[failure],
        message: reasons.join(between) || deviceWords[language].runFailed,
      };
    case undefined:
      return { type: 'done', full_response: text, waiting };
  }
}

const codes = {
  key: 'AUTH_ERROR',
  model: 'PROVIDER_ERROR',
  other: 'AGENT_ERROR',
} as const satisfies Record<RunFailure, string>;

const between = '\n\n';

/** In UTF-16 units, roughly. */
const mostText = 256 * 1024;

interface Published {
  /** Its number increases with each frame of the session, across processes too. */
  readonly shown: ShownFrame;
  readonly audience: Audience;
  readonly size: number;
}
