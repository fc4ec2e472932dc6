import { isDeepStrictEqual } from 'node:util';
import type { RunFailure } from '../../../contract.ts';
import { newId } from '../../../lib/ids.ts';
import { Remembered } from '../../../lib/remembered.ts';
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

/** One chat of devices: its listeners, the replay and the current turn. */
export class Session {
  readonly id: string;
  readonly #whenIdle: (idle: () => void) => void;
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

  /** `seq`: above all numbers of earlier processes. `whenIdle`: calls `idle` when only people can continue. */
  constructor(id: string, seq: number, whenIdle: (idle: () => void) => void) {
    this.id = id;
    this.#seq = seq;
    this.#whenIdle = whenIdle;
  }

  get seq(): number {
    return this.#seq;
  }

  /** Whether it has no listeners and nothing is in progress. */
  get isIdle(): boolean {
    const isBusy = this.isRunning || this.#arriving > 0 || this.#awaited > 0 || this.#cards.size > 0;
    return !this.isHeard && !isBusy;
  }

  get isRunning(): boolean {
    return this.#turn !== undefined;
  }

  get isHeard(): boolean {
    return this.#listeners.size > 0;
  }

  async whenHeard(): Promise<void> {
    this.#awaited += 1;
    await this.#heard.promise;
    this.#awaited -= 1;
  }

  /** Adds a listener. Sends it the frames after `lastSeq`, or without that the current turn. */
  attach(listener: Listener, lastSeq?: number): void {
    if (lastSeq === undefined) this.#catchUp(listener);
    else this.#replayTo(listener, lastSeq);
    this.#listeners.add(listener);
    this.#heard.resolve();
  }

  #replayTo(listener: Listener, lastSeq: number): void {
    const kept = this.#replay.values();
    // Otherwise the clock was set back: older numbers mean nothing now.
    const isKnown = lastSeq <= this.#seq;
    const complete = isKnown && lastSeq + 1 >= (kept[0]?.shown.seq ?? this.#seq + 1);
    const missed = kept.filter(
      ({ shown, audience }) => isFor(audience, listener.showsApprovals) && !(isKnown && shown.seq <= lastSeq),
    );
    listener.send({ type: 'replay', frames: missed.length, complete });
    for (const { shown } of missed) listener.send(shown);
  }

  detach(listener: Listener): void {
    this.#listeners.delete(listener);
    if (this.#listeners.size === 0) this.#heard = Promise.withResolvers();
  }

  #catchUp({ showsApprovals, send }: Listener): void {
    if (this.#turn !== undefined) {
      const text = textFor(showsApprovals, this.#turn);
      const frames: readonly ChatFrame[] = [{ type: 'turn_start' }, { type: 'chunk_reset' }];
      for (const frame of text === '' ? frames : [...frames, { type: 'chunk', content: text } as const])
        send(this.#numbered(frame));
    }
    if (showsApprovals)
      for (const card of this.#cards.values()) send({ type: 'approval_request', ...card, seq: this.#seq });
  }

  #numbered(frame: ChatFrame): ShownFrame {
    return { ...frame, seq: this.#seq, turn_id: this.#turn?.id };
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

  /** Begins a turn, if there is none. */
  work(): void {
    this.#open();
    this.#watch();
  }

  /** Sets how the turn will end, if there is one. An abort wins over anything later. */
  ends(fate: Fate, failure?: RunFailure): void {
    const turn = this.#turn;
    if (turn === undefined) return;
    if (turn.fate !== 'aborted') turn.fate = fate;
    turn.failure = failure;
  }

  /** Says why a turn fails; false if it does not. */
  explain(words: string): boolean {
    const turn = this.#turn;
    if (turn?.fate !== 'failed') return false;
    turn.reasons = [...turn.reasons, words];
    return true;
  }

  publish(frame: ChatFrame, audience?: Audience): void {
    this.#seq += 1;
    const shown = this.#numbered(frame);
    this.#replay.set(this.#seq, { shown, audience, size: 100 + JSON.stringify(shown).length });
    for (const listener of [...this.#listeners]) if (isFor(audience, listener.showsApprovals)) listener.send(shown);
  }

  /** Publishes what some clients see differently. Skips undefined. */
  #publishEach(frameFor: (showsApprovals: boolean) => ChatFrame | undefined): void {
    const [whole, asked] = [frameFor(false), frameFor(true)];
    const isOne = isDeepStrictEqual(whole, asked);
    if (whole !== undefined) this.publish(whole, isOne ? undefined : false);
    if (asked !== undefined && !isOne) this.publish(asked, true);
  }

  /** Shows a complete text as part of the turn. */
  say(text: string, audience?: false): void {
    this.write(this.addPiece(audience), text);
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
  resolve(id: string, message: string): void {
    this.#cards.delete(id);
    this.publish({ type: 'approval_resolved', id, message });
  }

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
    this.#whenIdle(() => {
      this.#isWatched = false;
      // A message that is still arriving starts its own watch once it is stored.
      if (this.#arriving === 0) this.#end();
    });
  }

  #end(): void {
    const turn = this.#turn;
    if (turn === undefined) return;
    const waiting = this.#cards.size > 0 || undefined;
    this.publish({ type: 'chunk_reset' });
    this.#publishEach((showsApprovals) => endingOf(turn, textFor(showsApprovals, turn), waiting));
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

function endingOf({ fate, failure = 'other', reasons }: Turn, text: string, waiting: true | undefined): ChatFrame {
  switch (fate) {
    case 'aborted':
      return { type: 'aborted' };
    case 'failed':
      return { type: 'error', code: codes[failure], message: reasons.join(between) || 'The run failed.' };
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
