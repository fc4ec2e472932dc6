import { createHash } from 'node:crypto';
import type {
  ChannelHost,
  InboundEvent,
  MessageRef,
  OutboundMessage,
  ReplyStream,
  ToolStatus,
} from '../../src/contract.ts';
import { Remembered } from '../../src/lib/remembered.ts';
import { openLiveReply } from './live-reply.ts';
import { createEvents } from './local.ts';
import { bar, type Style, stripControls, withoutOwnMarks } from './output.ts';
import type { Display } from './question.ts';
import { buttonFor, type OpenCard, questionFor, subjectOf } from './question.ts';
import { renderFirstLine, renderMarkdown } from './render.ts';
import { breakRows } from './text-width.ts';

const longestTip = 200;
/** Calls that never end are forgotten, the oldest first. */
const mostCalls = 100;

/** Tells what tools do, in a line for each change that is worth one. Undefined where the status says nothing new. */
function statusLines(): (status: ToolStatus) => string | undefined {
  const running = new Remembered<string, string>(mostCalls);
  return ({ callId, toolName, state, tip, duration }) => {
    switch (state) {
      case 'wait':
        return undefined;
      case 'doing': {
        const line = join('⚙', toolName, tip);
        if (running.get(callId) === line) return undefined;
        running.set(callId, line);
        return line;
      }
      case 'success':
      case 'error': {
        running.delete(callId);
        const isError = state === 'error';
        const time = duration === undefined ? undefined : inWords(duration);
        return join(isError ? '✗' : '✓', toolName, time, isError ? tip : undefined);
      }
    }
  };
}

function join(mark: string, ...parts: readonly (string | undefined)[]): string {
  const shown = parts.flatMap((part) => (part === undefined || part.trim() === '' ? [] : [oneLine(part)]));
  return `${mark} ${shown.join(' · ')}`;
}

function oneLine(text: string): string {
  const line = withoutOwnMarks(stripControls(text)).replace(/\s+/g, ' ').trim();
  return line.length > longestTip ? `${line.slice(0, longestTip - 1)}…` : line;
}

function inWords(milliseconds: number): string {
  const seconds = milliseconds / 1000;
  if (seconds < 60) return `${seconds.toFixed(1)} s`;
  return `${Math.floor(seconds / 60)} min ${Math.floor(seconds % 60)} s`;
}

/** So many messages are remembered, to know whether an edit shows anything new. */
const mostRemembered = 200;

/** What a line came to: an event, with the card that it answers and that is not asked any more. */
export interface Heard {
  readonly event: InboundEvent;
  readonly card?: OpenCard;
}

export type Dialogue = ReturnType<typeof createDialogue>;

/** What is said on both sides, whether a person sits at a keyboard or lines come from a pipe. */
export function createDialogue(host: ChannelHost, display: Display, style: Style) {
  const events = createEvents(host.clock);
  /** The cards that nobody has answered here yet. The newest is asked. */
  const cards = new Map<string, OpenCard>();
  const statusLine = statusLines();
  const remembered = new Remembered<string, string>(mostRemembered);

  function asked(): OpenCard | undefined {
    return [...cards.values()].at(-1);
  }

  function ask(): void {
    const card = asked();
    display.ask(card && { card, waiting: cards.size });
  }

  /** Adds a card, or puts one on top again. */
  function open(card: OpenCard): void {
    cards.delete(card.id);
    cards.set(card.id, card);
  }

  async function send(message: OutboundMessage): Promise<MessageRef> {
    remember(message.id, message);
    await show(message.id, message);
    return { id: message.id };
  }

  async function show(id: string, message: OutboundMessage): Promise<void> {
    const { markdown, buttons = [] } = message;
    if (hasButtons(message)) open({ id, subject: subjectOf(markdown), buttons: buttons.flat() });
    ask();
    await display.print(block(message));
  }

  function block({ kind, markdown, buttons = [] }: OutboundMessage): string {
    const text = renderMarkdown(markdown, style);
    switch (kind) {
      case 'reply':
      case 'for_user':
        return display.isLive ? withoutOwnMarks(text) : text;
      case 'notice':
      case 'status':
        return asNotice(text);
      case 'card':
        // At a pipe there is no prompt that could ask.
        if (display.isLive || buttons.length === 0) return asOwn(text);
        return `${text}\n${questionFor(buttons.flat())}`;
    }
  }

  function asNotice(text: string): string {
    return display.isLive ? asOwn(`${style.dim('keyturn ·')} ${text}`) : text;
  }

  /** Sets off what Keyturn itself says from what anybody else does, where there is a screen. */
  function asOwn(text: string): string {
    return display.isLive ? behindBar(text, style, display.columns) : text;
  }

  /** False if the message stands there like that already. */
  function remember(id: string, { markdown, buttons = [] }: OutboundMessage): boolean {
    const shown = createHash('sha256')
      .update(JSON.stringify([markdown, buttons]))
      .digest('base64');
    if (remembered.get(id) === shown) return false;
    remembered.set(id, shown);
    return true;
  }

  function say(markdown: string): void {
    display.printSoon(asNotice(renderMarkdown(markdown, style)));
  }

  return {
    events,
    send,
    say,

    asked,

    isOpen: ({ id }: OpenCard): boolean => cards.has(id),

    /** What stands on the screen stands: an edit shows what is new. Of a decided card, that is its first line. */
    async edit(ref: MessageRef, message: OutboundMessage): Promise<void> {
      const isDecided = message.kind === 'card' && !hasButtons(message);
      const [firstLine = ''] = message.markdown.split('\n');
      if (!remember(ref.id, isDecided ? { ...message, markdown: firstLine } : message)) return;
      cards.delete(ref.id);
      if (!isDecided) return show(ref.id, message);
      ask();
      await display.print(asOwn(renderFirstLine(message.markdown, style)));
    },

    /** Shown to a person who sits there; a pipe carries answers only. */
    showStatus(status: ToolStatus): void {
      const line = display.isLive ? statusLine(status) : undefined;
      if (line !== undefined) display.printSoon(style.dim(line));
    },

    openStream(): ReplyStream {
      if (!display.isLive) return sendAtEnd(send);
      return openLiveReply(display, send, (message) => void remember(message.id, message));
    },

    /**
     * Takes a line that was written under the card, if there was one. A card is pressed once: then the next one is asked.
     * `late`: it would have answered a card that was answered elsewhere, and nothing is to be done.
     */
    hear(line: string, card: OpenCard | undefined): Heard | 'late' {
      const button = card && buttonFor(card.buttons, line);
      if (card === undefined || button === undefined) return { event: events.message(line) };
      if (!cards.delete(card.id)) return 'late';
      ask();
      return { event: events.action(button.actionId, { id: card.id }), card };
    },

    /** Hands an event over and shows what comes back. Throws what the host throws: then the event is not stored. */
    async deliver(event: InboundEvent): Promise<void> {
      const { notice } = await host.receive(event);
      if (notice !== undefined) say(notice);
    },

    /** Shows what helps now and may be lost, in the background. */
    hint(text: string): void {
      display.printSoon(asOwn(style.dim(text)));
    },

    /** Asks again for a card whose answer was not taken. */
    reopen(card: OpenCard): void {
      open(card);
      ask();
    },

    /** One line about the cards that still wait when nothing more will be read; undefined if there are none. */
    farewell(): string | undefined {
      const shortcut = asked()?.buttons[0]?.shortcut;
      if (shortcut === undefined) return undefined;
      const what = cards.size === 1 ? '1 question still waits' : `${cards.size} questions still wait`;
      return `${what} for your answer: start Keyturn at a terminal, then type ${shortcut}, or /approve with the ID that the card says.`;
    },
  };
}

/** A pipe carries answers only when they are whole. */
function sendAtEnd(send: (message: OutboundMessage) => Promise<MessageRef>): ReplyStream {
  return {
    push() {},
    async finish(parts, shown) {
      for (const part of parts) await shown(await send(part));
    },
    async cancel() {},
  };
}

function hasButtons({ buttons = [] }: OutboundMessage): boolean {
  return buttons.some((row) => row.length > 0);
}

const indent = 2;

/** Sets the lines behind a bar. A line that is too long is broken, so that no row of it stands without the bar. */
function behindBar(lines: string, style: Style, columns: number): string {
  return lines
    .split('\n')
    .flatMap((line) => breakRows(line, columns, indent))
    .map((row) => `${style.dim(bar)} ${row}`)
    .join('\n');
}
