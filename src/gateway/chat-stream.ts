import type { MessageRef, OutboundMessage, ReplyStream } from '../contract.ts';
import type { ChatSession } from './chat-session.ts';
import { between, type OpenText } from './chat-turn.ts';

export interface ChatStreamDependencies {
  readonly session: ChatSession;
  /** Resolves when somebody shows the session. Throws `ChannelError` if the channel is closed before. */
  readonly heard: () => Promise<unknown>;
  readonly send: (message: OutboundMessage) => Promise<MessageRef>;
}

/** A reply that devices show while it is written. */
export class ChatStream implements ReplyStream {
  readonly #dependencies: ChatStreamDependencies;
  #text: OpenText | undefined;
  #shown = '';
  #isFinished = false;

  constructor(dependencies: ChatStreamDependencies) {
    this.#dependencies = dependencies;
  }

  push(delta: string): void {
    if (delta === '') return;
    const isFirst = this.#text === undefined;
    this.#text ??= this.#dependencies.session.turn().open();
    this.#text.add(delta);
    this.#shown += delta;
    const prefix = isFirst && !this.#text.isFirst ? between : '';
    this.#dependencies.session.publish({ type: 'chunk', content: prefix + delta });
  }

  async finish(parts: readonly OutboundMessage[], shown: (ref: MessageRef) => Promise<void>): Promise<void> {
    const [first, ...rest] = parts;
    if (first === undefined) return;
    if (this.#text === undefined) {
      for (const part of parts) await shown(await this.#dependencies.send(part));
      return;
    }
    await this.#dependencies.heard();
    if (!this.#isFinished && this.#shown !== first.markdown) {
      this.#text.replace(first.markdown);
      // What the model wrote is cleaned and cut into parts: that changes the ends of it, which the end of the turn shows.
      if (!this.#shown.trim().startsWith(first.markdown.trim())) this.#dependencies.session.showAnew();
    }
    this.#isFinished = true;
    await shown({ id: first.id });
    for (const part of rest) await shown(await this.#dependencies.send(part));
  }

  async cancel(): Promise<void> {
    if (this.#text === undefined) return;
    this.#text.remove();
    this.#text = undefined;
    this.#dependencies.session.showAnew();
  }
}
