import { ChannelError, type OutboundMessage, type ToolStatus } from '../../contract.ts';
import type { Core, JudgedCall } from '../../engine/feature.ts';
import { callSigns } from '../../lib/call-signs.ts';
import { newId } from '../../lib/ids.ts';
import { escapeMarkdown, inlineCode, oneLine } from '../../lib/plain-text.ts';
import { secondsWords } from '../../lib/time-words.ts';
import { mayFollow } from '../../tools/runner.ts';
import { createFrames, createLiveMessage, type LivePlace, type PreviewStore } from './live-message.ts';

interface ToolCardsParts extends Pick<Core, 'clock' | 'log' | 'deliver'> {
  readonly outbox: PreviewStore;
  /** Whether nothing in the conversation has to be shown before a card. */
  readonly isClear: (conversationId: string) => boolean;
}

export type ToolCards = ReturnType<typeof createToolCards>;

type LiveToolCard = ReturnType<typeof createLiveToolCard>;

/**
 * Shows what the calls of each turn are doing, as one message that is edited. Calls that ask a person have their own
 * cards and are left out. Best effort.
 */
export function createToolCards(parts: ToolCardsParts) {
  /** The cards whose calls go on, the newest last, and their conversations. Once judged, a card takes no new calls. */
  const going = new Map<LiveToolCard, string>();
  /** All cards that may still change. */
  const live = new Set<LiveToolCard>();

  const cardsIn = (conversationId: string): readonly LiveToolCard[] =>
    [...going.keys()].filter((card) => going.get(card) === conversationId);

  function open(conversationId: string, place: LivePlace): LiveToolCard {
    const card: LiveToolCard = createLiveToolCard(conversationId, place, parts, () => live.delete(card));
    live.add(card);
    going.set(card, conversationId);
    return card;
  }

  function end(card: LiveToolCard): void {
    going.delete(card);
    void attempt(card.end());
  }

  async function attempt(work: Promise<void>): Promise<void> {
    try {
      await work;
    } catch (error) {
      const level = error instanceof ChannelError ? 'debug' : 'warn';
      parts.log[level]({ err: error }, 'a card of tools could not be shown as it should be');
    }
  }

  return {
    /** The model is still writing the call, or it is running. */
    show(conversationId: string, place: LivePlace, status: ToolStatus): void {
      const cards = cardsIn(conversationId);
      let card = cards.find((one) => one.has(status.callId));
      if (card === undefined) {
        if (status.state !== 'wait') return;
        card = cards.at(-1);
        if (card?.isJudged !== false) card = open(conversationId, place);
      }
      card.show(status);
      if (card.isOver) end(card);
    },

    /** The turn of these calls is stored; without calls, it may be abandoned. */
    judged(conversationId: string, place: LivePlace, calls: readonly JudgedCall[]): void {
      let card = cardsIn(conversationId).at(-1);
      if (card?.isJudged !== false) {
        if (!calls.some(({ fate }) => fate === 'runs')) return;
        card = open(conversationId, place);
      }
      card.judge(calls.filter(({ fate }) => fate !== 'asks'));
      if (card.isOver) end(card);
    },

    /** The work in the conversation is done. */
    settled: (conversationId: string): void => cardsIn(conversationId).forEach(end),

    /** Stops the frames. Resolves within about a second; the next process ends what was shown. */
    async stop(): Promise<void> {
      const cards = [...live];
      going.clear();
      live.clear();
      await Promise.all(cards.map((card) => attempt(card.leave())));
    },
  };
}

/** Calls that end sooner than this are not shown. In ms. */
const worthShowingAfter = 700;

/**
 * One message that shows what the calls of a turn are doing. It has its row in the outbox before it is shown, so that a
 * later process can mark it as interrupted. `over` is called when it will no longer change.
 */
function createLiveToolCard(
  conversationId: string,
  place: LivePlace,
  { outbox, isClear, clock, log, deliver }: ToolCardsParts,
  over: () => void,
) {
  const id = newId(20);
  const begunAt = clock.now();
  const lines = new Map<string, ToolLine>();
  const message = createLiveMessage(place);
  const frames = createFrames(place, {
    clock,
    log: log.child({ conversation: conversationId }),
    dueAt: () => (lines.size === 0 || isNewest() || message.isLost ? undefined : begunAt + worthShowingAfter),
    isClear: () => isShown() || isClear(conversationId),
    paint,
    gaveUp: async () => (isFinished ? settle() : over()),
  });
  let hasRow = false;
  let isJudged = false;
  let isFinished = false;

  const isShown = (): boolean => message.ref !== undefined;
  const isNewest = (): boolean => message.text === text();
  const content = (markdown: string): OutboundMessage => ({ id, kind: 'status', markdown });

  function text(): string {
    const { maxLength } = place.adapter.capabilities;
    return renderToolCard([...lines.values()], { maxLength, measure: (markdown) => place.adapter.measure(markdown) });
  }

  function show(status: ToolStatus): void {
    const before = lines.get(status.callId);
    const line = withStatus(before, status);
    if (line === before) return;
    lines.set(status.callId, line);
    frames.wake();
  }

  async function paint(): Promise<void> {
    try {
      await showNewest();
    } finally {
      if (isFinished) await settle();
    }
  }

  async function showNewest(): Promise<void> {
    const newest = text();
    if (!hasRow) {
      await outbox.openStream(conversationId, id, 'status', clock.now());
      hasRow = true;
    }
    if (frames.isOver || (isFinished && !isShown())) return;
    await message.show(content(newest));
    if (message.ref !== undefined) await outbox.previewed(id, [message.ref], newest);
  }

  /** Ends it, unless a frame can still show the newest state. If frames are over, that state is delivered. */
  async function settle(): Promise<void> {
    if (isShown() && !isNewest() && !frames.isOver) return;
    frames.stop();
    over();
    const { ref, isLeftBehind } = message;
    if (ref === undefined && !isLeftBehind) return hasRow ? outbox.abandonStream(id) : undefined;
    if (ref !== undefined && isNewest()) return outbox.delivered(id, 1, [ref], clock.now());
    await outbox.say(conversationId, content(text()), clock.now());
    deliver([conversationId]);
  }

  /** Nothing more will happen: ends it once the newest state is shown. A card not shown so far stays unshown. */
  async function finish(): Promise<void> {
    // A call that was cancelled before it began has not ended by itself.
    for (const { callId, toolName } of lines.values()) show({ callId, toolName, ...notExecuted });
    isFinished = true;
    if (frames.isPainting) return;
    await settle();
    frames.wake();
  }

  async function remove(): Promise<void> {
    await frames.end();
    over();
    try {
      await message.remove(content('…'));
    } finally {
      if (hasRow) await outbox.abandonStream(id);
    }
  }

  return {
    /** Whether its turn is stored. */
    get isJudged() {
      return isJudged;
    },
    /** Whether nothing more will happen. */
    get isOver() {
      return isJudged && [...lines.values()].every(hasEnded);
    },
    has: (callId: string): boolean => lines.has(callId),
    /** Shows it on the line of its call, adding the line if needed. */
    show,
    /** The turn is stored with these calls; all others are left out. */
    judge(calls: readonly JudgedCall[]): void {
      isJudged = true;
      for (const { callId, toolName, fate } of calls) {
        show({ callId, toolName, state: 'wait' });
        if (fate === 'refused') show({ callId, toolName, ...notExecuted });
      }
      for (const callId of lines.keys()) {
        if (calls.some((call) => call.callId === callId)) continue;
        lines.delete(callId);
        frames.wake();
      }
    },
    end: () => (lines.size === 0 ? remove() : finish()),
    /** The process ends: the next one shows how it ended, or that it was interrupted. Resolves within a second. */
    async leave(): Promise<void> {
      await frames.leave();
      if (isFinished && isShown()) await outbox.say(conversationId, content(text()), clock.now());
    },
  };
}

const notExecuted = { state: 'error', tip: 'not executed', isStopped: true } as const;

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

/** The calls of a turn as a message, a line each. If there is no room, lines are cut, then the oldest are left out. */
export function renderToolCard(
  lines: readonly ToolLine[],
  { maxLength, measure }: { readonly maxLength: number; readonly measure: (markdown: string) => number },
): string {
  const shortest = lines.map((line) => render(line, 0));
  const views = [
    ...widths.map((width) => lines.map((line) => render(line, width))),
    ...lines.map((_, left) => [`… ${left} more`, ...shortest.slice(left)]).slice(1),
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

function render({ state, toolName, what, progress, duration, isStopped }: ToolLine, width: number): string {
  const texts = width === 0 ? [] : [what, progress].flatMap((text) => (text ? [tip(text, width)] : []));
  const time = duration === undefined ? [] : [secondsWords(duration)];
  const mark = state === 'error' && isStopped === true ? callSigns.stopped : marks[state];
  // The model may have written any name.
  return [`${mark} ${inlineCode(oneLine(toolName, longestName) || '?')}`, ...texts, ...time].join(' · ');
}

/** Code stays code. The rest is escaped: it may be a stranger's text. */
function tip(text: string, width: number): string {
  const pieces = oneLine(text, width).split(/(`[^`]+`)/);
  return pieces.map((piece, index) => (index % 2 === 1 ? piece : escapeMarkdown(piece))).join('');
}
