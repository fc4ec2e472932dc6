import { ChannelError, type OutboundMessage, type ToolStatus } from '../../contract.ts';
import type { Core, JudgedCall } from '../../engine/feature.ts';
import { callSigns } from '../../lib/call-signs.ts';
import { newId } from '../../lib/ids.ts';
import { escapeMarkdown, inlineCode, oneLine } from '../../lib/plain-text.ts';
import { secondsWords } from '../../lib/time-words.ts';
import type { Language } from '../../lib/words.ts';
import { mayFollow } from '../../tools/call-status.ts';
import {
  createFrames,
  createLiveMessage,
  type Frames,
  type LiveMessage,
  type LiveTarget,
  type PreviewStore,
} from './live-message.ts';
import { liveWords } from './words.ts';

interface ToolCardsParts extends Pick<Core, 'clock' | 'log' | 'deliver' | 'readerIn'> {
  readonly outbox: PreviewStore;
  /** Whether nothing in the conversation has to be shown before a card. */
  readonly isClear: (conversationId: string) => boolean;
}

/**
 * Shows what the calls of each turn are doing, as one message that is edited. Calls that ask a person have their own
 * cards and are left out. Best effort.
 */
export interface ToolCards {
  /** The model is still writing the call, or it is running. */
  show(conversationId: string, target: LiveTarget, status: ToolStatus): void;
  /** The turn of these calls is stored; without calls, it may be abandoned. */
  judged(conversationId: string, target: LiveTarget, calls: readonly JudgedCall[]): void;
  /** The work in the conversation is done. */
  settled(conversationId: string): void;
  /** Stops the frames. Resolves within about a second; the next process ends what was shown. */
  stop(): Promise<void>;
}

interface CardsContext {
  readonly parts: ToolCardsParts;
  /** The cards whose calls go on, the newest last, and their conversations. Once judged, a card takes no new calls. */
  readonly going: Map<LiveToolCard, string>;
  /** All cards that may still change. */
  readonly live: Set<LiveToolCard>;
}

export function createToolCards(parts: ToolCardsParts): ToolCards {
  const context: CardsContext = { parts, going: new Map(), live: new Set() };
  return {
    show: (conversationId, target, status) => showStatus(conversationId, target, status, context),
    judged: (conversationId, target, calls) => judged(conversationId, target, calls, context),
    settled(conversationId) {
      for (const card of cardsIn(conversationId, context)) end(card, context);
    },
    async stop() {
      const cards = [...context.live];
      context.going.clear();
      context.live.clear();
      await Promise.all(cards.map((card) => attempt(card.leave(), parts)));
    },
  };
}

function showStatus(conversationId: string, target: LiveTarget, status: ToolStatus, context: CardsContext): void {
  const cards = cardsIn(conversationId, context);
  let card = cards.find((one) => one.has(status.callId));
  if (card === undefined) {
    if (status.state !== 'wait') return;
    card = cards.at(-1);
    if (card?.isJudged !== false) card = open(conversationId, target, context);
  }
  card.show(status);
  if (card.isOver) end(card, context);
}

function judged(conversationId: string, target: LiveTarget, calls: readonly JudgedCall[], context: CardsContext): void {
  let card = cardsIn(conversationId, context).at(-1);
  if (card?.isJudged !== false) {
    if (!calls.some(({ fate }) => fate === 'runs')) return;
    card = open(conversationId, target, context);
  }
  card.judge(calls.filter(({ fate }) => fate !== 'asks'));
  if (card.isOver) end(card, context);
}

function cardsIn(conversationId: string, { going }: CardsContext): readonly LiveToolCard[] {
  return [...going.keys()].filter((card) => going.get(card) === conversationId);
}

function open(conversationId: string, target: LiveTarget, { parts, going, live }: CardsContext): LiveToolCard {
  const card: LiveToolCard = createLiveToolCard(conversationId, target, parts, () => live.delete(card));
  live.add(card);
  going.set(card, conversationId);
  return card;
}

function end(card: LiveToolCard, { parts, going }: CardsContext): void {
  going.delete(card);
  void attempt(card.end(), parts);
}

async function attempt(work: Promise<void>, { log }: ToolCardsParts): Promise<void> {
  try {
    await work;
  } catch (error) {
    const level = error instanceof ChannelError ? 'debug' : 'warn';
    log[level]({ err: error }, 'a card of tools could not be shown as it should be');
  }
}

/** Calls that end sooner than this are not shown. In ms. */
const worthShowingAfter = 700;

/**
 * One message that shows what the calls of a turn are doing. It has its row in the outbox before it is shown, so that a
 * later process can mark it as interrupted.
 */
interface LiveToolCard {
  /** Whether its turn is stored. */
  readonly isJudged: boolean;
  /** Whether nothing more will happen. */
  readonly isOver: boolean;
  has(callId: string): boolean;
  /** Shows it on the line of its call, adding the line if needed. */
  show(status: ToolStatus): void;
  /** The turn is stored with these calls; all others are left out. */
  judge(calls: readonly JudgedCall[]): void;
  end(): Promise<void>;
  /** The process ends: the next one shows how it ended, or that it was interrupted. Resolves within a second. */
  leave(): Promise<void>;
}

interface CardState {
  readonly id: string;
  /** Of those who read it; it keeps the one that it began with. */
  readonly language: Language;
  readonly conversationId: string;
  readonly target: LiveTarget;
  readonly parts: ToolCardsParts;
  readonly lines: Map<string, ToolLine>;
  readonly message: LiveMessage;
  readonly frames: Frames;
  /** Called when it will no longer change. */
  readonly over: () => void;
  hasRow: boolean;
  isJudged: boolean;
  isFinished: boolean;
}

function createLiveToolCard(
  conversationId: string,
  target: LiveTarget,
  parts: ToolCardsParts,
  over: () => void,
): LiveToolCard {
  const { clock, log, isClear } = parts;
  const begunAt = clock.now();
  const frames = createFrames(target, {
    clock,
    log: log.child({ conversation: conversationId }),
    dueAt: () => (mayBeShown(card) ? begunAt + worthShowingAfter : undefined),
    isClear: () => isShown(card) || isClear(conversationId),
    paint: () => paint(card),
    gaveUp: async () => (card.isFinished ? settle(card) : over()),
  });
  const card: CardState = {
    id: newId(20),
    language: parts.readerIn(conversationId).language,
    conversationId,
    target,
    parts,
    lines: new Map(),
    message: createLiveMessage(target),
    frames,
    over,
    hasRow: false,
    isJudged: false,
    isFinished: false,
  };
  return {
    get isJudged() {
      return card.isJudged;
    },
    get isOver() {
      return card.isJudged && [...card.lines.values()].every(hasEnded);
    },
    has: (callId) => card.lines.has(callId),
    show: (status) => showLine(status, card),
    judge: (calls) => judgeCard(calls, card),
    end: () => (card.lines.size === 0 ? remove(card) : finish(card)),
    leave: () => leave(card),
  };
}

/** Whether there is something new that can be shown. */
function mayBeShown(card: CardState): boolean {
  return card.lines.size > 0 && !isNewest(card) && !card.message.isLost;
}

function isShown({ message }: CardState): boolean {
  return message.ref !== undefined;
}

function isNewest(card: CardState): boolean {
  return card.message.text === textOf(card);
}

function textOf({ lines, language, target: { adapter } }: CardState): string {
  const { maxLength } = adapter.capabilities;
  const measure = (markdown: string): number => adapter.measure(markdown);
  return renderToolCard([...lines.values()], { maxLength, measure, language });
}

function content(markdown: string, { id }: CardState): OutboundMessage {
  return { id, kind: 'status', markdown, isSilent: true };
}

function showLine(status: ToolStatus, { lines, frames }: CardState): void {
  const before = lines.get(status.callId);
  const line = withStatus(before, status);
  if (line === before) return;
  lines.set(status.callId, line);
  frames.wake();
}

function judgeCard(calls: readonly JudgedCall[], card: CardState): void {
  card.isJudged = true;
  for (const { callId, toolName, fate } of calls) {
    showLine({ callId, toolName, state: 'wait' }, card);
    if (fate === 'refused') showLine({ callId, toolName, ...notExecuted(card) }, card);
  }
  for (const callId of card.lines.keys()) {
    if (calls.some((call) => call.callId === callId)) continue;
    card.lines.delete(callId);
    card.frames.wake();
  }
}

async function paint(card: CardState): Promise<void> {
  try {
    await showNewest(card);
  } finally {
    if (card.isFinished) await settle(card);
  }
}

async function showNewest(card: CardState): Promise<void> {
  const { id, conversationId, message, frames } = card;
  const { outbox, clock } = card.parts;
  const newest = textOf(card);
  if (!card.hasRow) {
    await outbox.openStream(conversationId, id, 'status', clock.now());
    card.hasRow = true;
  }
  if (frames.isOver || (card.isFinished && !isShown(card))) return;
  await message.show(content(newest, card));
  if (message.ref !== undefined) await outbox.previewed(id, [message.ref], newest);
}

/** Ends it, unless a frame can still show the newest state. If frames are over, that state is delivered. */
async function settle(card: CardState): Promise<void> {
  const { id, conversationId, message, frames } = card;
  const { outbox, clock, deliver } = card.parts;
  if (isShown(card) && !isNewest(card) && !frames.isOver) return;
  frames.stop();
  card.over();
  const { ref, isLeftBehind } = message;
  if (ref === undefined && !isLeftBehind) return card.hasRow ? outbox.abandonStream(id) : undefined;
  if (ref !== undefined && isNewest(card)) return outbox.delivered(id, 1, [ref], clock.now());
  await outbox.say(conversationId, content(textOf(card), card), clock.now());
  deliver([conversationId]);
}

/** Nothing more will happen: ends it once the newest state is shown. A card not shown so far stays unshown. */
async function finish(card: CardState): Promise<void> {
  // A call that was cancelled before it began has not ended by itself.
  for (const { callId, toolName } of card.lines.values()) showLine({ callId, toolName, ...notExecuted(card) }, card);
  card.isFinished = true;
  if (card.frames.isPainting) return;
  await settle(card);
  card.frames.wake();
}

async function remove(card: CardState): Promise<void> {
  await card.frames.end();
  card.over();
  try {
    await card.message.remove(content('…', card));
  } finally {
    if (card.hasRow) await card.parts.outbox.abandonStream(card.id);
  }
}

async function leave(card: CardState): Promise<void> {
  const { outbox, clock } = card.parts;
  await card.frames.leave();
  if (card.isFinished && isShown(card)) await outbox.say(card.conversationId, content(textOf(card), card), clock.now());
}

function notExecuted({ language }: CardState) {
  return { state: 'error', tip: liveWords[language].notExecuted, isStopped: true } as const;
}

/** One call, as people read it. */
export interface ToolLine {
  readonly callId: string;
  readonly toolName: string;
  readonly state: ToolStatus['state'];
  /** What it does; while the model writes it, its arguments so far. */
  readonly what?: string;
  /** Its latest progress. */
  readonly progress?: string;
  /** In ms. */
  readonly duration?: number;
  /** It was called off, or never ran. */
  readonly isStopped?: boolean;
}

/** The line after that status. A status that would move it back is ignored. */
export function withStatus(line: ToolLine | undefined, status: ToolStatus): ToolLine {
  if (line !== undefined && !mayFollow(status.state, line.state)) return line;
  const { callId, toolName, state, tip, duration, isStopped } = status;
  const isDescribed = line?.what !== undefined && (line.state === 'doing' || state === 'error');
  const what = isDescribed ? line.what : (tip ?? line?.what);
  // Progress is obsolete once the call has ended; the reason why it did not begin is not.
  const isNews = state === 'doing' || line?.state === 'wait';
  const progress = isNews && tip !== what ? tip : undefined;
  return { callId, toolName, state, what, progress, duration, isStopped };
}

export function hasEnded({ state }: ToolLine): boolean {
  return state === 'success' || state === 'error';
}

interface CardRoom {
  readonly maxLength: number;
  readonly measure: (markdown: string) => number;
  readonly language: Language;
}

/** The calls of a turn as a message, a line each. If there is no room, lines are cut, then the oldest are left out. */
export function renderToolCard(lines: readonly ToolLine[], { maxLength, measure, language }: CardRoom): string {
  const shortest = lines.map((line) => render(line, 0, language));
  const views = [
    ...widths.map((width) => lines.map((line) => render(line, width, language))),
    ...lines.map((_, left) => [liveWords[language].moreCalls({ count: left }), ...shortest.slice(left)]).slice(1),
  ];
  // Hard line breaks: some platforms show a single newline as a space.
  return views.map((view) => view.join('  \n')).find((markdown) => measure(markdown) <= maxLength) ?? '…';
}

/** How much of `what` and `progress` is shown. In characters. */
const widths = [200, 60, 0] as const;

/** In characters. */
const longestName = 60;

const marks = {
  wait: callSigns.waiting,
  doing: callSigns.running,
  success: callSigns.done,
  error: callSigns.failed,
} as const;

function render(line: ToolLine, width: number, language: Language): string {
  const { state, toolName, what, progress, duration, isStopped } = line;
  const texts = width === 0 ? [] : [what, progress].flatMap((text) => (text ? [tip(text, width)] : []));
  const time = duration === undefined ? [] : [secondsWords(duration, language)];
  const mark = state === 'error' && isStopped === true ? callSigns.stopped : marks[state];
  // The model may have written any name.
  return [`${mark} ${inlineCode(oneLine(toolName, longestName) || '?')}`, ...texts, ...time].join(' · ');
}

/** Code stays code. The rest is escaped: it may be a stranger's text. */
function tip(text: string, width: number): string {
  const pieces = oneLine(text, width).split(/(`[^`]+`)/);
  return pieces.map((piece, index) => (index % 2 === 1 ? piece : escapeMarkdown(piece))).join('');
}
