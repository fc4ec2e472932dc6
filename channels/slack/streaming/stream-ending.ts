import type { MessageRef, OutboundMessage } from '../../../src/contract.ts';
import { type FinishDependencies, finishMessage } from './finish-message.ts';
import type { StreamedMessage } from './streamed-message.ts';

export interface EndingDependencies extends FinishDependencies {
  readonly remove: (to: FinishDependencies['to'], ref: MessageRef) => Promise<void>;
}

/** Makes what was shown while it was written show what is final. After a failure it goes on where it was. */
export class StreamEnding {
  readonly #dependencies: EndingDependencies;
  #finished = 0;
  /** Stands there, and could not be told. */
  #untold: MessageRef | undefined;

  constructor(dependencies: EndingDependencies) {
    this.#dependencies = dependencies;
  }

  /** Each message shows its part; parts that have none are sent, and messages that have none are taken away. */
  async show(
    messages: StreamedMessage[],
    parts: readonly OutboundMessage[],
    shown: (ref: MessageRef) => Promise<void>,
  ): Promise<void> {
    const { to, send } = this.#dependencies;
    for (const part of parts.slice(this.#finished)) {
      const message = messages[this.#finished];
      this.#untold ??= await (message === undefined
        ? send(to, part)
        : finishMessage(message, part, this.#dependencies));
      await shown(this.#untold);
      this.#untold = undefined;
      this.#finished += 1;
    }
    await this.removeFrom(messages, parts.length);
  }

  /** Takes the messages away from that one on, the last one first, and leaves them out of the list. */
  async removeFrom(messages: StreamedMessage[], count: number): Promise<void> {
    const { to, remove } = this.#dependencies;
    for (let last = messages.at(-1); last && messages.length > count; last = messages.at(-1)) {
      if (!last.isGone) await remove(to, last.ref);
      messages.pop();
    }
  }
}
