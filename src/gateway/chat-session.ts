import type { Clock } from '../lib/clock.ts';
import { between, ChatTurn, type TurnFate } from './chat-turn.ts';
import { type Audience, type Published, Replay } from './replay.ts';
import type { ApprovalRequestFrame, ChatFrame, ServerFrame } from './server-frames.ts';

/** A client that shows the session. */
export interface Listener {
  /** Whether it shows `approval_request` frames: else it is shown their text. */
  readonly showsApprovals: boolean;
  /** False if it can be sent nothing any more. */
  send(frame: ServerFrame): boolean;
}

export interface ChatSessionDependencies {
  readonly clock: Clock;
  /** Resolves when nothing is left to do in the session but what waits for a person. */
  readonly whenIdle: () => Promise<void>;
  /** Told of what went wrong meanwhile. */
  readonly failed: (error: unknown) => void;
}

/** One chat of devices: who shows it, what they have seen, and the turn that goes on. */
export class ChatSession {
  readonly #dependencies: ChatSessionDependencies;
  readonly #listeners = new Set<Listener>();
  readonly #replay: Replay;
  /** The questions that wait. */
  readonly #cards = new Map<string, ApprovalRequestFrame>();
  #seq: number;
  #turn: ChatTurn | undefined;
  #isWatched = false;
  /** What was begun and is not stored yet: it may still be answered. */
  #arriving = 0;
  /** How much waits for somebody who shows it. */
  #awaited = 0;
  #heard = Promise.withResolvers<void>();

  constructor(dependencies: ChatSessionDependencies) {
    this.#dependencies = dependencies;
    this.#seq = dependencies.clock.now();
    this.#replay = new Replay(this.#seq);
  }

  /** The number of the newest frame. */
  get seq(): number {
    return this.#seq;
  }

  /** Whether nobody shows it, and nothing goes on. */
  get isIdle(): boolean {
    const isBusy = this.#turn !== undefined || this.#arriving > 0 || this.#awaited > 0 || this.#cards.size > 0;
    return !this.isHeard && !isBusy;
  }

  get isRunning(): boolean {
    return this.#turn !== undefined;
  }

  attach(listener: Listener): void {
    this.#listeners.add(listener);
    this.#heard.resolve();
  }

  detach(listener: Listener): void {
    this.#listeners.delete(listener);
    if (this.#listeners.size === 0) this.#heard = Promise.withResolvers();
  }

  /** Whether somebody shows it. */
  get isHeard(): boolean {
    return this.#listeners.size > 0;
  }

  /** Resolves when somebody shows the session. */
  async whenHeard(): Promise<void> {
    this.#awaited += 1;
    await this.#heard.promise;
    this.#awaited -= 1;
  }

  /** Shows a client that has come back what it has missed. */
  replayTo(listener: Listener, lastSeq: number): void {
    const { frames, isComplete } = this.#replay.since(lastSeq, this.#seq);
    const missed = frames.filter((published) => isFor(published.audience, listener));
    listener.send({ type: 'replay', frames: missed.length, complete: isComplete });
    for (const published of missed) listener.send(framed(published));
  }

  /** Shows a client that does not say what it has seen the turn that goes on, and what waits. */
  catchUp(listener: Listener): void {
    const turn = this.#turn;
    if (turn !== undefined) {
      const text = turn.text(!listener.showsApprovals);
      const frames: ChatFrame[] = [{ type: 'turn_start' }, { type: 'chunk_reset' }];
      if (text !== '') frames.push({ type: 'chunk', content: text });
      for (const frame of frames) listener.send({ ...frame, seq: this.#seq, turn_id: turn.id });
    }
    if (listener.showsApprovals) for (const card of this.#cards.values()) listener.send({ ...card, seq: this.#seq });
  }

  /** Something begins that may be answered: call what it returns when that is stored. */
  begin(): { readonly turn: ChatTurn; readonly stored: () => void } {
    this.#arriving += 1;
    const turn = this.#open();
    return {
      turn,
      stored: () => {
        this.#arriving -= 1;
        this.#watch();
      },
    };
  }

  /** The turn that goes on; a new one, if none does. */
  turn(): ChatTurn {
    const turn = this.#open();
    this.#watch();
    return turn;
  }

  /** The run of the turn that goes on has an end. */
  ends(fate: TurnFate): void {
    this.#turn?.ends(fate);
  }

  publish(frame: ChatFrame, audience: Audience = 'all'): void {
    this.#seq += 1;
    const turnId = this.#turn?.id;
    const published: Published = { seq: this.#seq, frame, audience, ...(turnId === undefined ? {} : { turnId }) };
    this.#replay.add(published);
    const shown = framed(published);
    for (const listener of [...this.#listeners]) if (isFor(audience, listener)) listener.send(shown);
  }

  /** Shows a whole text as a part of the turn. */
  say(text: string, audience: 'all' | 'unasked' = 'all'): void {
    const open = this.turn().open({ forUnasked: audience === 'unasked' });
    open.add(text);
    this.publish({ type: 'chunk', content: open.isFirst ? text : between + text }, audience);
  }

  /** What was shown of the turn is not what it says now. */
  showAnew(): void {
    const turn = this.#turn;
    if (turn === undefined) return;
    this.publish({ type: 'chunk_reset' });
    const [all, asked] = [turn.text(true), turn.text(false)];
    if (all === asked && all !== '') this.publish({ type: 'chunk', content: all });
    if (all === asked) return;
    this.publish({ type: 'chunk', content: all }, 'unasked');
    if (asked !== '') this.publish({ type: 'chunk', content: asked }, 'asking');
  }

  ask(frame: ApprovalRequestFrame): void {
    this.#cards.set(frame.id, frame);
    this.turn();
    this.publish(frame, 'asking');
    this.say(frame.message, 'unasked');
  }

  /** A question was decided or called off, or more is known of what became of it. */
  resolve(id: string, message: string): void {
    this.#cards.delete(id);
    this.publish({ type: 'approval_resolved', id, message });
  }

  #open(): ChatTurn {
    if (this.#turn !== undefined) return this.#turn;
    this.#turn = new ChatTurn();
    this.publish({ type: 'turn_start' });
    return this.#turn;
  }

  /** Ends the turn when all of it is shown: once, however many ask for it. */
  #watch(): void {
    if (this.#isWatched) return;
    this.#isWatched = true;
    void this.#endWhenIdle().catch((error: unknown) => this.#dependencies.failed(error));
  }

  async #endWhenIdle(): Promise<void> {
    try {
      await this.#dependencies.whenIdle();
    } finally {
      this.#isWatched = false;
      // What arrives meanwhile watches anew when it is stored.
      if (this.#arriving === 0) this.#end();
    }
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
  return { ...frame, seq, ...(turnId === undefined ? {} : { turn_id: turnId }) };
}
