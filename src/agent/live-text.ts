import type { LiveReply } from './presenter.ts';

/** The text of a turn while it is written: opens the reply at the first visible character, and gives it up unless it is kept. */
export class LiveText {
  readonly #open: () => LiveReply | undefined;
  #reply: LiveReply | undefined;
  #opened = false;
  #kept = false;

  constructor(open: () => LiveReply | undefined) {
    this.#open = open;
  }

  /** The outbox id under which it is shown, if it is. */
  get id(): string | undefined {
    return this.#reply?.id;
  }

  /** Whether anything visible was written. */
  get hasText(): boolean {
    return this.#opened;
  }

  push(delta: string): void {
    if (!this.#opened && delta.trim() === '') return;
    if (!this.#opened) {
      this.#opened = true;
      this.#reply = this.#open();
    }
    this.#reply?.push(delta);
  }

  /** Nothing follows. */
  complete(): void {
    this.#reply?.complete();
  }

  /** The message is stored: its delivery finishes what is shown. */
  keep(): void {
    this.#kept = true;
  }

  /** Gives it up unless it is kept; or leaves it to the next process, which will have it written again. */
  async end(as: 'given-up' | 'left'): Promise<void> {
    if (this.#kept) return;
    await (as === 'left' ? this.#reply?.leave() : this.#reply?.abandon());
  }
}
