import type { WebSocket } from 'ws';
import type { FeatureCore } from '../../../feature-points.ts';
import { deviceSettings } from '../settings.ts';
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
 * One WebSocket with a bounded send buffer, a rate limit on incoming frames, and a ping timeout. Its text frames are
 * obeyed one after the other. `closed`: called once, when no more frames come or go.
 */
export function deviceSocket(
  webSocket: WebSocket,
  { settings, redact, clock }: FeatureCore,
  {
    obey,
    failed,
    closed,
  }: {
    readonly obey: (text: string) => Promise<void>;
    readonly failed: (error: unknown) => void;
    readonly closed: () => void;
  },
) {
  const own = settings(deviceSettings);
  let isOpen = true;
  let isMute = true;
  let missed = 0;
  /** When the last data frame came; pongs do not count. */
  let heardAt = clock.now();
  let allowance = own.gateway.max_frames_per_sec * burst;
  let countedAt = heardAt;
  let callOff = clock.after(own.gateway.hello_secs * 1000, () => close(1008, 'You said nothing. Come again.'));
  const frames = frameQueue({
    failed,
    isOpen: () => isOpen,
    hold: (isHeld) => (isHeld ? webSocket.pause() : webSocket.resume()),
  });

  webSocket.on('message', (data, isBinary) => {
    if (!takes()) return;
    heardAt = clock.now();
    if (isBinary) return;
    if (isMute) pingLater();
    isMute = false;
    const text = String(data);
    frames.add(text.length, () => obey(text));
  });
  webSocket.on('ping', takes);
  webSocket.on('pong', takes);
  // An oversized or malformed frame: the library has closed the socket with a reason.
  webSocket.on('error', () => webSocket.terminate());
  webSocket.on('close', end);

  /** Pings the client; cuts it off if it left earlier pings unanswered, or was idle too long. */
  function pingLater(): void {
    callOff();
    callOff = clock.after(own.gateway.ping_secs * 1000, () => {
      if (missed >= mostMissed) {
        webSocket.terminate();
        return end();
      }
      if (clock.now() - heardAt > own.gateway.idle_secs * 1000)
        return close(1001, 'Nothing was said for long. Come again.');
      missed += 1;
      webSocket.ping();
      pingLater();
    });
  }

  /** Ends the socket on our side at once, without waiting for the client. */
  function end(): void {
    if (!isOpen) return;
    isOpen = false;
    callOff();
    closed();
  }

  /** Counts a frame of any kind. Returns false if it must be dropped. */
  function takes(): boolean {
    if (!isOpen) return false;
    const { max_frames_per_sec: perSecond } = own.gateway;
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

    isOpen: (): boolean => isOpen,

    /** Queues work before the frames that come later. */
    first: (work: () => Promise<void>): void => frames.add(0, work),

    /** WebSocket codes: 1001 going away, 1008 policy violation, 1011 internal error, 1013 try again later. */
    close,
  };
}

/** Reading pauses while more frames wait, or more UTF-16 units of text. */
const mostWaiting = 500;
const mostText = 8 * 2 ** 20;

/**
 * Handles the frames of a socket one at a time, in order, while it is open. `failed`: an internal error. `hold`: pauses
 * or resumes reading.
 */
export function frameQueue({
  failed,
  isOpen,
  hold,
}: {
  readonly failed: (error: unknown) => void;
  readonly isOpen: () => boolean;
  readonly hold: (isHeld: boolean) => void;
}) {
  let waiting = 0;
  let text = 0;
  let isHeld = false;
  let before = Promise.resolve();

  function count(frames: number, length: number): void {
    waiting += frames;
    text += length;
    const isTooMuch = waiting > mostWaiting || text > mostText;
    if (isTooMuch !== isHeld) hold(isTooMuch);
    isHeld = isTooMuch;
  }

  return {
    /** Queues work without waiting for it. `length`: of the frame's text. */
    add(length: number, work: () => Promise<void>): void {
      count(1, length);
      before = before.then(async () => {
        try {
          if (isOpen()) await work();
        } catch (error) {
          failed(error);
        } finally {
          count(-1, -length);
        }
      });
    },
  };
}
