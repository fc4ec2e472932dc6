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
/** Calls that never end are forgotten, oldest first. */
const mostCalls = 100;

/** A line for each change of a tool's status; undefined if it shows nothing new. */
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

/** Messages remembered to detect edits without changes. */
const mostRemembered = 200;

/** The event of a line, with the card that it answers; that card is no longer asked. */
export interface Heard {
  readonly event: InboundEvent;
  readonly card?: OpenCard;
}

export type Dialogue = ReturnType<typeof createDialogue>;

/** The conversation, for a keyboard as well as a pipe. */
export function createDialogue(host: ChannelHost, display: Display, style: Style) {
  const events = createEvents(host.clock);
  /** Unanswered cards. The prompt asks the newest. */
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

  /** Adds a card, or moves it to the top. */
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
        // A pipe has no prompt that could ask.
        if (display.isLive || buttons.length === 0) return asOwn(text);
        return `${text}\n${questionFor(buttons.flat())}`;
    }
  }

  function asNotice(text: string): string {
    return display.isLive ? asOwn(`${style.dim('keyturn ·')} ${text}`) : text;
  }

  /** On a screen, sets off Keyturn's own text from everybody else's. */
  function asOwn(text: string): string {
    return display.isLive ? behindBar(text, style, display.columns) : text;
  }

  /** False if the message is already shown like this. */
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

    /** Prints what is new: printed lines cannot be changed. For a decided card, only the first line. */
    async edit(ref: MessageRef, message: OutboundMessage): Promise<void> {
      const isDecided = message.kind === 'card' && !hasButtons(message);
      const [firstLine = ''] = message.markdown.split('\n');
      if (!remember(ref.id, isDecided ? { ...message, markdown: firstLine } : message)) return;
      cards.delete(ref.id);
      if (!isDecided) return show(ref.id, message);
      ask();
      await display.print(asOwn(renderFirstLine(message.markdown, style)));
    },

    /** On a screen only: a pipe carries only answers. */
    showStatus(status: ToolStatus): void {
      const line = display.isLive ? statusLine(status) : undefined;
      if (line !== undefined) display.printSoon(style.dim(line));
    },

    openStream(): ReplyStream {
      if (!display.isLive) return sendAtEnd(send);
      return openLiveReply(display, send, (message) => void remember(message.id, message));
    },

    /**
     * Takes a line that was typed while `card` was asked. A card is answered once; then the next one is asked. `late`:
     * the card was answered elsewhere, so the line does nothing.
     */
    hear(line: string, card: OpenCard | undefined): Heard | 'late' {
      const button = card && buttonFor(card.buttons, line);
      if (card === undefined || button === undefined) return { event: events.message(line) };
      if (!cards.delete(card.id)) return 'late';
      ask();
      return { event: events.action(button.actionId, { id: card.id }), card };
    },

    /** Delivers an event and shows the notice. Rejects if the host does: then the event is not stored. */
    async deliver(event: InboundEvent): Promise<void> {
      const { notice } = await host.receive(event);
      if (notice !== undefined) say(notice);
    },

    /** Shows a hint that may be lost. */
    hint(text: string): void {
      display.printSoon(asOwn(style.dim(text)));
    },

    /** Asks a card again after its answer could not be stored. */
    reopen(card: OpenCard): void {
      open(card);
      ask();
    },

    /** At the end of the input: a line about the waiting cards; undefined if there are none. */
    farewell(): string | undefined {
      const shortcut = asked()?.buttons[0]?.shortcut;
      if (shortcut === undefined) return undefined;
      const what = cards.size === 1 ? '1 question still waits' : `${cards.size} questions still wait`;
      return `${what} for your answer: start Keyturn at a terminal, then type ${shortcut}, or /approve with the ID that the card says.`;
    },
  };
}

/** A pipe gets only complete answers. */
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

/** Prefixes lines with the bar, and breaks long ones, so that every row has it. */
function behindBar(lines: string, style: Style, columns: number): string {
  return lines
    .split('\n')
    .flatMap((line) => breakRows(line, columns, indent))
    .map((row) => `${style.dim(bar)} ${row}`)
    .join('\n');
}
