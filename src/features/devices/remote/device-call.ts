import type { Device } from '../../../conversation/access/access.ts';
import { type Clock, onAbort } from '../../../lib/clock.ts';
import type { JsonObject } from '../../../lib/json.ts';
import type { ToolRegistration } from '../../../tools/registry.ts';
import type { ResultFile } from '../../../tools/sources/keep-files.ts';
import type { ToolCategory, ToolContext } from '../../../tools/tool.ts';

/** A tool as a device described it, cleaned for models. */
export interface ToolSpec {
  /** The device's name for it. */
  readonly name: string;
  readonly description: string;
  /** JSON Schema of an object. */
  readonly parameters: JsonObject;
  /** Hash of the whole description: another fingerprint means another tool. */
  readonly fingerprint: string;
}

/** A tool of a device, with the operator's settings for it. */
export interface DeviceTool {
  /** Its tools belong to the person who paired it. */
  readonly device: Pick<Device, 'id' | 'name' | 'principal'>;
  readonly spec: ToolSpec;
  readonly category: ToolCategory;
  /** How long the device may be silent, in ms. */
  readonly timeout: number;
  /** Whether it may be retried after an unknown outcome. */
  readonly isIdempotent: boolean;
}

export interface OfferedTool extends DeviceTool {
  /** Increases with each offered tool. */
  readonly order: number;
  /** The tool under the name that its person's chats use. Returns the same object for the same name. */
  readonly registeredAs: (name: string) => ToolRegistration;
}

/** A call of a device's tool. Any socket of the device that offers the tool may serve it. */
export interface WantedCall extends Pick<ToolContext, 'callId' | 'signal' | 'progress'> {
  readonly tool: DeviceTool;
  readonly args: JsonObject;
}

/** Why a call ended without an answer. */
export type Interruption = 'timed-out' | 'stopped';

/** The outcome of a call on the device. */
export type DeviceOutcome =
  | DeviceAnswer
  | InvalidAnswer
  | { readonly type: Interruption }
  /** The device disconnected during the call. */
  | { readonly type: 'lost' }
  /** No device was asked. */
  | { readonly type: 'absent' }
  /** The device has changed the tool since, and was not asked again. */
  | { readonly type: 'changed'; readonly wasAsked: boolean };

export interface DeviceAnswer {
  readonly type: 'answered';
  readonly succeeded: boolean;
  readonly parts: readonly (string | ResultFile)[];
}

/** Its answer is malformed. `why`: half a sentence. */
export interface InvalidAnswer {
  readonly type: 'invalid';
  readonly why: string;
}

/** Upper bound for a call, whatever its progress, in ms. */
const longestCall = 600_000;

/** A timeout that each sign of life renews, up to `longestCall` in total. */
export class Patience {
  readonly #clock: Clock;
  readonly #timeout: number;
  readonly #last: number;
  readonly #over = new AbortController();
  readonly #unlisten: () => void;
  #until = 0;
  #cancel: (() => void) | undefined;

  /** `timeout`: in ms. `stopped`: the signal of the call. */
  constructor(clock: Clock, timeout: number, stopped: AbortSignal) {
    this.#clock = clock;
    this.#timeout = timeout;
    this.#last = clock.now() + longestCall;
    // The runner aborts a call whose time is up with a `TimeoutError`.
    this.#unlisten = onAbort(stopped, () =>
      this.#over.abort(stopped.reason?.name === 'TimeoutError' ? 'timed-out' : 'stopped'),
    );
    this.renew();
  }

  /** Aborts when the time is over, or with the call. */
  get interruption(): AbortSignal {
    return this.#over.signal;
  }

  get whyInterrupted(): Interruption {
    return this.#over.signal.reason === 'timed-out' ? 'timed-out' : 'stopped';
  }

  /** Time left, in ms. */
  left(): number {
    return Math.max(0, this.#until - this.#clock.now());
  }

  /** Restarts the timeout. */
  renew(): void {
    this.#cancel?.();
    this.#until = Math.min(this.#clock.now() + this.#timeout, this.#last);
    this.#cancel = this.#clock.after(this.left(), () => this.#over.abort('timed-out'));
  }

  stop(): void {
    this.#unlisten();
    this.#cancel?.();
  }
}
