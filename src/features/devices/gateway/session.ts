import type { RunFailure } from '../../../contract.ts';
import { newId } from '../../../lib/ids.ts';
import type { ApprovalRequest, ChatFrame, ServerFrame } from './frames.ts';

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
  send(frame: ServerFrame): boolean;
}

/** `asking`: clients that render `approval_request` frames; `unasked`: those that do not. */
type Audience = 'all' | 'asking' | 'unasked';

/** One chat of devices: its listeners, the replay and the current turn. */
export class Session {
  readonly id: string;
  readonly #whenIdle: (idle: () => void) => void;
  readonly #listeners = new Set<Listener>();
  readonly #replay: ReturnType<typeof createReplay>;
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
    this.#replay = createReplay(seq);
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

  detach(listener: Listener): void {
    this.#listeners.delete(listener);
    if (this.#listeners.size === 0) this.#heard = Promise.withResolvers();
  }

  #replayTo(listener: Listener, lastSeq: number): void {
    const { frames, isComplete } = this.#replay.since(lastSeq, this.#seq);
    const missed = frames.filter((published) => isFor(published.audience, listener));
    listener.send({ type: 'replay', frames: missed.length, complete: isComplete });
    for (const published of missed) listener.send(framed(published));
  }

  #catchUp(listener: Listener): void {
    const turn = this.#turn;
    const send = (frame: ChatFrame): boolean => listener.send({ ...frame, seq: this.#seq, turn_id: turn?.id });
    if (turn !== undefined) {
      const text = turn.text(!listener.showsApprovals);
      send({ type: 'turn_start' });
      send({ type: 'chunk_reset' });
      if (text !== '') send({ type: 'chunk', content: text });
    }
    if (listener.showsApprovals)
      for (const card of this.#cards.values()) listener.send({ type: 'approval_request', ...card, seq: this.#seq });
  }

  /** A message arrives that may be answered. Call `stored` once it is stored. */
  begin(): { readonly turn: Turn; readonly stored: () => void } {
    this.#arriving += 1;
    const turn = this.#open();
    const stored = (): void => {
      this.#arriving -= 1;
      this.#watch();
    };
    return { turn, stored };
  }

  /** The current turn, or a new one. */
  turn(): Turn {
    const turn = this.#open();
    this.#watch();
    return turn;
  }

  /** A person ended the run of the current turn. */
  aborted(): void {
    this.#turn?.ends('aborted');
  }

  publish(frame: ChatFrame, audience: Audience = 'all'): void {
    this.#seq += 1;
    const published: Published = { seq: this.#seq, frame, audience, turnId: this.#turn?.id };
    this.#replay.add(published);
    const shown = framed(published);
    for (const listener of [...this.#listeners]) if (isFor(audience, listener)) listener.send(shown);
  }

  /** Shows a complete text as part of the turn. */
  say(text: string, audience: 'all' | 'unasked' = 'all'): void {
    const turn = this.turn();
    const piece = turn.open({ forUnasked: audience === 'unasked' });
    piece.text = text;
    this.publish({ type: 'chunk', content: turn.isFirst(piece) ? text : between + text }, audience);
  }

  /** Shows the whole turn again after text in it changed. */
  showAgain(): void {
    const turn = this.#turn;
    if (turn === undefined) return;
    this.publish({ type: 'chunk_reset' });
    const [all, asked] = [turn.text(true), turn.text(false)];
    if (all === asked && all !== '') this.publish({ type: 'chunk', content: all });
    if (all === asked) return;
    this.publish({ type: 'chunk', content: all }, 'unasked');
    if (asked !== '') this.publish({ type: 'chunk', content: asked }, 'asking');
  }

  ask(card: ApprovalRequest): void {
    this.#cards.set(card.id, card);
    this.turn();
    this.publish({ type: 'approval_request', ...card }, 'asking');
    this.say(card.message, 'unasked');
  }

  /** An approval was decided or cancelled, or its outcome was updated. */
  resolve(id: string, message: string): void {
    this.#cards.delete(id);
    this.publish({ type: 'approval_resolved', id, message });
  }

  #open(): Turn {
    if (this.#turn !== undefined) return this.#turn;
    this.#turn = new Turn();
    this.publish({ type: 'turn_start' });
    return this.#turn;
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
    const isWaiting = this.#cards.size > 0;
    this.publish({ type: 'chunk_reset' });
    if (turn.hasCards && turn.fate === undefined) {
      this.publish(turn.ending(true, isWaiting), 'unasked');
      this.publish(turn.ending(false, isWaiting), 'asking');
    } else this.publish(turn.ending(true, isWaiting));
    this.#turn = undefined;
  }
}

function isFor(audience: Audience, { showsApprovals }: Listener): boolean {
  return audience === 'all' || (audience === 'asking') === showsApprovals;
}

function framed({ frame, seq, turnId }: Published): ServerFrame {
  return { ...frame, seq, turn_id: turnId };
}

/** A text of a turn. `forUnasked`: hidden from clients that render approvals themselves. */
export interface Piece {
  text: string;
  readonly forUnasked: boolean;
}

/** The texts from the first message until the conversation is idle or waits for a person. */
export class Turn {
  readonly id = newId(12);
  #pieces: Piece[] = [];
  #fate: 'aborted' | 'failed' | undefined;
  #failure: RunFailure = 'other';
  #reason = '';

  open({ forUnasked }: { readonly forUnasked: boolean } = { forUnasked: false }): Piece {
    const piece: Piece = { text: '', forUnasked };
    this.#pieces.push(piece);
    return piece;
  }

  remove(piece: Piece): void {
    this.#pieces = this.#pieces.filter((other) => other !== piece);
  }

  isFirst(piece: Piece): boolean {
    return this.#pieces.every((other) => other === piece || other.text === '');
  }

  /** Sets how the turn will end. An abort wins over anything later. */
  ends(fate: 'aborted' | 'failed', failure: RunFailure = 'other'): void {
    if (this.#fate !== 'aborted') this.#fate = fate;
    this.#failure = failure;
  }

  get fate(): 'aborted' | 'failed' | undefined {
    return this.#fate;
  }

  explain(words: string): void {
    this.#reason = this.#reason === '' ? words : `${this.#reason}\n\n${words}`;
  }

  /** Whether some clients see more text than others. */
  get hasCards(): boolean {
    return this.#pieces.some(({ forUnasked, text }) => forUnasked && text !== '');
  }

  text(forUnasked: boolean): string {
    const shown = this.#pieces.filter((piece) => piece.text !== '' && (forUnasked || !piece.forUnasked));
    return shown.map(({ text }) => text).join(between);
  }

  ending(forUnasked: boolean, isWaiting: boolean): ChatFrame {
    switch (this.#fate) {
      case 'aborted':
        return { type: 'aborted' };
      case 'failed':
        return { type: 'error', code: codes[this.#failure], message: this.#reason || 'The run failed.' };
      case undefined:
        return { type: 'done', full_response: this.text(forUnasked), waiting: isWaiting || undefined };
    }
  }
}

const codes = {
  key: 'AUTH_ERROR',
  model: 'PROVIDER_ERROR',
  other: 'AGENT_ERROR',
} as const satisfies Record<RunFailure, string>;

export const between = '\n\n';

interface Published {
  /** Increases with each frame of the session, across processes too. */
  readonly seq: number;
  readonly frame: ChatFrame;
  readonly turnId?: string | undefined;
  readonly audience: Audience;
}

const mostFrames = 4000;
/** In UTF-16 units, roughly. */
const mostText = 256 * 1024;

/** The newest frames of a session, for clients that reconnect. `before`: no earlier frames are known. */
export function createReplay(before: number) {
  const kept: (Published & { readonly size: number })[] = [];
  let held = 0;
  /** The number of the newest frame that was dropped. */
  let forgotten = before;
  return {
    add(published: Published): void {
      const size = 100 + JSON.stringify(published.frame).length;
      kept.push({ ...published, size });
      held += size;
      if (held <= mostText && kept.length <= mostFrames) return;
      // Drops a quarter at once: dropping single frames would shift the array each time.
      const gone = kept.splice(0, Math.ceil(kept.length / 4));
      forgotten = gone.at(-1)?.seq ?? forgotten;
      held -= gone.reduce((sum, frame) => sum + frame.size, 0);
    },

    /** The frames after `seq`, and whether none is missing. `newest`: the number of the newest frame. */
    since(seq: number, newest: number): { readonly frames: readonly Published[]; readonly isComplete: boolean } {
      // The clock was set back: older numbers mean nothing now.
      if (seq > newest) return { frames: kept, isComplete: false };
      return { frames: kept.filter((frame) => frame.seq > seq), isComplete: seq >= forgotten };
    },
  };
}
