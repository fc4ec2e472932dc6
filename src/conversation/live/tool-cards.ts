import { ChannelError, type OutboundMessage, type ToolStatus } from '../../contract.ts';
import type { Core, JudgedCall } from '../../engine/feature.ts';
import { newId } from '../../lib/ids.ts';
import { escapeMarkdown, inlineCode, oneLine } from '../../lib/plain-text.ts';
import { mayFollow } from '../../tools/status.ts';
import { createFrames, createLiveMessage, type LivePlace, type PreviewStore } from './live-message.ts';

interface ToolCardsParts extends Pick<Core, 'clock' | 'log' | 'deliver'> {
  readonly outbox: PreviewStore;
  /** Whether nothing waits in the conversation that has to be shown before a card. */
  readonly isClear: (conversationId: string) => boolean;
}

export type ToolCards = ReturnType<typeof createToolCards>;

type LiveToolCard = ReturnType<typeof createLiveToolCard>;

/**
 * Shows what the calls of each turn are doing, as one message that is edited. A call that a person is asked for has a card
 * of its own, and is left out. None of it has to arrive.
 */
export function createToolCards(parts: ToolCardsParts) {
  /**
   * The card of the newest turn, by conversation. Once it is judged, it is known what becomes of its calls: those of another
   * turn have another card.
   */
  const current = new Map<string, { readonly card: LiveToolCard; isJudged: boolean }>();
  /** Those that may still change, the current ones among them. */
  const live = new Set<LiveToolCard>();

  function open(conversationId: string, place: LivePlace) {
    settled(conversationId);
    const card: LiveToolCard = createLiveToolCard(conversationId, place, parts, () => live.delete(card));
    const opened = { card, isJudged: false };
    live.add(card);
    current.set(conversationId, opened);
    return opened;
  }

  function finishIfOver(conversationId: string): void {
    const known = current.get(conversationId);
    if (known?.isJudged === true && known.card.hasEnded()) take(conversationId, (card) => card.finish());
  }

  function take(conversationId: string, work: (card: LiveToolCard) => Promise<void>): void {
    const known = current.get(conversationId);
    current.delete(conversationId);
    if (known !== undefined) void attempt(work(known.card));
  }

  async function attempt(work: Promise<void>): Promise<void> {
    try {
      await work;
    } catch (error) {
      const level = error instanceof ChannelError ? 'debug' : 'warn';
      parts.log[level]({ err: error }, 'a card of tools could not be shown as it should be');
    }
  }

  function settled(conversationId: string): void {
    take(conversationId, (card) => {
      // A call that was called off before it began never ended by itself.
      card.callOff();
      return card.finish();
    });
  }

  return {
    /** The model still writes the call, or it is being executed. */
    show(conversationId: string, place: LivePlace, status: ToolStatus): void {
      const known = current.get(conversationId);
      const isKnown = known?.card.callIds().includes(status.callId) === true;
      if (isKnown || (known !== undefined && !known.isJudged && status.state === 'wait')) {
        known.card.show(status);
        finishIfOver(conversationId);
      } else if (status.state === 'wait') {
        open(conversationId, place).card.show(status);
      }
    },

    /** The turn of these calls is stored, or given up and has none. */
    judged(conversationId: string, place: LivePlace, calls: readonly JudgedCall[]): void {
      const known = current.get(conversationId);
      const runs = calls.some(({ fate }) => fate === 'runs');
      const judged = known?.isJudged === false ? known : runs ? open(conversationId, place) : undefined;
      if (judged === undefined) return;
      judged.isJudged = true;
      const { card } = judged;
      const shown = calls.filter(({ fate }) => fate !== 'asks');
      for (const { callId, toolName, fate } of shown) {
        card.show({ callId, toolName, state: 'wait' });
        if (fate === 'refused') card.show({ callId, toolName, state: 'error', tip: 'not executed' });
      }
      for (const callId of card.callIds()) if (!shown.some((call) => call.callId === callId)) card.leaveOut(callId);
      if (card.callIds().length === 0) take(conversationId, (empty) => empty.remove());
      else finishIfOver(conversationId);
    },

    /** Nothing is being done in the conversation any more. */
    settled,

    /** Shows no more frames. Resolves within about a second; what was shown is ended by the next process. */
    async stop(): Promise<void> {
      const cards = [...live];
      current.clear();
      live.clear();
      await Promise.all(cards.map((card) => attempt(card.leave())));
    },
  };
}

/** What is over that soon after it has begun is not shown, in milliseconds. */
const worthShowingAfter = 700;

/**
 * One message that shows at best what the calls of a turn are doing. It has its row in the outbox before it is shown, so
 * that a later process can say that it was interrupted. `over`: told when nothing of it will change any more.
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

  /** Ends it for good, unless the newest is still to be shown. Where that can't be a frame any more, it is delivered. */
  async function settle(): Promise<void> {
    if (isShown() && !isNewest() && !frames.isOver) return;
    frames.stop();
    over();
    const { ref } = message;
    if (ref === undefined) return hasRow ? outbox.abandonStream(id) : undefined;
    if (isNewest()) return outbox.delivered(id, 1, [ref], clock.now());
    await outbox.say(conversationId, content(text()), clock.now());
    deliver([conversationId]);
  }

  return {
    callIds: (): readonly string[] => [...lines.keys()],
    hasEnded: (): boolean => [...lines.values()].every(hasEnded),
    /** Shows it on the line of its call, which is added if there is none. */
    show,
    leaveOut(callId: string): void {
      if (lines.delete(callId)) frames.wake();
    },
    /** What has not begun never will. */
    callOff(): void {
      for (const { callId, toolName } of lines.values())
        show({ callId, toolName, state: 'error', tip: 'not executed' });
    },
    /** Nothing more will happen: stays as it is, once the newest is shown. What nobody has seen yet is not shown. */
    async finish(): Promise<void> {
      isFinished = true;
      if (frames.isPainting) return;
      await settle();
      frames.wake();
    },
    async remove(): Promise<void> {
      await frames.end();
      over();
      try {
        await message.remove(content('…'));
      } finally {
        if (hasRow) await outbox.abandonStream(id);
      }
    },
    /** The process ends: the next one says how it ended, or that it was interrupted. Resolves within a second. */
    async leave(): Promise<void> {
      await frames.leave();
      if (isFinished && isShown()) await outbox.say(conversationId, content(text()), clock.now());
    },
  };
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
