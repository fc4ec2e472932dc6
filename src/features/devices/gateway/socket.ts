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
export function deviceSocket(webSocket: WebSocket, { config, redact, clock }: SocketParts, events: SocketEvents) {
  let isOpen = true;
  let missed = 0;
  /** When the last data frame came: pongs do not count. */
  let heardAt = clock.now();
  let allowance = config.gateway.max_frames_per_sec * burst;
  let countedAt = heardAt;

  webSocket.on('message', (data, isBinary) => {
    if (!takes()) return;
    heardAt = clock.now();
    if (!isBinary) events.heard(String(data));
  });
  webSocket.on('ping', takes);
  webSocket.on('pong', takes);
  // A frame that is too long, or none at all: the library has closed it, and says why.
  webSocket.on('error', () => webSocket.terminate());
  webSocket.on('close', end);

  /** For us it is over at once, whatever the other side still has to say. */
  function end(): void {
    if (!isOpen) return;
    isOpen = false;
    events.closed();
  }

  /** Counts a frame of any kind. False if nothing is taken any more. */
  function takes(): boolean {
    if (!isOpen) return false;
    const { max_frames_per_sec: perSecond } = config.gateway;
    const now = clock.now();
    const gained = ((now - countedAt) / 1000) * perSecond;
    allowance = Math.min(perSecond * burst, allowance + gained) - 1;
    countedAt = now;
    missed = 0;
    if (allowance >= 0) return true;
    close(1008, 'Too many frames. See gateway.max_frames_per_sec.');
    return false;
  }

  function close(code: number, reason: string): void {
    if (!isOpen) return;
    webSocket.close(code, reason);
    end();
    webSocket.once(
      'close',
      clock.after(patience, () => webSocket.terminate()),
    );
  }

  return {
    /** False if nothing can be sent any more. A client that does not read is cut off. */
    send(frame: ServerFrame): boolean {
      if (!isOpen) return false;
      if (webSocket.bufferedAmount > mostBuffered) {
        close(1013, 'You do not read what you are sent. Come again.');
        webSocket.terminate();
        return false;
      }
      const text = JSON.stringify(frame);
      // The arguments of a device's own tool are what the model has asked for: changed, the call would do something else.
      webSocket.send(frame.type === 'tool_call_request' ? text : redact(text));
      return true;
    },

    /** Reads nothing for a while, or goes on reading. */
    hold: (isHeld: boolean): void => (isHeld ? webSocket.pause() : webSocket.resume()),

    /** The codes are those of WebSocket: 1001 going away, 1008 against the rules, 1011 our fault, 1013 try again later. */
    close,

    /** Asks whether it is there, and cuts it off if it was not before. */
    ping(): void {
      if (!isOpen) return;
      if (missed >= mostMissed) {
        webSocket.terminate();
        end();
      } else if (clock.now() - heardAt > config.gateway.idle_secs * 1000) {
        close(1001, 'Nothing was said for long. Come again.');
      } else {
        missed += 1;
        webSocket.ping();
      }
    },
  };
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
export function frameQueue({ failed, overflowed, hold }: QueueEvents) {
  let waiting = 0;
  let text = 0;
  let before = Promise.resolve();
  let isClosed = false;

  function count(frames: number, length: number): void {
    const wasHeld = text > mostText;
    waiting += frames;
    text += length;
    const isHeld = text > mostText;
    if (isHeld !== wasHeld) hold(isHeld);
  }

  return {
    isClosed: (): boolean => isClosed,

    /** Never waits: the work is done after the work before it. `length`: of the frame's text. */
    add(length: number, work: () => Promise<void> | void): void {
      if (waiting >= mostWaiting) {
        overflowed();
        return;
      }
      count(1, length);
      before = before.then(async () => {
        try {
          if (!isClosed) await work();
        } catch (error) {
          failed(error);
        } finally {
          count(-1, -length);
        }
      });
    },

    /** Frames that wait are not obeyed any more. */
    close(): void {
      isClosed = true;
    },
  };
}
