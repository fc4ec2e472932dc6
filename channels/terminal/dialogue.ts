import { randomBytes } from 'node:crypto';
import { userInfo } from 'node:os';
import type {
  Button,
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
import { withTypedButtons } from '../../src/lib/typed-buttons.ts';
import { openReply } from './growing-reply.ts';
import { buttonFor, type Display, type OpenCard, questionFor, subjectOf } from './question.ts';
import { bar, renderFirstLine, renderMarkdown, type Style, withoutOwnMarks } from './render.ts';
import { oneLine, statusLines } from './status-lines.ts';
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
interface Events {
  message(text: string): InboundMessage;
  action(actionId: string, messageRef: MessageRef): InboundAction;
}

function createEvents(clock: Clock, words: () => TerminalWords): Events {
  const prefix = `${clock.now()}-${randomBytes(6).toString('hex')}`;
  let count = 0;
  const nextKey = () => `${prefix}-${++count}`;
  const about = () => ({
    conversation: { ...localConversation, title: words().thisTerminal },
    sender: localOwner(words()),
  });
  return {
    message(text: string): InboundMessage {
      return { type: 'message', key: nextKey(), ...about(), text, addressed: true, sentAt: clock.now() };
    },
    action(actionId: string, messageRef: MessageRef): InboundAction {
      return { type: 'action', key: nextKey(), ...about(), actionId, messageRef };
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

/** Characters of the messages that are remembered to detect edits without changes. */
const mostRemembered = 1_000_000;
/** Commands of buttons that Tab completes. */
const mostCommands = 100;

/** The conversation, for a keyboard as well as a pipe. */
export interface Dialogue {
  readonly events: Events;
  /** The words for the person, as they read at this moment. */
  words(): TerminalWords;
  send(message: OutboundMessage): Promise<MessageRef>;
  /** Prints what is new: printed lines cannot be changed. For a decided card, only the line that says how, and later only what came of it. */
  edit(ref: MessageRef, message: OutboundMessage): Promise<void>;
  /** On a screen only: a pipe carries only answers. */
  showStatus(status: ToolStatus): void;
  /** The same: the model has not answered yet. */
  showTyping(): void;
  openStream(): ReplyStream;
  /** Says something by Keyturn itself that may be lost. */
  say(markdown: string): void;
  /** Shows a hint that may be lost. */
  hint(text: string): void;
  /** What the buttons below messages stand for, as it is typed; the last seen ones last. */
  commandLines(): readonly string[];
  /** The card that the prompt asks: the newest. */
  asked(): OpenCard | undefined;
  isOpen(card: OpenCard): boolean;
  /** Asks a card again after its answer could not be stored. */
  reopen(card: OpenCard): void;
  /**
   * Takes a line that was typed while `card` was asked. A card is answered once; then the next one is asked. `late`:
   * the card was answered elsewhere, so the line does nothing.
   */
  hear(line: string, card: OpenCard | undefined): InboundEvent | 'late';
  /** Delivers an event and shows the notice. Rejects if the host does: then the event is not stored. */
  deliver(event: InboundEvent): Promise<void>;
  /** At the end of the input: a line about the waiting cards; undefined if there are none. */
  farewell(): string | undefined;
}

/** What a dialogue works with. */
interface Talk {
  readonly host: ChannelHost;
  readonly display: Display;
  readonly style: Style;
  readonly words: () => TerminalWords;
  readonly events: Events;
  /** Unanswered cards, the newest last. */
  readonly cards: Map<string, OpenCard>;
  readonly statusLine: (status: ToolStatus) => string | undefined;
  /** What is shown of each message. */
  readonly shown: Remembered<string, string>;
  /** The first line of each card that was asked. */
  readonly firstLines: Remembered<string, string>;
  /** The printed line of each decided card. */
  readonly decided: Remembered<string, string>;
  /** What the buttons below messages stand for. */
  readonly commandLines: Remembered<string, string>;
}

export function createDialogue(host: ChannelHost, display: Display, style: Style): Dialogue {
  const owner = localOwner();
  const words = (): TerminalWords => wordsFor(host, owner);
  const events = createEvents(host.clock, words);
  const shown = new Remembered<string, string>(mostRemembered, ({ length }) => length);
  const commandLines = new Remembered<string, string>(mostCommands);
  const decided = new Remembered<string, string>(mostRemembered, ({ length }) => length);
  const firstLines = new Remembered<string, string>(mostRemembered, ({ length }) => length);
  const own = { cards: new Map(), statusLine: statusLines(words), shown, firstLines, decided, commandLines };
  const talk: Talk = { host, display, style, words, events, ...own };
  return {
    events,
    words,
    send: (message) => send(message, talk),
    edit: (ref, message) => edit(ref, message, talk),
    showStatus: (status) => showStatus(status, talk),
    showTyping: () => display.showWorking(() => host.whenIdle(localConversation)),
    openStream: () =>
      openReply(
        display,
        (message) => send(message, talk),
        (message) => void remember(message.id, message, talk),
        style,
      ),
    say: (markdown) => printSoon(asNotice(renderMarkdown(markdown, style), talk), talk),
    hint: (text) => printSoon(asOwn(style.dim(text), talk), talk),
    commandLines: () => commandLines.values(),
    asked: () => askedIn(talk),
    isOpen: ({ id }) => talk.cards.has(id),
    reopen: (card) => reopen(card, talk),
    hear: (line, card) => hear(line, card, talk),
    deliver: (event) => deliver(event, talk),
    farewell: () => farewell(talk),
  };
}

async function send(message: OutboundMessage, talk: Talk): Promise<MessageRef> {
  remember(message.id, message, talk);
  await show(message.id, message, talk);
  return { id: message.id };
}

/** False if the message is already shown like this. */
function remember(id: string, { markdown, buttons = [] }: OutboundMessage, { shown }: Talk): boolean {
  const content = JSON.stringify([markdown, buttons]);
  if (shown.get(id) === content) return false;
  shown.set(id, content);
  return true;
}

async function show(id: string, message: OutboundMessage, talk: Talk): Promise<void> {
  const { markdown, buttons = [] } = message;
  const isAsked = isQuestion(message);
  if (isAsked) {
    talk.firstLines.set(id, firstLineOf(markdown));
    open({ id, subject: subjectOf(markdown), buttons: buttons.flat() }, talk);
  }
  ask(talk);
  await talk.display.print(block(message, talk), isAsked ? id : undefined);
}

async function edit(ref: MessageRef, message: OutboundMessage, talk: Talk): Promise<void> {
  const isDecided = message.kind === 'card' && !hasButtons(message);
  const told = outcomeOf(message.markdown, talk.firstLines.get(ref.id));
  if (!remember(ref.id, isDecided ? { ...message, markdown: told } : message, talk)) return;
  talk.cards.delete(ref.id);
  if (!isDecided) return show(ref.id, message, talk);
  ask(talk);
  const line = whatIsNew(talk.decided.get(ref.id) ?? '', told);
  talk.decided.set(ref.id, told);
  await talk.display.print(asOwn(renderFirstLine(line, talk.style), talk));
}

/** The line of a decided card that says how: the first, or the last where the first is still what was asked. */
function outcomeOf(markdown: string, asked: string | undefined): string {
  const first = firstLineOf(markdown);
  return first === asked ? (markdown.trimEnd().split('\n').at(-1) ?? first) : first;
}

function firstLineOf(markdown: string): string {
  return markdown.split('\n', 1)[0] ?? '';
}

/** A decided card stands there once: what comes of it afterwards is a line of its own. */
function whatIsNew(printed: string, line: string): string {
  let same = 0;
  while (same < printed.length && printed[same] === line[same]) same += 1;
  return same > 0 && line.startsWith(beforeOutcome, same) ? line.slice(same + beforeOutcome.length) : line;
}

/** It stands between a decision and what came of it. */
const beforeOutcome = ' · ';

/** Adds a card, or moves it to the top. */
function open(card: OpenCard, { cards }: Talk): void {
  cards.delete(card.id);
  cards.set(card.id, card);
}

function reopen(card: OpenCard, talk: Talk): void {
  open(card, talk);
  ask(talk);
}

function ask(talk: Talk): void {
  const card = askedIn(talk);
  talk.display.ask(card && { card, waiting: talk.cards.size });
}

function askedIn({ cards }: Talk): OpenCard | undefined {
  return [...cards.values()].at(-1);
}

function block({ kind, markdown, buttons = [] }: OutboundMessage, talk: Talk): string {
  const { display, style, words } = talk;
  const isCard = kind === 'card';
  if (!isCard) noteCommands(buttons.flat(), talk);
  const text = renderMarkdown(isCard ? markdown : withTypedButtons(markdown, buttons), style);
  switch (kind) {
    case 'reply':
    case 'for_user':
      return display.isLive ? withoutOwnMarks(text) : text;
    case 'notice':
    case 'status':
      return asNotice(text, talk);
    case 'card':
      // A pipe has no prompt that could ask.
      if (display.isLive || buttons.length === 0) return asOwn(text, talk);
      return `${text}\n${questionFor(buttons.flat(), words())}`;
  }
}

/** What the buttons of a message that is no card do can be completed. */
function noteCommands(buttons: readonly Button[], { commandLines }: Talk): void {
  for (const line of buttons.flatMap(({ actionId }) => commandOf(actionId) ?? [])) commandLines.set(line, line);
}

/** `cmd:` is obeyed as if it had been typed. */
function commandOf(actionId: string): string | undefined {
  return actionId.startsWith('cmd:') ? `/${oneLine(actionId.slice('cmd:'.length))}` : undefined;
}

function asNotice(text: string, talk: Talk): string {
  return talk.display.isLive ? asOwn(`${talk.style.dim('keyturn ·')} ${text}`, talk) : text;
}

/** On a screen, sets off Keyturn's own text from everybody else's. */
function asOwn(text: string, { display, style }: Talk): string {
  return display.isLive ? behindBar(text, style, display.columns) : text;
}

/** Prints lines that may be lost: an output that breaks is reported by itself. */
function printSoon(lines: string, { display }: Talk): void {
  display.print(lines).catch(() => {});
}

function showStatus(status: ToolStatus, talk: Talk): void {
  const line = talk.display.isLive ? talk.statusLine(status) : undefined;
  if (line !== undefined) printSoon(talk.style.dim(line), talk);
}

function hear(line: string, card: OpenCard | undefined, talk: Talk): InboundEvent | 'late' {
  const button = card && buttonFor(card.buttons, line);
  if (card === undefined || button === undefined) return talk.events.message(line);
  const press = talk.events.action(button.actionId, { id: card.id });
  // What the card leaves out is shown, and the card waits on.
  if (button.unfolds === true) return talk.cards.has(card.id) ? press : 'late';
  if (!talk.cards.delete(card.id)) return 'late';
  ask(talk);
  return press;
}

async function deliver(event: InboundEvent, talk: Talk): Promise<void> {
  const { notice } = await talk.host.receive(event);
  if (notice === undefined) return;
  const text = renderMarkdown(notice, talk.style);
  const cardId = event.type === 'action' ? event.messageRef?.id : undefined;
  // The details of a card that waits on.
  if (cardId !== undefined && talk.cards.has(cardId)) talk.display.print(asOwn(text, talk), cardId).catch(() => {});
  else printSoon(asNotice(text, talk), talk);
}

function farewell(talk: Talk): string | undefined {
  const shortcut = askedIn(talk)?.buttons[0]?.shortcut;
  return shortcut === undefined ? undefined : talk.words().stillWaiting({ count: talk.cards.size, shortcut });
}

/** Only a card asks at the prompt. What the buttons of a list do is typed. */
function isQuestion(message: OutboundMessage): boolean {
  return message.kind === 'card' && hasButtons(message);
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
