import type { ProcessControl } from '../../../channels/terminal/streams.ts';

/** A process that stops and goes on as the test says. */
export class FakeProcess implements ProcessControl {
  hasFailed = false;
  #goOn: (() => void) | undefined;
  readonly #onContinue = new Set<() => void>();
  readonly #onExit = new Set<() => void>();

  get isStopped(): boolean {
    return this.#goOn !== undefined;
  }

  get listeners(): number {
    return this.#onContinue.size + this.#onExit.size;
  }

  suspend(goOn: () => void): void {
    this.#goOn = goOn;
  }

  onContinue(callback: () => void): () => void {
    this.#onContinue.add(callback);
    return () => this.#onContinue.delete(callback);
  }

  onExit(callback: () => void): () => void {
    this.#onExit.add(callback);
    return () => this.#onExit.delete(callback);
  }

  fail(): void {
    this.hasFailed = true;
  }

  /** What `fg` does, after a ctrl-z or a stop by somebody else. */
  goOn(): void {
    const goOn = this.#goOn;
    this.#goOn = undefined;
    for (const callback of this.#onContinue) callback();
    goOn?.();
  }

  exit(): void {
    for (const callback of this.#onExit) callback();
  }
}
