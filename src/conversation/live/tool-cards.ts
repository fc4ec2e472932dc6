import { ChannelError, type OutboundMessage, type ToolStatus } from '../../contract.ts';
import type { Core, JudgedCall } from '../../engine/feature.ts';
import { newId } from '../../lib/ids.ts';
import { escapeMarkdown, inlineCode, oneLine } from '../../lib/plain-text.ts';
import { mayFollow } from '../../tools/status.ts';
import { Frames, LiveMessage, type LivePlace, type PreviewStore } from './live-message.ts';

export interface ToolCardsDependencies extends Pick<Core, 'clock' | 'log' | 'deliver'> {
  readonly outbox: PreviewStore;
  /** Whether nothing waits in the conversation that has to be shown before a card. */
  readonly isClear: (conversationId: string) => boolean;
}

/** The card of the newest turn of a conversation. */
interface Current {
  readonly card: LiveToolCard;
  /** What becomes of its calls is known: the calls of another turn have another card. */
  isJudged: boolean;
}

/**
 * Shows what the calls of each turn are doing, as one message that is edited. A call that a person is asked for has a card
 * of its own, and is left out. None of it has to arrive.
 */
export class ToolCards {
  readonly #dependencies: ToolCardsDependencies;
  readonly #current = new Map<string, Current>();
  /** Those that may still change, the current ones among them. */
  readonly #live = new Set<LiveToolCard>();

  constructor(dependencies: ToolCardsDependencies) {
    this.#dependencies = dependencies;
  }

  /** The model still writes the call, or it is being executed. */
  show(conversationId: string, place: LivePlace, status: ToolStatus): void {
    const current = this.#current.get(conversationId);
    const isKnown = current?.card.callIds.includes(status.callId) === true;
    if (isKnown || (current !== undefined && !current.isJudged && status.state === 'wait')) {
      current.card.show(status);
      this.#finishIfOver(conversationId);
    } else if (status.state === 'wait') {
      this.#open(conversationId, place).card.show(status);
    }
  }

  /** The turn of these calls is stored, or given up and has none. */
  judged(conversationId: string, place: LivePlace, calls: readonly JudgedCall[]): void {
    const known = this.#current.get(conversationId);
    const runs = calls.some(({ fate }) => fate === 'runs');
    const current = known?.isJudged === false ? known : runs ? this.#open(conversationId, place) : undefined;
    if (current === undefined) return;
    current.isJudged = true;
    const { card } = current;
    const shown = calls.filter(({ fate }) => fate !== 'asks');
    for (const { callId, toolName, fate } of shown) {
      card.show({ callId, toolName, state: 'wait' });
      if (fate === 'refused') card.show({ callId, toolName, state: 'error', tip: 'not executed' });
    }
    for (const callId of card.callIds) if (!shown.some((call) => call.callId === callId)) card.leaveOut(callId);
    if (card.callIds.length === 0) this.#take(conversationId, (empty) => empty.remove());
    else this.#finishIfOver(conversationId);
  }

  /** Nothing is being done in the conversation any more. */
  settled(conversationId: string): void {
    this.#take(conversationId, (card) => {
      // A call that was called off before it began never ended by itself.
      card.callOff();
      return card.finish();
    });
  }

  /** Shows no more frames. Resolves within about a second; what was shown is ended by the next process. */
  async stop(): Promise<void> {
    const live = [...this.#live];
    this.#current.clear();
    this.#live.clear();
    await Promise.all(live.map((card) => this.#attempt(card.leave())));
  }

  #open(conversationId: string, place: LivePlace): Current {
    this.settled(conversationId);
    const over = (): void => void this.#live.delete(card);
    const card: LiveToolCard = new LiveToolCard(conversationId, place, this.#dependencies, over);
    const current = { card, isJudged: false };
    this.#live.add(card);
    this.#current.set(conversationId, current);
    return current;
  }

  #finishIfOver(conversationId: string): void {
    const current = this.#current.get(conversationId);
    if (current?.isJudged === true && current.card.hasEnded) this.#take(conversationId, (card) => card.finish());
  }

  #take(conversationId: string, work: (card: LiveToolCard) => Promise<void>): void {
    const current = this.#current.get(conversationId);
    this.#current.delete(conversationId);
    if (current !== undefined) void this.#attempt(work(current.card));
  }

  async #attempt(work: Promise<void>): Promise<void> {
    try {
      await work;
    } catch (error) {
      const level = error instanceof ChannelError ? 'debug' : 'warn';
      this.#dependencies.log[level]({ err: error }, 'a card of tools could not be shown as it should be');
    }
  }
}

/** What is over that soon after it has begun is not shown, in milliseconds. */
const worthShowingAfter = 700;

/**
 * One message that shows at best what the calls of a turn are doing. It has its row in the outbox before it is shown, so
 * that a later process can say that it was interrupted.
 */
class LiveToolCard {
  readonly #id = newId(20);
  readonly #conversationId: string;
  readonly #place: LivePlace;
  readonly #dependencies: ToolCardsDependencies;
  readonly #over: () => void;
  readonly #frames: Frames;
  readonly #message: LiveMessage;
  readonly #begunAt: number;
  readonly #lines = new Map<string, ToolLine>();
  #hasRow = false;
  #isFinished = false;
  /** Grows with each change, so that it is known whether the newest is shown. */
  #version = 0;
  #shownVersion = 0;

  /** `over`: told when nothing of it will change any more. */
  constructor(conversationId: string, place: LivePlace, dependencies: ToolCardsDependencies, over: () => void) {
    this.#conversationId = conversationId;
    this.#place = place;
    this.#dependencies = dependencies;
    this.#over = over;
    const { clock, log, isClear } = dependencies;
    this.#begunAt = clock.now();
    this.#message = new LiveMessage(place);
    this.#frames = new Frames(place, {
      clock,
      log: log.child({ conversation: conversationId }),
      dueAt: () => this.#dueAt(),
      isClear: () => this.#isShown || isClear(conversationId),
      paint: () => this.#paint(),
      gaveUp: () => this.#gaveUp(),
    });
  }

  get callIds(): readonly string[] {
    return [...this.#lines.keys()];
  }

  /** Whether all its calls have ended. */
  get hasEnded(): boolean {
    return [...this.#lines.values()].every(hasEnded);
  }

  /** Shows it on the line of its call, which is added if there is none. */
  show(status: ToolStatus): void {
    const before = this.#lines.get(status.callId);
    const line = withStatus(before, status);
    if (line === before) return;
    this.#lines.set(status.callId, line);
    this.#change();
  }

  /** Leaves the line of the call out. */
  leaveOut(callId: string): void {
    if (this.#lines.delete(callId)) this.#change();
  }

  /** What has not begun never will. */
  callOff(): void {
    for (const { callId, toolName } of this.#lines.values())
      this.show({ callId, toolName, state: 'error', tip: 'not executed' });
  }

  /** Nothing more will happen: stays as it is, once the newest is shown. What nobody has seen yet is not shown. */
  async finish(): Promise<void> {
    this.#isFinished = true;
    if (this.#frames.isPainting) return;
    await this.#settle();
    this.#frames.wake();
  }

  /** Takes it away. */
  async remove(): Promise<void> {
    const { outbox } = this.#dependencies;
    await this.#frames.end();
    this.#over();
    try {
      await this.#message.remove(this.#content('…'));
    } finally {
      if (this.#hasRow) await outbox.abandonStream(this.#id);
    }
  }

  /** The process ends: the next one says how it ended, or that it was interrupted. Resolves within a second. */
  async leave(): Promise<void> {
    const { clock, outbox } = this.#dependencies;
    await this.#frames.leave();
    if (this.#isFinished && this.#isShown)
      await outbox.say(this.#conversationId, this.#content(this.#text()), clock.now());
  }

  get #isShown(): boolean {
    return this.#message.ref !== undefined;
  }

  #change(): void {
    this.#version += 1;
    this.#frames.wake();
  }

  #dueAt(): number | undefined {
    if (this.#lines.size === 0 || this.#version === this.#shownVersion || this.#message.isLost) return undefined;
    return this.#begunAt + worthShowingAfter;
  }

  async #paint(): Promise<void> {
    try {
      await this.#showNewest();
    } finally {
      if (this.#isFinished) await this.#settle();
    }
  }

  async #showNewest(): Promise<void> {
    const { outbox, clock } = this.#dependencies;
    const id = this.#id;
    const version = this.#version;
    const text = this.#text();
    if (!this.#hasRow) {
      await outbox.openStream(this.#conversationId, id, 'status', clock.now());
      this.#hasRow = true;
    }
    if (this.#frames.isOver || (this.#isFinished && !this.#isShown)) return;
    await this.#message.show(this.#content(text));
    this.#shownVersion = version;
    const { ref } = this.#message;
    if (ref !== undefined) await outbox.previewed(id, [ref], text);
  }

  async #gaveUp(): Promise<void> {
    if (this.#isFinished) await this.#settle();
    else this.#over();
  }

  /** Ends it for good, unless the newest is still to be shown. Where that can't be a frame any more, it is delivered. */
  async #settle(): Promise<void> {
    const isNewest = this.#shownVersion === this.#version;
    if (this.#isShown && !isNewest && !this.#frames.isOver) return;
    const { outbox, clock, deliver } = this.#dependencies;
    const [id, conversationId] = [this.#id, this.#conversationId];
    this.#frames.stop();
    this.#over();
    const { ref } = this.#message;
    if (ref === undefined) return this.#hasRow ? outbox.abandonStream(id) : undefined;
    if (isNewest) return outbox.delivered(id, 1, [ref], clock.now());
    await outbox.say(conversationId, this.#content(this.#text()), clock.now());
    deliver([conversationId]);
  }

  #text(): string {
    const { adapter } = this.#place;
    const { maxLength } = adapter.capabilities;
    return renderToolCard([...this.#lines.values()], { maxLength, measure: (markdown) => adapter.measure(markdown) });
  }

  #content(markdown: string): OutboundMessage {
    return { id: this.#id, kind: 'status', markdown };
  }
}

/** What people read of one call. */
export interface ToolLine {
  readonly callId: string;
  readonly toolName: string;
  readonly state: ToolStatus['state'];
  /** What it does; while the model still writes it, its arguments so far. */
  readonly what?: string;
  /** What it says while it runs. */
  readonly progress?: string;
  /** In milliseconds. */
  readonly duration?: number;
}

/** The line after that status. What would take a call back is ignored. */
export function withStatus(line: ToolLine | undefined, status: ToolStatus): ToolLine {
  if (line !== undefined && !mayFollow(status.state, line.state)) return line;
  const { callId, toolName, state, tip, duration } = status;
  const isDescribed = line?.what !== undefined && (line.state === 'doing' || state === 'error');
  const what = isDescribed ? line.what : (tip ?? line?.what);
  // How it went last says nothing once it has ended; why it did not even begin does.
  const isNews = state === 'doing' || line?.state === 'wait';
  const progress = isNews && tip !== what ? tip : undefined;
  return { callId, toolName, state, what, progress, duration };
}

/** Whether nothing more follows. */
export function hasEnded({ state }: ToolLine): boolean {
  return state === 'success' || state === 'error';
}

/**
 * The calls of a turn as a message of a line each. Where there is no room, the lines are cut, and then the oldest are left
 * out.
 */
export function renderToolCard(
  lines: readonly ToolLine[],
  { maxLength, measure }: { readonly maxLength: number; readonly measure: (markdown: string) => number },
): string {
  for (const width of widths) {
    const markdown = join(lines.map((line) => render(line, width)));
    if (measure(markdown) <= maxLength) return markdown;
  }
  const shortest = lines.map((line) => render(line, 0));
  for (let left = 1; left < lines.length; left += 1) {
    const markdown = join([`… ${left} more`, ...shortest.slice(left)]);
    if (measure(markdown) <= maxLength) return markdown;
  }
  return '…';
}

/** How much is shown of what a call does and says, in characters. */
const widths = [200, 60, 0] as const;

/** In characters. */
const longestName = 60;

const marks = { wait: '⏳', doing: '⚙️', success: '✅', error: '❌' } as const;

function render({ state, toolName, what, progress, duration }: ToolLine, width: number): string {
  const texts = width === 0 ? [] : [what, progress].flatMap((text) => (text ? [tip(text, width)] : []));
  const time = duration === undefined ? [] : [inSeconds(duration)];
  // The model may have written any name at all.
  return [`${marks[state]} ${inlineCode(oneLine(toolName, longestName) || '?')}`, ...texts, ...time].join(' · ');
}

/** Code stays code. Nothing else in it is markdown: it may be the words of a stranger. */
function tip(text: string, width: number): string {
  const pieces = oneLine(text, width).split(/(`[^`]+`)/);
  return pieces.map((piece, index) => (index % 2 === 1 ? piece : escapeMarkdown(piece))).join('');
}

function inSeconds(milliseconds: number): string {
  if (milliseconds < 60_000) return `${(milliseconds / 1000).toFixed(1)} s`;
  const seconds = Math.round(milliseconds / 1000);
  return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}

/** A line break of its own for each, also where a single one is shown as a space. */
function join(lines: readonly string[]): string {
  return lines.join('  \n');
}
