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
import { behindBar } from './behind-bar.ts';
import type { Display } from './display.ts';
import { LiveReply } from './live-reply.ts';
import type { LocalEvents } from './local.ts';
import { OpenCards } from './open-cards.ts';
import { withoutOwnMarks } from './own-marks.ts';
import { type OpenCard, questionFor, subjectOf } from './question.ts';
import { renderFirstLine, renderMarkdown } from './render.ts';
import { StatusLines } from './status-lines.ts';
import type { Style } from './style.ts';

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
    return new LiveReply({ display, send, noteShown: (message) => void this.#remember(message.id, message) });
  }

  /** Takes a line that was written under the card, if there was one. */
  hear(line: string, card: OpenCard | undefined): Heard {
    const { events, display } = this.#dependencies;
    const answer = this.#cards.answer(card, line);
    if (answer.type === 'late') return answer;
    if (answer.type === 'none' || card === undefined) return { type: 'message', event: events.message(line) };
    display.ask(this.#cards.question);
    return { type: 'press', event: events.action(answer.button.actionId), card };
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
    return `${what} for your answer: run \`npm start\`, then type ${shortcut}, or /approve with the ID that the card says.`;
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
