import type { RawData, WebSocket } from 'ws';
import type { DevicesCore } from '../device-book.ts';
import type { ServerFrame } from './frames.ts';

/** Send buffer of a client that does not read, in bytes. */
const mostBuffered = 4 * 2 ** 20;
/** Unanswered pings before a socket is terminated. */
const mostMissed = 2;
/** Seconds' worth of frames that may arrive at once. */
const burst = 2;
/** How long the client may take to close, in ms. */
const patience = 1_000;

interface SocketEvents {
  readonly obey: (text: string) => Promise<void>;
  readonly failed: (error: unknown) => void;
  /** Called once, when no more frames come or go. */
  readonly closed: () => void;
}

/**
 * One WebSocket with a bounded send buffer, a rate limit on incoming frames, and a ping timeout. Its text frames are
 * obeyed one after the other.
 */
export class DeviceSocket {
  readonly #webSocket: WebSocket;
  readonly #core: DevicesCore;
  readonly #events: SocketEvents;
  readonly #frames: FrameQueue;
  #isOpen = true;
  #isMute = true;
  #missed = 0;
  /** When the last data frame came; pongs do not count. */
  #heardAt: number;
  #allowance: number;
  #countedAt: number;
  #callOff: () => void;

  constructor(webSocket: WebSocket, core: DevicesCore, events: SocketEvents) {
    this.#webSocket = webSocket;
    this.#core = core;
    this.#events = events;
    const { hello_secs, max_frames_per_sec } = core.own.gateway;
    this.#heardAt = core.clock.now();
    this.#countedAt = this.#heardAt;
    this.#allowance = max_frames_per_sec * burst;
    this.#callOff = core.clock.after(hello_secs * 1000, () => this.close(1008, 'You said nothing. Come again.'));
    this.#frames = new FrameQueue({
      failed: (error) => events.failed(error),
      isOpen: () => this.#isOpen,
      hold: (isHeld) => (isHeld ? webSocket.pause() : webSocket.resume()),
    });
    webSocket.on('message', (data, isBinary) => this.#take(data, isBinary));
    webSocket.on('ping', () => this.#takes());
    webSocket.on('pong', () => this.#takes());
    // An oversized or malformed frame: the library has closed the socket with a reason.
    webSocket.on('error', () => webSocket.terminate());
    webSocket.on('close', () => this.#end());
  }

  isOpen(): boolean {
    return this.#isOpen;
  }

  /** Queues work before the frames that come later. */
  first(work: () => Promise<void>): void {
    this.#frames.add(0, work);
  }

  /** Returns false once nothing can be sent. A client that does not read is cut off. */
  send(frame: ServerFrame): boolean {
    if (!this.#isOpen) return false;
    if (this.#webSocket.bufferedAmount > mostBuffered) {
      this.close(1013, 'You do not read what you are sent. Come again.');
      this.#webSocket.terminate();
      return false;
    }
    const text = JSON.stringify(frame);
    // Arguments of a device's own tool stay as the model wrote them: a redacted call would do something else.
    this.#webSocket.send(frame.type === 'tool_call_request' ? text : this.#core.redact(text));
    return true;
  }

  /** WebSocket codes: 1001 going away, 1008 policy violation, 1011 internal error, 1013 try again later. */
  close(code: number, reason: string): void {
    if (!this.#isOpen) return;
    const webSocket = this.#webSocket;
    webSocket.close(code, reason);
    this.#end();
    webSocket.once(
      'close',
      this.#core.clock.after(patience, () => webSocket.terminate()),
    );
  }

  #take(data: RawData, isBinary: boolean): void {
    if (!this.#takes()) return;
    this.#heardAt = this.#core.clock.now();
    if (isBinary) return;
    if (this.#isMute) this.#pingLater();
    this.#isMute = false;
    const text = String(data);
    this.#frames.add(text.length, () => this.#events.obey(text));
  }

  /** Counts a frame of any kind. Returns false if it must be dropped. */
  #takes(): boolean {
    if (!this.#isOpen) return false;
    const { max_frames_per_sec: perSecond } = this.#core.own.gateway;
    const now = this.#core.clock.now();
    const gained = ((now - this.#countedAt) / 1000) * perSecond;
    this.#allowance = Math.min(perSecond * burst, this.#allowance + gained) - 1;
    this.#countedAt = now;
    this.#missed = 0;
    if (this.#allowance >= 0) return true;
    this.close(1008, 'Too many frames. See gateway.max_frames_per_sec.');
    return false;
  }

  /** Pings the client; cuts it off if it left earlier pings unanswered, or was idle too long. */
  #pingLater(): void {
    this.#callOff();
    this.#callOff = this.#core.clock.after(this.#core.own.gateway.ping_secs * 1000, () => this.#ping());
  }

  #ping(): void {
    if (this.#missed >= mostMissed) {
      this.#webSocket.terminate();
      this.#end();
      return;
    }
    if (this.#core.clock.now() - this.#heardAt > this.#core.own.gateway.idle_secs * 1000) {
      this.close(1001, 'Nothing was said for long. Come again.');
      return;
    }
    this.#missed += 1;
    this.#webSocket.ping();
    this.#pingLater();
  }

  /** Ends the socket on our side at once, without waiting for the client. */
  #end(): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    this.#callOff();
    this.#events.closed();
  }
}

/** Reading pauses while more frames wait, or more UTF-16 units of text. */
const mostWaiting = 500;
const mostText = 8 * 2 ** 20;

interface QueueEvents {
  /** An internal error. */
  readonly failed: (error: unknown) => void;
  readonly isOpen: () => boolean;
  /** Pauses or resumes reading. */
  readonly hold: (isHeld: boolean) => void;
}

/** Handles the frames of a socket one at a time, in order, while it is open. */
export class FrameQueue {
  readonly #events: QueueEvents;
  #waiting = 0;
  #text = 0;
  #isHeld = false;
  #before = Promise.resolve();

  constructor(events: QueueEvents) {
    this.#events = events;
  }

  /** Queues work without waiting for it. `length`: of the frame's text. */
  add(length: number, work: () => Promise<void>): void {
    this.#count(1, length);
    this.#before = this.#before.then(async () => {
      try {
        if (this.#events.isOpen()) await work();
      } catch (error) {
        this.#events.failed(error);
      } finally {
        this.#count(-1, -length);
      }
    });
  }

  #count(frames: number, length: number): void {
    this.#waiting += frames;
    this.#text += length;
    const isTooMuch = this.#waiting > mostWaiting || this.#text > mostText;
    if (isTooMuch !== this.#isHeld) this.#events.hold(isTooMuch);
    this.#isHeld = isTooMuch;
  }
}
