import type { RunFailure } from '../../../contract.ts';
import { newId } from '../../../lib/ids.ts';
import type { ApprovalRequest, ChatFrame, ServerFrame } from './frames.ts';

/*
 * One chat of devices, as far as it is shown. A frame of the chat is published: it gets a number, stays in the replay, and
 * goes to every listener that it is for. A turn begins with what somebody says or with what the core shows, and ends when
 * nothing is left to do in the conversation but what waits for a person. Clients that come back get the frames that they
 * missed, others the turn as it is and the cards that wait.
 */

/** A client that shows the session. */
export interface Listener {
  /** Whether it shows `approval_request` frames: else it is shown their text. */
  readonly showsApprovals: boolean;
  /** False if it can be sent nothing any more. */
  send(frame: ServerFrame): boolean;
}

/** Whom a frame is for: `asking` are clients that show `approval_request` frames, `unasked` those that do not. */
type Audience = 'all' | 'asking' | 'unasked';

/** One chat of devices: its listeners, the frames that they have seen, and the turn that goes on. */
export class Session {
  readonly id: string;
  readonly #whenIdle: (idle: () => void) => void;
  readonly #listeners = new Set<Listener>();
  readonly #replay: ReturnType<typeof createReplay>;
  readonly #cards = new Map<string, ApprovalRequest>();
  #seq: number;
  #turn: Turn | undefined;
  #isWatched = false;
  /** Messages that are not stored yet: they may still be answered. */
  #arriving = 0;
  /** How many wait for somebody who shows it. */
  #awaited = 0;
  #heard = Promise.withResolvers<void>();

  /** `seq`: above all numbers of former processes. `whenIdle`: calls `idle` when only people can go on. */
  constructor(id: string, seq: number, whenIdle: (idle: () => void) => void) {
    this.id = id;
    this.#seq = seq;
    this.#whenIdle = whenIdle;
    this.#replay = createReplay(seq);
  }

  get seq(): number {
    return this.#seq;
  }

  /** Whether nobody shows it, and nothing goes on. */
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

  /** Shows it to a client: the frames after `lastSeq`, or where it does not say that, the turn that goes on. */
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

  /** A message arrives that may be answered: call `stored` when that is done. */
  begin(): { readonly turn: Turn; readonly stored: () => void } {
    this.#arriving += 1;
    const turn = this.#open();
    const stored = (): void => {
      this.#arriving -= 1;
      this.#watch();
    };
    return { turn, stored };
  }

  /** The turn that goes on; a new one, if none does. */
  turn(): Turn {
    const turn = this.#open();
    this.#watch();
    return turn;
  }

  /** A person has ended the run of the turn that goes on. */
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

  /** Shows a whole text as a part of the turn. */
  say(text: string, audience: 'all' | 'unasked' = 'all'): void {
    const turn = this.turn();
    const piece = turn.open({ forUnasked: audience === 'unasked' });
    piece.text = text;
    this.publish({ type: 'chunk', content: turn.isFirst(piece) ? text : between + text }, audience);
  }

  /** Shows the whole turn again: it does not say any more what was shown. */
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

  /** A question was decided or called off, or more is known of its outcome. */
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

  /** Ends the turn when all of it is shown: once, however many ask for it. */
  #watch(): void {
    if (this.#isWatched) return;
    this.#isWatched = true;
    this.#whenIdle(() => {
      this.#isWatched = false;
      // A message that arrives meanwhile watches again when it is stored.
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

/** A text of a turn. `forUnasked`: clients that show approvals by themselves have it from elsewhere. */
export interface Piece {
  text: string;
  readonly forUnasked: boolean;
}

/** The texts from the first message on until nothing is left to do, or only a person can help. */
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

  /** How it ends is known before it has ended. An abort counts whatever follows. */
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

  /** Whether some clients are told less than others. */
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
  /** Grows with each frame of the session, and from process to process. */
  readonly seq: number;
  readonly frame: ChatFrame;
  readonly turnId?: string | undefined;
  readonly audience: Audience;
}

const mostFrames = 4000;
/** In UTF-16 units, roughly. */
const mostText = 256 * 1024;

/** The newest frames of a session, for clients that come back. `before`: frames up to this one are known to nobody. */
export function createReplay(before: number) {
  const kept: (Published & { readonly size: number })[] = [];
  let held = 0;
  /** The newest frame that is not kept any more. */
  let forgotten = before;
  return {
    add(published: Published): void {
      const size = 100 + JSON.stringify(published.frame).length;
      kept.push({ ...published, size });
      held += size;
      if (held <= mostText && kept.length <= mostFrames) return;
      // A quarter at once: taking them away one by one would move all others each time.
      const gone = kept.splice(0, Math.ceil(kept.length / 4));
      forgotten = gone.at(-1)?.seq ?? forgotten;
      held -= gone.reduce((sum, frame) => sum + frame.size, 0);
    },

    /** The frames after that one, and whether those are all. `newest`: the number of the newest frame. */
    since(seq: number, newest: number): { readonly frames: readonly Published[]; readonly isComplete: boolean } {
      // The clock was set back since: numbers of then say nothing of now.
      if (seq > newest) return { frames: kept, isComplete: false };
      return { frames: kept.filter((frame) => frame.seq > seq), isComplete: seq >= forgotten };
    },
  };
}
