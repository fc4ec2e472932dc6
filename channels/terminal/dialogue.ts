import { createHash } from 'node:crypto';
import type {
  Button,
  ChannelHost,
  InboundEvent,
  MessageRef,
  OutboundMessage,
  ReplyStream,
  ToolStatus,
} from '../../src/contract.ts';
import { Remembered } from '../../src/lib/remembered.ts';
import { LiveReply } from './live-reply.ts';
import type { LocalEvents } from './local.ts';
import { bar, type Style, stripControls, withoutOwnMarks } from './output.ts';
import type { Display } from './question.ts';
import { buttonFor, type OpenCard, type Question, questionFor, subjectOf } from './question.ts';
import { renderFirstLine, renderMarkdown } from './render.ts';
import { breakRows } from './text-width.ts';

const longestTip = 200;
/** Calls that never end are forgotten, the oldest first. */
const mostCalls = 100;

/** Tells what tools do, in a line for each change that is worth one. */
class StatusLines {
  readonly #running = new Map<string, string>();

  /** The line to show, if the status says something new. */
  lineFor(status: ToolStatus): string | undefined {
    switch (status.state) {
      case 'wait':
        return undefined;
      case 'doing':
        return this.#begin(status);
      case 'success':
        return this.#end('✓', status);
      case 'error':
        return this.#end('✗', status);
    }
  }

  #begin({ callId, toolName, tip }: ToolStatus): string | undefined {
    const line = join('⚙', toolName, tip);
    if (this.#running.get(callId) === line) return undefined;
    this.#running.set(callId, line);
    const [oldest] = this.#running.keys();
    if (oldest !== undefined && this.#running.size > mostCalls) this.#running.delete(oldest);
    return line;
  }

  #end(mark: string, { callId, toolName, state, tip, duration }: ToolStatus): string {
    this.#running.delete(callId);
    return join(
      mark,
      toolName,
      duration === undefined ? undefined : inWords(duration),
      state === 'error' ? tip : undefined,
    );
  }
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

/** What a line is to the card that it was typed under. */
export type Answer =
  | { readonly type: 'press'; readonly button: Button }
  /** It would have been one, but the card has been answered in the meantime. */
  | { readonly type: 'late' }
  | { readonly type: 'none' };

/** The cards that nobody has answered here yet. */
class OpenCards {
  readonly #cards = new Map<string, OpenCard>();

  /** The newest: the one that is asked. */
  get asked(): OpenCard | undefined {
    return [...this.#cards.values()].at(-1);
  }

  /** What to ask now. */
  get question(): Question | undefined {
    const card = this.asked;
    return card && { card, waiting: this.#cards.size };
  }

  get count(): number {
    return this.#cards.size;
  }

  has(card: OpenCard): boolean {
    return this.#cards.has(card.id);
  }

  /** Adds a card, or puts one on top again. */
  open(card: OpenCard): void {
    this.#cards.delete(card.id);
    this.#cards.set(card.id, card);
  }

  close(id: string): void {
    this.#cards.delete(id);
  }

  /** Takes a line for an answer to the card. A card is pressed once: then the next one is asked. */
  answer(card: OpenCard | undefined, line: string): Answer {
    const button = card === undefined ? undefined : buttonFor(card.buttons, line);
    if (card === undefined || button === undefined) return { type: 'none' };
    return this.#cards.delete(card.id) ? { type: 'press', button } : { type: 'late' };
  }
}

/** So many messages are remembered, to know whether an edit shows anything new. */
const mostRemembered = 200;

/** What a line came to. */
export type Heard =
  | { readonly type: 'message'; readonly event: InboundEvent }
  /** It answers the card, which is not asked any more. */
  | { readonly type: 'press'; readonly event: InboundEvent; readonly card: OpenCard }
  /** It would have answered a card that was answered elsewhere: nothing is to be done. */
  | { readonly type: 'late' };

/** What is said on both sides, whether a person sits at a keyboard or lines come from a pipe. */
export class Dialogue {
  readonly #dependencies: {
    readonly host: ChannelHost;
    readonly display: Display;
    readonly style: Style;
    readonly events: LocalEvents;
  };
  readonly #cards = new OpenCards();
  readonly #statuses = new StatusLines();
  readonly #remembered = new Remembered<string, string>(mostRemembered);

  constructor(dependencies: {
    readonly host: ChannelHost;
    readonly display: Display;
    readonly style: Style;
    readonly events: LocalEvents;
  }) {
    this.#dependencies = dependencies;
  }

  /** The card that waits for an answer now: the newest. */
  get asked(): OpenCard | undefined {
    return this.#cards.asked;
  }

  /** Whether the card still waits. */
  isOpen(card: OpenCard): boolean {
    return this.#cards.has(card);
  }

  async send(message: OutboundMessage): Promise<MessageRef> {
    this.#remember(message.id, message);
    await this.#show(message.id, message);
    return { id: message.id };
  }

  /** What stands on the screen stands: an edit shows what is new. Of a decided card, that is its first line. */
  async edit(ref: MessageRef, message: OutboundMessage): Promise<void> {
    const isDecided = message.kind === 'card' && !hasButtons(message);
    const [firstLine = ''] = message.markdown.split('\n');
    if (!this.#remember(ref.id, isDecided ? { ...message, markdown: firstLine } : message)) return;
    const { display, style } = this.#dependencies;
    this.#cards.close(ref.id);
    if (!isDecided) return this.#show(ref.id, message);
    display.ask(this.#cards.question);
    await display.print(this.#asOwn(renderFirstLine(message.markdown, style)));
  }

  /** Shown to a person who sits there; a pipe carries answers only. */
  showStatus(status: ToolStatus): void {
    const { display, style } = this.#dependencies;
    if (!display.isLive) return;
    const line = this.#statuses.lineFor(status);
    if (line !== undefined) display.printSoon(style.dim(line));
  }

  openStream(): ReplyStream {
    const { display } = this.#dependencies;
    const send = (message: OutboundMessage): Promise<MessageRef> => this.send(message);
    if (!display.isLive) return sendAtEnd(send);
    return new LiveReply(display, send, (message) => void this.#remember(message.id, message));
  }

  /** Takes a line that was written under the card, if there was one. */
  hear(line: string, card: OpenCard | undefined): Heard {
    const { events, display } = this.#dependencies;
    const answer = this.#cards.answer(card, line);
    if (answer.type === 'late') return answer;
    if (answer.type === 'none' || card === undefined) return { type: 'message', event: events.message(line) };
    display.ask(this.#cards.question);
    return { type: 'press', event: events.action(answer.button.actionId, { id: card.id }), card };
  }

  /** Hands an event over and shows what comes back. Throws what the host throws: then the event is not stored. */
  async deliver(event: InboundEvent): Promise<void> {
    const { notice } = await this.#dependencies.host.receive(event);
    if (notice !== undefined) this.say(notice);
  }

  /** Shows what Keyturn itself says. */
  say(markdown: string): void {
    const { display, style } = this.#dependencies;
    display.printSoon(this.#asNotice(renderMarkdown(markdown, style)));
  }

  /** Shows what helps now and may be lost, in the background. */
  hint(text: string): void {
    const { display, style } = this.#dependencies;
    display.printSoon(this.#asOwn(style.dim(text)));
  }

  /** Asks again for a card whose answer was not taken. */
  reopen(card: OpenCard): void {
    this.#cards.open(card);
    this.#dependencies.display.ask(this.#cards.question);
  }

  /** One line about the cards that still wait when nothing more will be read; undefined if there are none. */
  get farewell(): string | undefined {
    const shortcut = this.asked?.buttons[0]?.shortcut;
    if (shortcut === undefined) return undefined;
    const what = this.#cards.count === 1 ? '1 question still waits' : `${this.#cards.count} questions still wait`;
    return `${what} for your answer: start Keyturn at a terminal, then type ${shortcut}, or /approve with the ID that the card says.`;
  }

  async #show(id: string, message: OutboundMessage): Promise<void> {
    const { display } = this.#dependencies;
    const { markdown, buttons = [] } = message;
    if (hasButtons(message)) this.#cards.open({ id, subject: subjectOf(markdown), buttons: buttons.flat() });
    display.ask(this.#cards.question);
    await display.print(this.#block(message));
  }

  #block(message: OutboundMessage): string {
    const text = renderMarkdown(message.markdown, this.#dependencies.style);
    switch (message.kind) {
      case 'reply':
      case 'for_user':
        return this.#dependencies.display.isLive ? withoutOwnMarks(text) : text;
      case 'notice':
      case 'status':
        return this.#asNotice(text);
      case 'card':
        return this.#asCard(text, message);
    }
  }

  #asNotice(text: string): string {
    const { display, style } = this.#dependencies;
    return display.isLive ? this.#asOwn(`${style.dim('keyturn ·')} ${text}`) : text;
  }

  #asCard(text: string, { buttons = [] }: OutboundMessage): string {
    const { display } = this.#dependencies;
    // At a pipe there is no prompt that could ask.
    if (!display.isLive) return buttons.length === 0 ? text : `${text}\n${questionFor(buttons.flat())}`;
    return this.#asOwn(text);
  }

  /** Sets off what Keyturn itself says from what anybody else does, where there is a screen. */
  #asOwn(text: string): string {
    const { display, style } = this.#dependencies;
    return display.isLive ? behindBar(text, style, display.columns) : text;
  }

  /** False if the message stands there like that already. */
  #remember(id: string, { markdown, buttons = [] }: OutboundMessage): boolean {
    const shown = createHash('sha256')
      .update(JSON.stringify([markdown, buttons]))
      .digest('base64');
    if (this.#remembered.get(id) === shown) return false;
    this.#remembered.set(id, shown);
    return true;
  }
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
