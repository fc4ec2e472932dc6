import type { WebSocketClass, WebSocketLike } from '@keyturn/client';
import type { Signal } from '@preact/signals';

/** How much is on its way to the daemon, in bytes: `left` of `total`. */
export interface SocketLoad {
  readonly total: Signal<number>;
  readonly left: Signal<number>;
}

/** Smaller ones are there at once. */
const large = 64 * 1024;

/** The browser's WebSocket, which tells how much of what was sent has left. */
export function trackedSocket(load: SocketLoad): WebSocketClass {
  return class extends WebSocket implements WebSocketLike {
    #frame = 0;

    override send(text: string): void {
      super.send(text);
      if (this.bufferedAmount < large) return;
      load.total.value += text.length;
      this.#look();
    }

    #look(): void {
      cancelAnimationFrame(this.#frame);
      const left = this.readyState === WebSocket.OPEN ? this.bufferedAmount : 0;
      load.left.value = left;
      if (left === 0) load.total.value = 0;
      else this.#frame = requestAnimationFrame(() => this.#look());
    }
  };
}
