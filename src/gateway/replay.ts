import type { ChatFrame } from './server-frames.ts';

/** Whom a frame is for: `asking` are clients that show `approval_request` frames, `unasked` those that do not. */
export type Audience = 'all' | 'asking' | 'unasked';

/** A frame as it was published. */
export interface Published {
  /** Grows with each frame of the session, and from process to process. */
  readonly seq: number;
  readonly frame: ChatFrame;
  readonly turnId?: string;
  readonly audience: Audience;
}

const mostFrames = 4000;
/** In UTF-16 units, roughly. */
const mostText = 256 * 1024;

/** The newest frames of a session, for clients that come back. It lives as long as the process does. */
export class Replay {
  #frames: Published[] = [];
  #size = 0;
  /** The newest frame that is not kept any more. */
  #forgotten: number;

  /** What is older than this is known to nobody. */
  constructor(before: number) {
    this.#forgotten = before;
  }

  add(published: Published): void {
    this.#frames.push(published);
    this.#size += sizeOf(published);
    if (this.#size <= mostText && this.#frames.length <= mostFrames) return;
    // A quarter at once: taking them away one by one would move all others each time.
    const kept = this.#frames.splice(0, Math.ceil(this.#frames.length / 4));
    this.#forgotten = kept.at(-1)?.seq ?? this.#forgotten;
    this.#size = this.#frames.reduce((sum, frame) => sum + sizeOf(frame), 0);
  }

  /** What was published after that one, and whether that is all of it. `newest`: the number of the newest frame. */
  since(seq: number, newest: number): { readonly frames: readonly Published[]; readonly isComplete: boolean } {
    // The clock was set back since: numbers of then say nothing of now.
    if (seq > newest) return { frames: this.#frames, isComplete: false };
    return { frames: this.#frames.filter((frame) => frame.seq > seq), isComplete: seq >= this.#forgotten };
  }
}

function sizeOf({ frame }: Published): number {
  switch (frame.type) {
    case 'chunk':
    case 'thinking':
      return 100 + frame.content.length;
    case 'done':
      return 100 + frame.full_response.length;
    case 'tool_result':
      return 100 + frame.output.length;
    case 'tool_call':
      return 100 + JSON.stringify(frame.args).length;
    case 'approval_request':
      return 1000 + frame.message.length + JSON.stringify(frame.arguments ?? {}).length;
    case 'approval_resolved':
      return 1000 + frame.message.length;
    default:
      return 1000;
  }
}
