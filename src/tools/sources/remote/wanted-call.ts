import type { JsonObject } from '../../../lib/json.ts';
import type { DeviceAnswer } from './device-answer.ts';

/** A call of a device's tool. Whichever socket of the device has the tool is asked. */
export interface WantedCall {
  readonly device: { readonly id: string; readonly name: string };
  /** The device's name of it. */
  readonly tool: string;
  /** The definition that is called: see `ToolSpec`. */
  readonly fingerprint: string;
  readonly args: JsonObject;
  readonly callId: string;
  /** How long it may give no sign of life, in milliseconds. */
  readonly timeout: number;
  /** It may be asked again where nobody knows what came of it. */
  readonly isIdempotent: boolean;
  readonly signal: AbortSignal;
  progress(status: string): void;
}

/** Why a call that was asked is over without an answer. */
export type Interruption = 'timed-out' | 'stopped';

/** What became of a call, as far as its device goes. */
export type DeviceOutcome =
  | { readonly type: 'answered'; readonly answer: DeviceAnswer }
  /** It answered with what cannot be taken. */
  | { readonly type: 'invalid'; readonly why: string }
  | { readonly type: Interruption }
  /** The device went away while it worked on it. */
  | { readonly type: 'lost' }
  /** It was never asked. */
  | { readonly type: 'absent' }
  /** The device has defined the tool anew since, and was not asked again. */
  | { readonly type: 'changed'; readonly wasAsked: boolean };
