import { ChannelError, type MessageRef, type OutboundMessage, type ReplyStream } from '../../../src/contract.ts';
import type { Clock } from '../../../src/lib/clock.ts';
import { EditPace } from '../../../src/lib/edit-pace.ts';
import { endsWithin } from '../../../src/lib/ends-within.ts';
import type { Log } from '../../../src/lib/log.ts';
import { refusalCode } from '../web-api/failure.ts';
import { lacksFeature } from '../web-api/refusals.ts';
import { type LostStart, seekMessage } from './lost-start.ts';
import { cutFor, cutForNew, longestAge } from './stream-cuts.ts';
import { type EndingDependencies, StreamEnding } from './stream-ending.ts';
import { StreamText } from './stream-text.ts';
import { type StreamedMessage, type StreamPlace, startMessage } from './streamed-message.ts';

export interface NativeStreamDependencies extends StreamPlace, EndingDependencies {
  /** Told of all messages that stand there, whenever there is one more. Waited for. */
  readonly begun: (refs: readonly MessageRef[]) => Promise<void>;
  /** As whom the bot writes. */
  readonly botUserId: string;
  /** The workspace takes no streams: it is not asked again. The code is Slack's. Returns at once. */
  readonly switchOff: (code: string) => void;
  readonly clock: Clock;
  readonly log: Log;
}

/** The least time between two requests of one stream, in milliseconds. */
const pause = 700;
/** The first of it is shown so long after its first character, in milliseconds. */
const firstAfter = 400;
const mostFailures = 3;
/** In milliseconds. */
const leavesWithin = 900;

/**
 * A reply that Slack itself shows while it is written: as a message that grows at its end, and goes on in another one
 * before Slack would break it off. One request at a time. What comes before the end is shown at best; `finish` makes sure
 * that all of the final text is.
 */
export class NativeStream implements ReplyStream {
  readonly #dependencies: NativeStreamDependencies;
  readonly #pace: EditPace;
  readonly #text = new StreamText();
  readonly #messages: StreamedMessage[] = [];
  readonly #ending: StreamEnding;
  #firstAt: number | undefined;
  /** A beginning of which it is not known whether it stands there. */
  #lostStart: LostStart | undefined;
  /** Opens anew the code block in which the last message had to end. */
  #opening = '';
  #failures = 0;
  /** Nothing more is shown before the end. */
  #isOver = false;
  #callOff = (): void => {};
  #inFlight: Promise<void> | undefined;

  constructor(dependencies: NativeStreamDependencies) {
    this.#dependencies = dependencies;
    this.#pace = new EditPace({ clock: dependencies.clock, pause });
    this.#ending = new StreamEnding(dependencies);
  }

  /** Whether a message of it stands there that is still being written. */
  get isGrowing(): boolean {
    return !this.#isOver && this.#growing !== undefined;
  }

  push(delta: string): void {
    if (this.#isOver || delta === '') return;
    this.#firstAt ??= this.#dependencies.clock.now();
    this.#text.add(delta);
    this.#plan();
  }

  async finish(parts: readonly OutboundMessage[], shown: (ref: MessageRef) => Promise<void>): Promise<void> {
    await this.#settle();
    await this.#ending.show(this.#messages, parts, shown);
  }

  async cancel(): Promise<void> {
    await this.#settle();
    await this.#ending.removeFrom(this.#messages, 0);
  }

  /** What stands there is stopped, so that the next process can change it. */
  async leave(): Promise<void> {
    this.#end();
    const { clock, log } = this.#dependencies;
    const stop = async (): Promise<void> => {
      await this.#inFlight;
      await this.#growing?.turnOver();
    };
    try {
      await endsWithin(stop(), { clock, milliseconds: leavesWithin });
    } catch (error) {
      if (!(error instanceof ChannelError)) throw error;
      log.debug({ reason: error.message }, 'a reply was left growing');
    }
  }

  get #refs(): readonly MessageRef[] {
    return this.#messages.map(({ ref }) => ref);
  }

  /** The last message, while it grows. */
  get #growing(): StreamedMessage | undefined {
    const last = this.#messages.at(-1);
    return last?.isGrowing ? last : undefined;
  }

  #end(): void {
    this.#isOver = true;
    this.#callOff();
  }

  /** Resolves when nothing is under way any more, and it is known what stands there. */
  async #settle(): Promise<void> {
    this.#end();
    await this.#inFlight;
    const { refusedFor: retryAfter } = this.#pace;
    if (retryAfter > 0)
      throw new ChannelError({ type: 'rate-limited', retryAfter }, 'The thread still takes no changes.');
    if (this.#lostStart !== undefined) await this.#seek(this.#lostStart);
  }

  /** Sees to it that the next request is made when it is due, if there is to be one. */
  #plan(): void {
    if (this.#isOver || this.#inFlight !== undefined) return;
    this.#callOff();
    const due = this.#dueAt();
    if (due === undefined) return;
    const { clock } = this.#dependencies;
    const wait = due - clock.now();
    if (wait > 0) this.#callOff = clock.after(wait, () => this.#begin());
    else this.#begin();
  }

  #dueAt(): number | undefined {
    const { earliest } = this.#pace;
    if (this.#lostStart !== undefined) return earliest;
    const growing = this.#growing;
    if (this.#text.ready === '') return growing && Math.max(earliest, growing.startedAt + longestAge(growing.shown));
    return Math.max(earliest, this.#messages.length === 0 ? (this.#firstAt ?? 0) + firstAfter : 0);
  }

  #begin(): void {
    this.#inFlight = this.#step();
  }

  /** Never throws. */
  async #step(): Promise<void> {
    this.#pace.begin();
    try {
      await this.#request();
      this.#failures = 0;
    } catch (error) {
      this.#heed(error);
    }
    this.#inFlight = undefined;
    this.#plan();
  }

  async #request(): Promise<void> {
    if (this.#lostStart !== undefined) return this.#seek(this.#lostStart);
    const growing = this.#growing;
    if (growing === undefined) return this.#start();
    const age = this.#dependencies.clock.now() - growing.startedAt;
    const cut = cutFor(this.#text.ready, growing.shown, age);
    if (cut > 0) return this.#append(growing, cut);
    this.#opening = await growing.turnOver();
  }

  async #start(): Promise<void> {
    const { clock } = this.#dependencies;
    const { ready } = this.#text;
    const cut = cutForNew(ready, this.#opening);
    const beginning = this.#opening + ready.slice(0, cut);
    if (ready.slice(0, cut).trim() === '') return this.#text.take(cut);
    const at = clock.now();
    try {
      const message = await startMessage(this.#dependencies, beginning, at);
      this.#text.take(cut);
      await this.#add(message);
    } catch (error) {
      if (!(error instanceof ChannelError) || error.fault.type !== 'ambiguous') throw error;
      this.#lostStart = { at, beginning, cut };
    }
  }

  async #append(growing: StreamedMessage, cut: number): Promise<void> {
    if (await growing.append(this.#text.ready.slice(0, cut))) {
      this.#text.take(cut);
      return;
    }
    // A message that Slack has broken off shows itself as broken until it is changed.
    const { edit, to } = this.#dependencies;
    await edit(to, growing.ref, { id: '', kind: 'reply', markdown: growing.shown });
    growing.becomes(growing.shown);
  }

  /** Goes on with the message that was begun, if it was. */
  async #seek(lost: LostStart): Promise<void> {
    const found = await seekMessage(lost, this.#refs, this.#dependencies);
    this.#lostStart = undefined;
    if (found === undefined) return;
    this.#text.take(lost.cut);
    await this.#add(found);
  }

  async #add(message: StreamedMessage): Promise<void> {
    this.#opening = '';
    this.#messages.push(message);
    await this.#dependencies.begun(this.#refs);
  }

  #heed(error: unknown): void {
    const { log, switchOff } = this.#dependencies;
    if (!(error instanceof ChannelError)) {
      log.warn({ err: error }, 'a reply that was shown while it is written has ended by a fault');
      this.#end();
      return;
    }
    const { fault } = error;
    if (fault.type === 'rate-limited') {
      this.#pace.refuse(fault.retryAfter);
      return;
    }
    const code = refusalCode(error);
    if (code !== undefined && lacksFeature(code)) switchOff(code);
    this.#failures += 1;
    if (fault.type === 'transient' && this.#failures < mostFailures) return;
    log.debug({ reason: error.message }, 'a reply is not shown any more before it is finished');
    this.#end();
  }
}
