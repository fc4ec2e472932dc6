import { randomBytes } from 'node:crypto';
import { userInfo } from 'node:os';
import type {
  ChannelHost,
  Conversation,
  InboundAction,
  InboundEvent,
  InboundMessage,
  MessageRef,
  OutboundMessage,
  ReplyStream,
  Sender,
  ToolStatus,
} from '../../src/contract.ts';
import type { Clock } from '../../src/lib/clock.ts';
import { Remembered } from '../../src/lib/remembered.ts';
import { breakRows } from '../../src/lib/text-width.ts';
import { secondsWords } from '../../src/lib/time-words.ts';
import { finalParts } from '../kit/final-parts.ts';
import { buttonFor, type Display, type OpenCard, questionFor, subjectOf } from './question.ts';
import {
  bar,
  renderFirstLine,
  renderMarkdown,
  StreamStripper,
  StreamUnescaper,
  type Style,
  stripControls,
  withoutOwnMarks,
} from './render.ts';
import { type TerminalWords, terminalWords, wordsFor } from './words.ts';

/** A terminal's only conversation. */
export const localConversation = {
  channel: 'terminal',
  chatId: 'local',
  kind: 'direct',
} as const satisfies Conversation;

/** The person at the terminal. Same id for every system user: a person who can start Keyturn owns it. */
export function localOwner(words: TerminalWords = terminalWords.en): Sender {
  return { id: 'local', name: userName() ?? words.you, isPerson: true };
}

/** Creates events with globally unique keys. */
function createEvents(clock: Clock, words: () => TerminalWords) {
  const prefix = `${clock.now()}-${randomBytes(6).toString('hex')}`;
  let count = 0;
  const about = () => {
    count += 1;
    const conversation = { ...localConversation, title: words().thisTerminal };
    return { key: `${prefix}-${count}`, conversation, sender: localOwner(words()) };
  };
  return {
    message(text: string): InboundMessage {
      return { type: 'message', ...about(), text, addressed: true, sentAt: clock.now() };
    },
    action(actionId: string, messageRef: MessageRef): InboundAction {
      return { type: 'action', ...about(), actionId, messageRef };
    },
  };
}

function userName(): string | undefined {
  try {
    return userInfo().username || undefined;
  } catch (error) {
    // In a container, the user id may have no name.
    if (error instanceof Error && 'code' in error && error.code === 'ERR_SYSTEM_ERROR') return undefined;
    throw error;
  }
}

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
        const time = duration === undefined ? undefined : secondsWords(duration);
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

/** Characters of the messages that are remembered to detect edits without changes. */
const mostRemembered = 1_000_000;

export type Dialogue = ReturnType<typeof createDialogue>;

/** The conversation, for a keyboard as well as a pipe. */
export function createDialogue(host: ChannelHost, display: Display, style: Style) {
  const owner = localOwner();
  const words = (): TerminalWords => wordsFor(host, owner);
  const events = createEvents(host.clock, words);
  /** Unanswered cards. The prompt asks the newest. */
  const cards = new Map<string, OpenCard>();
  const statusLine = statusLines();
  const remembered = new Remembered<string, string>(mostRemembered, ({ length }) => length);

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
        return `${text}\n${questionFor(buttons.flat(), words())}`;
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
    const shown = JSON.stringify([markdown, buttons]);
    if (remembered.get(id) === shown) return false;
    remembered.set(id, shown);
    return true;
  }

  /** Prints lines that may be lost: an output that breaks is reported by itself. */
  function printSoon(lines: string): void {
    display.print(lines).catch(() => {});
  }

  function say(markdown: string): void {
    printSoon(asNotice(renderMarkdown(markdown, style)));
  }

  return {
    events,
    words,
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
      if (line !== undefined) printSoon(style.dim(line));
    },

    openStream(): ReplyStream {
      return openReply(display, send, (message) => void remember(message.id, message));
    },

    /**
     * Takes a line that was typed while `card` was asked. A card is answered once; then the next one is asked. `late`:
     * the card was answered elsewhere, so the line does nothing.
     */
    hear(line: string, card: OpenCard | undefined): InboundEvent | 'late' {
      const button = card && buttonFor(card.buttons, line);
      if (card === undefined || button === undefined) return events.message(line);
      if (!cards.delete(card.id)) return 'late';
      ask();
      return events.action(button.actionId, { id: card.id });
    },

    /** Delivers an event and shows the notice. Rejects if the host does: then the event is not stored. */
    async deliver(event: InboundEvent): Promise<void> {
      const { notice } = await host.receive(event);
      if (notice !== undefined) say(notice);
    },

    /** Shows a hint that may be lost. */
    hint(text: string): void {
      printSoon(asOwn(style.dim(text)));
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
      return words().stillWaiting({ count: cards.size, shortcut });
    },
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

/**
 * Shows a growing reply; a pipe gets only complete ones. If the final text begins with the shown one, only the rest is
 * added. `noteShown`: the message is on the screen without having been sent.
 */
export function openReply(
  display: Display,
  send: (message: OutboundMessage) => Promise<MessageRef>,
  noteShown: (message: OutboundMessage) => void,
): ReplyStream {
  const stripper = new StreamStripper();
  const unescaper = new StreamUnescaper();
  const showFinal = finalParts();
  let text = '';
  let isOpen = display.isLive;
  /** The preview shows the whole final text. */
  let isComplete = false;

  function append(shown: string): void {
    display.append(withoutOwnMarks(unescaper.push(shown)));
  }

  function complete(final = ''): void {
    const rest = text.trim() === '' || !isOpen ? undefined : restOf(final, text);
    if (rest === undefined) return;
    append(stripper.push(rest));
    isComplete = true;
  }

  /** Ends the row of the preview. */
  async function cancel(): Promise<void> {
    if (isOpen) {
      append(stripper.flush());
      display.append(withoutOwnMarks(unescaper.flush()));
    }
    isOpen = false;
    await display.endRow();
  }

  async function show(part: OutboundMessage, index: number): Promise<MessageRef> {
    if (!isComplete || index > 0) return send(part);
    noteShown(part);
    return { id: part.id };
  }

  return {
    cancel,

    push(delta) {
      if (!isOpen) return;
      text += delta;
      append(stripper.push(delta));
    },

    async finish(parts, shown) {
      complete(parts[0]?.markdown);
      await cancel();
      await showFinal(parts, show, shown);
    },
  };
}

/** What the final text adds to the shown one; undefined if it does not begin with it. Ignores outer white space. */
function restOf(final: string, shown: string): string | undefined {
  const whole = final.trim();
  const begun = shown.trimStart();
  if (whole.startsWith(begun)) return whole.slice(begun.length);
  return begun.trimEnd() === whole ? '' : undefined;
}
