import type { MessageRef, OutboundMessage, ReplyStream } from '../../src/contract.ts';
import { StreamStripper, withoutOwnMarks } from './output.ts';
import type { Display } from './question.ts';

/** A reply that is shown as it is written. When it ends as it began, only the rest is added to it. */
export class LiveReply implements ReplyStream {
  readonly #display: Display;
  readonly #send: (message: OutboundMessage) => Promise<MessageRef>;
  readonly #noteShown: (message: OutboundMessage) => void;
  readonly #stripper = new StreamStripper();
  #text = '';
  #isOpen = true;
  /** The row of the preview has ended. */
  #isEnded = false;
  /** The preview was made the final text. */
  #isComplete = false;

  /** `noteShown`: the message stands on the screen, though it was not sent as a whole. */
  constructor(
    display: Display,
    send: (message: OutboundMessage) => Promise<MessageRef>,
    noteShown: (message: OutboundMessage) => void,
  ) {
    this.#display = display;
    this.#send = send;
    this.#noteShown = noteShown;
  }

  push(delta: string): void {
    if (!this.#isOpen) return;
    this.#text += delta;
    this.#append(this.#stripper.push(delta));
  }

  async finish([first, ...rest]: readonly OutboundMessage[], shown: (ref: MessageRef) => Promise<void>): Promise<void> {
    if (first === undefined) return this.cancel();
    if (this.#isOpen) this.#complete(first.markdown);
    await this.cancel();
    if (this.#isComplete) this.#noteShown(first);
    await shown(this.#isComplete ? { id: first.id } : await this.#send(first));
    for (const part of rest) await shown(await this.#send(part));
  }

  async cancel(): Promise<void> {
    if (this.#isOpen) this.#append(this.#stripper.flush());
    this.#isOpen = false;
    if (this.#isEnded) return;
    await this.#display.endRow();
    this.#isEnded = true;
  }

  #complete(final: string): void {
    const rest = this.#text.trim() === '' ? undefined : restOf(final, this.#text);
    if (rest === undefined) return;
    this.#append(this.#stripper.push(rest));
    this.#isComplete = true;
  }

  #append(text: string): void {
    this.#display.append(withoutOwnMarks(text));
  }
}

/** What the final text has after the shown one; undefined if it does not begin with it. Space at the ends is no text. */
function restOf(final: string, shown: string): string | undefined {
  const whole = final.trim();
  const begun = shown.trimStart();
  if (whole.startsWith(begun)) return whole.slice(begun.length);
  return begun.trimEnd() === whole ? '' : undefined;
}
