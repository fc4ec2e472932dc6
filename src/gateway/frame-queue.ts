export interface FrameQueueDependencies {
  /** Something went wrong inside Keyturn. */
  readonly failed: (error: unknown) => void;
  /** More is asked for than can wait. */
  readonly overflowed: () => void;
  /** The socket is not to be read for a while, or again. */
  readonly hold: (isHeld: boolean) => void;
}

/** So many frames may wait to be obeyed, and so much text; beyond that, no more is read until some were obeyed. */
const mostWaiting = 500;
const mostText = 8 * 2 ** 20;

/** Obeys the frames of a socket one after the other, in their order. */
export class FrameQueue {
  readonly #dependencies: FrameQueueDependencies;
  #waiting = 0;
  #text = 0;
  #work = Promise.resolve();
  #isClosed = false;

  constructor(dependencies: FrameQueueDependencies) {
    this.#dependencies = dependencies;
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** Never waits: the work is done after what came before. `length`: of the frame's text. */
  add(length: number, work: () => Promise<void> | void): void {
    if (this.#waiting >= mostWaiting) {
      this.#dependencies.overflowed();
      return;
    }
    this.#count(1, length);
    this.#work = this.#work.then(async () => {
      try {
        if (!this.#isClosed) await work();
      } catch (error) {
        this.#dependencies.failed(error);
      } finally {
        this.#count(-1, -length);
      }
    });
  }

  /** Nothing that waits is obeyed any more. */
  close(): void {
    this.#isClosed = true;
  }

  #count(frames: number, text: number): void {
    const wasHeld = this.#text > mostText;
    this.#waiting += frames;
    this.#text += text;
    const isHeld = this.#text > mostText;
    if (isHeld !== wasHeld) this.#dependencies.hold(isHeld);
  }
}
