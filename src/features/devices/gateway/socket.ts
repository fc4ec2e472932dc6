import type { WebSocket } from 'ws';
import type { FeatureCore } from '../../../feature-points.ts';
import type { ServerFrame } from './frames.ts';

/** The config as it is now: an edit of a limit holds for what is open. */
export type SocketParts = Pick<FeatureCore, 'config' | 'redact' | 'clock'>;

/** `heard`: each text frame. `closed`: once, when nothing more comes or goes. */
interface SocketEvents {
  readonly heard: (text: string) => void;
  readonly closed: () => void;
}

/** More than this, in bytes, is not kept for a client that does not read. */
const mostBuffered = 4 * 2 ** 20;
/** So many pings it may leave without an answer. */
const mostMissed = 2;
/** How many seconds' worth of frames may come at once. */
const burst = 2;
/** How long the other side may take to close, in milliseconds. */
const patience = 1_000;

/** One WebSocket: outgoing frames are bounded, incoming ones are counted, and a silent one is noticed. */
export class DeviceSocket {
  readonly #webSocket: WebSocket;
  readonly #parts: SocketParts;
  readonly #events: SocketEvents;
  #isOpen = true;
  #missed = 0;
  /** When the last data frame came: pongs do not count. */
  #heardAt: number;
  #allowance: number;
  #countedAt: number;

  constructor(webSocket: WebSocket, parts: SocketParts, events: SocketEvents) {
    this.#webSocket = webSocket;
    this.#parts = parts;
    this.#events = events;
    this.#heardAt = parts.clock.now();
    this.#countedAt = this.#heardAt;
    this.#allowance = parts.config.gateway.max_frames_per_sec * burst;
    webSocket.on('message', (data, isBinary) => {
      if (!this.#takes()) return;
      this.#heardAt = parts.clock.now();
      if (!isBinary) events.heard(String(data));
    });
    webSocket.on('ping', () => this.#takes());
    webSocket.on('pong', () => this.#takes());
    // A frame that is too long, or none at all: the library has closed it, and says why.
    webSocket.on('error', () => webSocket.terminate());
    webSocket.on('close', () => this.#end());
  }

  /** False if nothing can be sent any more. A client that does not read is cut off. */
  send(frame: ServerFrame): boolean {
    if (!this.#isOpen) return false;
    if (this.#webSocket.bufferedAmount > mostBuffered) {
      this.close(1013, 'You do not read what you are sent. Come again.');
      this.#webSocket.terminate();
      return false;
    }
    const text = JSON.stringify(frame);
    // The arguments of a device's own tool are what the model has asked for: changed, the call would do something else.
    this.#webSocket.send(frame.type === 'tool_call_request' ? text : this.#parts.redact(text));
    return true;
  }

  /** Reads nothing for a while, or goes on reading. */
  hold(isHeld: boolean): void {
    if (isHeld) this.#webSocket.pause();
    else this.#webSocket.resume();
  }

  /** The codes are those of WebSocket: 1001 going away, 1008 against the rules, 1011 our fault, 1013 try again later. */
  close(code: number, reason: string): void {
    if (!this.#isOpen) return;
    this.#webSocket.close(code, reason);
    this.#end();
    this.#webSocket.once(
      'close',
      this.#parts.clock.after(patience, () => this.#webSocket.terminate()),
    );
  }

  /** Asks whether it is there, and cuts it off if it was not before. */
  ping(): void {
    if (!this.#isOpen) return;
    const { clock, config } = this.#parts;
    if (this.#missed >= mostMissed) {
      this.#webSocket.terminate();
      this.#end();
    } else if (clock.now() - this.#heardAt > config.gateway.idle_secs * 1000) {
      this.close(1001, 'Nothing was said for long. Come again.');
    } else {
      this.#missed += 1;
      this.#webSocket.ping();
    }
  }

  /** For us it is over at once, whatever the other side still has to say. */
  #end(): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    this.#events.closed();
  }

  /** Counts a frame of any kind. False if nothing is taken any more. */
  #takes(): boolean {
    if (!this.#isOpen) return false;
    const { max_frames_per_sec: perSecond } = this.#parts.config.gateway;
    const now = this.#parts.clock.now();
    const gained = ((now - this.#countedAt) / 1000) * perSecond;
    this.#allowance = Math.min(perSecond * burst, this.#allowance + gained) - 1;
    this.#countedAt = now;
    this.#missed = 0;
    if (this.#allowance >= 0) return true;
    this.close(1008, 'Too many frames. See gateway.max_frames_per_sec.');
    return false;
  }
}

interface QueueEvents {
  /** Something went wrong inside Keyturn. */
  readonly failed: (error: unknown) => void;
  /** More is asked for than can wait. */
  readonly overflowed: () => void;
  /** The socket must not be read for a while, or may be again. */
  readonly hold: (isHeld: boolean) => void;
}

/** So many frames may wait to be obeyed, and so much text; beyond that, no more is read until some were obeyed. */
const mostWaiting = 500;
const mostText = 8 * 2 ** 20;

/** Obeys the frames of a socket one after the other, in their order. */
export class FrameQueue {
  readonly #events: QueueEvents;
  #waiting = 0;
  #text = 0;
  #work = Promise.resolve();
  #isClosed = false;

  constructor(events: QueueEvents) {
    this.#events = events;
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** Never waits: the work is done after the work before it. `length`: of the frame's text. */
  add(length: number, work: () => Promise<void> | void): void {
    if (this.#waiting >= mostWaiting) {
      this.#events.overflowed();
      return;
    }
    this.#count(1, length);
    this.#work = this.#work.then(async () => {
      try {
        if (!this.#isClosed) await work();
      } catch (error) {
        this.#events.failed(error);
      } finally {
        this.#count(-1, -length);
      }
    });
  }

  /** Frames that wait are not obeyed any more. */
  close(): void {
    this.#isClosed = true;
  }

  #count(frames: number, text: number): void {
    const wasHeld = this.#text > mostText;
    this.#waiting += frames;
    this.#text += text;
    const isHeld = this.#text > mostText;
    if (isHeld !== wasHeld) this.#events.hold(isHeld);
  }
}
