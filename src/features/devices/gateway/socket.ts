import type { WebSocket } from 'ws';
import type { FeatureCore } from '../../../feature-points.ts';
import type { ServerFrame } from './frames.ts';

/** Send buffer of a client that does not read, in bytes. */
const mostBuffered = 4 * 2 ** 20;
/** Unanswered pings before a socket is terminated. */
const mostMissed = 2;
/** Seconds' worth of frames that may arrive at once. */
const burst = 2;
/** How long the client may take to close, in ms. */
const patience = 1_000;

/**
 * One WebSocket with a bounded send buffer, a rate limit on incoming frames, and a ping timeout. `heard`: each text
 * frame. `closed`: once, when no more frames come or go.
 */
export function deviceSocket(
  webSocket: WebSocket,
  { config, redact, clock }: FeatureCore,
  events: { readonly heard: (text: string) => void; readonly closed: () => void },
) {
  let isOpen = true;
  let missed = 0;
  /** When the last data frame came; pongs do not count. */
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
  // An oversized or malformed frame: the library has closed the socket with a reason.
  webSocket.on('error', () => webSocket.terminate());
  webSocket.on('close', end);

  /** Ends the socket on our side at once, without waiting for the client. */
  function end(): void {
    if (!isOpen) return;
    isOpen = false;
    events.closed();
  }

  /** Counts a frame of any kind. Returns false if it must be dropped. */
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
    /** Returns false once nothing can be sent. A client that does not read is cut off. */
    send(frame: ServerFrame): boolean {
      if (!isOpen) return false;
      if (webSocket.bufferedAmount > mostBuffered) {
        close(1013, 'You do not read what you are sent. Come again.');
        webSocket.terminate();
        return false;
      }
      const text = JSON.stringify(frame);
      // Arguments of a device's own tool stay as the model wrote them: a redacted call would do something else.
      webSocket.send(frame.type === 'tool_call_request' ? text : redact(text));
      return true;
    },

    /** Pauses or resumes reading. */
    hold: (isHeld: boolean): void => (isHeld ? webSocket.pause() : webSocket.resume()),

    /** WebSocket codes: 1001 going away, 1008 policy violation, 1011 internal error, 1013 try again later. */
    close,

    /** Pings the client; cuts it off if it left earlier pings unanswered, or was idle too long. */
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

/** Reading pauses while more frames wait, or more UTF-16 units of text. */
const mostWaiting = 500;
const mostText = 8 * 2 ** 20;

/**
 * Handles the frames of a socket one at a time, in order. `failed`: an internal error. `hold`: pauses or resumes reading
 * from the socket.
 */
export function frameQueue(failed: (error: unknown) => void, hold: (isHeld: boolean) => void) {
  let waiting = 0;
  let text = 0;
  let isHeld = false;
  let before = Promise.resolve();
  let isClosed = false;

  function count(frames: number, length: number): void {
    waiting += frames;
    text += length;
    const isTooMuch = waiting > mostWaiting || text > mostText;
    if (isTooMuch !== isHeld) hold(isTooMuch);
    isHeld = isTooMuch;
  }

  return {
    isClosed: (): boolean => isClosed,

    /** Queues work without waiting for it. `length`: of the frame's text. */
    add(length: number, work: () => Promise<void> | void): void {
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

    /** Drops queued frames. */
    close(): void {
      isClosed = true;
    },
  };
}
