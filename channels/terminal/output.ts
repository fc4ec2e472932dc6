import type { Writable } from 'node:stream';
import { ChannelError } from '../../src/contract.ts';

/** Where all text goes. When nobody reads it any more, it says so once, and takes no further text. */
export class Output {
  readonly #dependencies: { readonly stream: Writable; onBroken(error: Error): void };
  #isBroken = false;

  constructor(dependencies: { readonly stream: Writable; onBroken(error: Error): void }) {
    this.#dependencies = dependencies;
    // It stays when the channel stops: an error that is told later must not end the process.
    dependencies.stream.on('error', (error) => this.#break(error));
  }

  /** Resolves when the text was taken. Throws `ChannelError`: what was not shown is to be shown at the next start. */
  write(text: string): Promise<void> {
    if (this.#isBroken) return Promise.reject(broken());
    return new Promise((resolve, reject) => {
      this.#dependencies.stream.write(text, (error) => {
        if (!error) return resolve();
        this.#break(error);
        reject(broken(error));
      });
    });
  }

  /** Writes what may be lost. */
  writeSoon(text: string): void {
    if (this.#isBroken) return;
    this.#dependencies.stream.write(text, (error) => {
      if (error) this.#break(error);
    });
  }

  #break(error: Error): void {
    if (this.#isBroken) return;
    this.#isBroken = true;
    this.#dependencies.onBroken(error);
  }
}

function broken(cause?: Error): ChannelError {
  return new ChannelError({ type: 'transient' }, 'Nobody reads the output any more.', cause && { cause });
}
