import type { WebSocket } from 'ws';
import type { Clock } from '../lib/clock.ts';
import type { ServerFrame } from './server-frames.ts';

export interface SocketSettings {
  /** How many frames a second it may send for long. */
  readonly framesPerSecond: number;
  /** How long it may say nothing, in milliseconds. */
  readonly idle: number;
}

export interface DeviceSocketDependencies {
  readonly webSocket: WebSocket;
  readonly clock: Clock;
  readonly settings: SocketSettings;
  /** Told of each text frame. */
  readonly heard: (text: string) => void;
  /** Told once that nothing more comes or goes. */
  readonly closed: () => void;
}

/** More than this, in bytes, is not kept for somebody who does not read. */
const mostBuffered = 4 * 2 ** 20;
/** So many times it may be silent when it is asked whether it is there. */
const mostMissed = 2;
/** How many seconds' worth of frames may come at once. */
const burst = 2;

/** One WebSocket: what is sent is bounded, what comes is counted, and a silent one is noticed. */
export class DeviceSocket {
  readonly #dependencies: DeviceSocketDependencies;
  #isOpen = true;
  #missed = 0;
  /** When something was said last: that it is there is not said. */
  #heardAt: number;
  #allowance: number;
  #countedAt: number;

  constructor(dependencies: DeviceSocketDependencies) {
    this.#dependencies = dependencies;
    const { webSocket, clock, settings } = dependencies;
    this.#heardAt = clock.now();
    this.#countedAt = this.#heardAt;
    this.#allowance = settings.framesPerSecond * burst;
    webSocket.on('message', (data, isBinary) => {
      if (!this.#takes()) return;
      this.#heardAt = clock.now();
      if (!isBinary) dependencies.heard(String(data));
    });
    webSocket.on('ping', () => this.#takes());
    webSocket.on('pong', () => this.#takes());
    // A frame that is too long, or none at all: the library has closed it, and says why.
    webSocket.on('error', () => webSocket.terminate());
    webSocket.on('close', () => this.#end());
  }

  /** False if nothing can be sent any more. One that does not read is cut off. */
  send(frame: ServerFrame): boolean {
    if (!this.#isOpen) return false;
    const { webSocket } = this.#dependencies;
    if (webSocket.bufferedAmount > mostBuffered) {
      this.close(1013, 'You do not read what you are sent. Come again.');
      webSocket.terminate();
      return false;
    }
    webSocket.send(JSON.stringify(frame));
    return true;
  }

  /** Reads nothing for a while, or goes on reading. */
  hold(isHeld: boolean): void {
    const { webSocket } = this.#dependencies;
    if (isHeld) webSocket.pause();
    else webSocket.resume();
  }

  /** The codes are those of WebSocket: 1001 going away, 1008 against the rules, 1011 our fault, 1013 try again later. */
  close(code: number, reason: string): void {
    if (!this.#isOpen) return;
    const { webSocket, clock } = this.#dependencies;
    webSocket.close(code, reason);
    this.#end();
    const cancel = clock.after(patience, () => webSocket.terminate());
    webSocket.once('close', cancel);
  }

  /** Ends it without a word. */
  cut(): void {
    this.#dependencies.webSocket.terminate();
    this.#end();
  }

  /** Asks whether it is there, and cuts it off if it was not before. */
  ping(): void {
    if (!this.#isOpen) return;
    const { webSocket, clock, settings } = this.#dependencies;
    if (this.#missed >= mostMissed) {
      this.cut();
    } else if (clock.now() - this.#heardAt > settings.idle) {
      this.close(1001, 'Nothing was said for long. Come again.');
    } else {
      this.#missed += 1;
      webSocket.ping();
    }
  }

  /** For us it is over at once, whatever the other side still has to say. */
  #end(): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    this.#dependencies.closed();
  }

  /** Counts a frame, of whichever kind. False if nothing is taken any more. */
  #takes(): boolean {
    if (!this.#isOpen) return false;
    const { clock, settings } = this.#dependencies;
    const now = clock.now();
    const gained = ((now - this.#countedAt) / 1000) * settings.framesPerSecond;
    this.#allowance = Math.min(settings.framesPerSecond * burst, this.#allowance + gained) - 1;
    this.#countedAt = now;
    this.#missed = 0;
    if (this.#allowance >= 0) return true;
    this.close(1008, 'Too many frames. See gateway.max_frames_per_sec.');
    return false;
  }
}

/** How long the other side may take to close, in milliseconds. */
const patience = 1_000;
