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
export class Session {
  readonly id: string;
  readonly #parts: SessionParts;
  readonly #listeners = new Set<Listener>();
  /** The newest frames by number, for clients that reconnect. */
  readonly #replay = new Remembered<number, Published>(mostText, ({ size }) => size);
  readonly #cards = new Map<string, ApprovalRequest>();
  #seq: number;
  #turn: Turn | undefined;
  #isWatched = false;
  /** Messages that are being stored: they may still be answered. */
  #arriving = 0;
  /** Number of pending `whenHeard` calls. */
  #awaited = 0;
  #heard = Promise.withResolvers<void>();

  constructor(parts: SessionParts) {
    this.#parts = parts;
    this.id = parts.id;
    this.#seq = parts.lastSeq;
  }

  /** The number of the newest frame. */
  get seq(): number {
    return this.#seq;
  }

  isHeard(): boolean {
    return this.#listeners.size > 0;
  }

  isRunning(): boolean {
    return this.#turn !== undefined;
  }

  /** Whether it has no listeners and nothing is in progress. */
  isIdle(): boolean {
    const isQuiet = !this.isHeard() && !this.isRunning() && this.#cards.size === 0;
    return isQuiet && this.#arriving === 0 && this.#awaited === 0;
  }

  async whenHeard(): Promise<void> {
    this.#awaited += 1;
    await this.#heard.promise;
    this.#awaited -= 1;
  }

  /** Adds a listener. Sends it the frames after `heardSeq`, or without that the current turn. */
  attach(listener: Listener, heardSeq?: number): void {
    if (heardSeq === undefined) this.#catchUp(listener);
    else this.#replayTo(listener, heardSeq);
    this.#listeners.add(listener);
    this.#heard.resolve();
  }

  detach(listener: Listener): void {
    this.#listeners.delete(listener);
    if (!this.isHeard()) this.#heard = Promise.withResolvers();
  }

  publish(frame: ChatFrame, audience?: Audience): void {
    this.#seq += 1;
    const shown = this.#numbered(frame);
    this.#replay.set(this.#seq, { shown, audience, size: 100 + JSON.stringify(shown).length });
    for (const listener of [...this.#listeners]) if (isFor(audience, listener.showsApprovals)) listener.send(shown);
  }

  /** Begins a turn, if there is none. */
  work(): void {
    this.#open();
    this.#watch();
  }

  /** A message arrives that may be answered. Call the returned function once it is stored. */
  begin(): () => void {
    this.#arriving += 1;
    this.#open();
    return () => {
      this.#arriving -= 1;
      this.#watch();
    };
  }

  /** Sets how the turn will end, if there is one. An abort wins over anything later. */
  ends(fate: Fate, failure?: RunFailure): void {
    if (this.#turn === undefined) return;
    if (this.#turn.fate !== 'aborted') this.#turn.fate = fate;
    this.#turn.failure = failure;
  }

  /** Says why a turn fails; false if it does not. */
  explain(words: string): boolean {
    if (this.#turn?.fate !== 'failed') return false;
    this.#turn.reasons = [...this.#turn.reasons, words];
    return true;
  }

  /** A text of the turn, which is written in parts. */
  addPiece(audience?: false): Piece {
    const piece: Piece = { text: '', audience };
    const turn = this.#open();
    turn.pieces = [...turn.pieces, piece];
    this.#watch();
    return piece;
  }

  write(piece: Piece, delta: string): void {
    const isNext = piece.text === '' && this.#turn?.pieces.some(({ text }) => text !== '') === true;
    piece.text += delta;
    this.publish({ type: 'chunk', content: isNext ? between + delta : delta }, piece.audience);
  }

  /** Shows a complete text as part of the turn. */
  say(text: string, audience?: false): void {
    this.write(this.addPiece(audience), text);
  }

  /** Replaces a text that was written; an empty one goes. Shows the whole turn again, unless `isLike` it. */
  rewrite(piece: Piece, text: string, isLike = false): void {
    piece.text = text;
    const turn = this.#turn;
    if (isLike || turn === undefined) return;
    this.publish({ type: 'chunk_reset' });
    this.#publishEach((showsApprovals) => {
      const content = textFor(showsApprovals, turn);
      return content === '' ? undefined : { type: 'chunk', content };
    });
  }

  ask(card: ApprovalRequest): void {
    this.#cards.set(card.id, card);
    this.work();
    this.publish({ type: 'approval_request', ...card }, true);
    this.say(card.message, false);
  }

  /** An approval was decided or cancelled, or its outcome was updated. */
  resolve(cardId: string, message: string): void {
    this.#cards.delete(cardId);
    this.publish({ type: 'approval_resolved', id: cardId, message });
  }

  #numbered(frame: ChatFrame): ShownFrame {
    return { ...frame, seq: this.#seq, turn_id: this.#turn?.id };
  }

  #replayTo(listener: Listener, heardSeq: number): void {
    const kept = this.#replay.values();
    // Otherwise the clock was set back: older numbers mean nothing now.
    const isKnown = heardSeq <= this.#seq;
    const complete = isKnown && heardSeq + 1 >= (kept[0]?.shown.seq ?? this.#seq + 1);
    const missed = kept.filter(
      ({ shown, audience }) => isFor(audience, listener.showsApprovals) && !(isKnown && shown.seq <= heardSeq),
    );
    listener.send({ type: 'replay', frames: missed.length, complete });
    for (const { shown } of missed) listener.send(shown);
  }

  #catchUp(listener: Listener): void {
    const { showsApprovals } = listener;
    if (this.#turn !== undefined) {
      const text = textFor(showsApprovals, this.#turn);
      listener.send(this.#numbered({ type: 'turn_start' }));
      listener.send(this.#numbered({ type: 'chunk_reset' }));
      if (text !== '') listener.send(this.#numbered({ type: 'chunk', content: text }));
    }
    if (!showsApprovals) return;
    for (const card of this.#cards.values()) listener.send({ type: 'approval_request', ...card, seq: this.#seq });
  }

  /** Publishes what some clients see differently. Skips undefined. */
  #publishEach(frameFor: (showsApprovals: boolean) => ChatFrame | undefined): void {
    const [whole, asked] = [frameFor(false), frameFor(true)];
    const isOne = isDeepStrictEqual(whole, asked);
    if (whole !== undefined) this.publish(whole, isOne ? undefined : false);
    if (asked !== undefined && !isOne) this.publish(asked, true);
  }

  /** The current turn, which begins now if there is none. */
  #open(): Turn {
    if (this.#turn !== undefined) return this.#turn;
    const turn: Turn = { id: newId(12), pieces: [], reasons: [] };
    this.#turn = turn;
    this.publish({ type: 'turn_start' });
    return turn;
  }

  /** Ends the turn once the conversation is idle. Idempotent while a watch is pending. */
  #watch(): void {
    if (this.#isWatched) return;
    this.#isWatched = true;
    this.#parts.whenIdle(() => {
      this.#isWatched = false;
      // A message that is still arriving starts its own watch once it is stored.
      if (this.#arriving === 0) this.#end();
    });
  }

  #end(): void {
    const ended = this.#turn;
    if (ended === undefined) return;
    const waiting = this.#cards.size > 0 || undefined;
    const { language } = this.#parts;
    this.publish({ type: 'chunk_reset' });
    this.#publishEach((showsApprovals) => endingOf(ended, textFor(showsApprovals, ended), waiting, language));
    this.#turn = undefined;
  }
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
  language: () => Language,
): ChatFrame {
  switch (fate) {
    case 'aborted':
      return { type: 'aborted' };
    case 'failed':
      return {
        type: 'error',
        code: codes[failure],
        message: reasons.join(between) || deviceWords[language()].runFailed,
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
