/*
 * What happens in the daemon, told as it happens: for the log, the metrics and the traces. Ids, names, figures and instants,
 * never the text of a message, an argument or a secret. It is told after what it tells of is stored, and nobody waits for
 * who hears it: a listener may neither throw nor take time.
 */

import { type Signal, signal } from './lib/live.ts';
import type { Log } from './lib/log.ts';
import type { ClosingReason } from './transcript.ts';

/** Fields that several events have: instants are ms since 1970, durations ms, costs millionths of a dollar. */
interface OfRun {
  readonly runId: string;
  readonly conversationId: string;
}

/** Something came in, and is stored. `event`: Keyturn itself, or a program, has something for the model to read. */
export interface MessageReceived {
  readonly type: 'message_received';
  readonly conversationId: string;
  readonly channel: string;
  /** Of the inbox. */
  readonly messageId: string;
  readonly kind: 'message' | 'command' | 'action' | 'event';
}

export interface RunBegan extends OfRun {
  readonly type: 'run_began';
  readonly principal: string;
  /** The call that began this run, if one did. */
  readonly parentCallId: string | undefined;
  /** The conversation of that call. */
  readonly parentConversationId: string | undefined;
  /** Since the oldest message that it answers was stored. */
  readonly waited: number;
}

/** A run has answered, or was closed. `left`: it gave way to another run, and its calls are answered later. */
export interface RunEnded extends OfRun {
  readonly type: 'run_ended';
  readonly outcome: 'answered' | 'left' | ClosingReason;
  readonly duration: number;
  readonly calls: number;
  /** Requests to models. */
  readonly modelCalls: number;
}

/** One request to a model, with all its tries. The id of its run is empty if it is for none. */
export interface ModelAsked extends OfRun {
  readonly type: 'model_asked';
  /** Its name in the config, the provider, and the name that the provider knows. */
  readonly model: string;
  readonly provider: string;
  readonly modelId: string;
  /** `answered`, `stopped`, or the fault of the model. */
  readonly outcome: string;
  readonly duration: number;
  /** Until the first part of the answer. */
  readonly firstPart: number | undefined;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cost: number;
}

/** A call has its result. */
export interface CallEnded extends OfRun {
  readonly type: 'call_ended';
  readonly callId: string;
  readonly tool: string;
  readonly outcome: 'done' | 'failed' | 'denied' | 'expired' | 'refused' | 'stopped' | 'unknown';
  /** Of its work, without the time that people took. */
  readonly duration: number;
  readonly approvalId: string | undefined;
}

/** `question`: the model, or a running call, wants an answer · `extension`: a run wants to go beyond its bounds. */
type ApprovalKind = 'permission' | 'question' | 'extension';

export interface ApprovalRequested {
  readonly type: 'approval_requested';
  readonly conversationId: string;
  readonly approvalId: string;
  readonly kind: ApprovalKind;
  /** The first of its calls. Empty if it is about none. */
  readonly callId: string;
  readonly tool: string;
  readonly isDangerous: boolean;
}

export interface ApprovalDecided {
  readonly type: 'approval_decided';
  readonly conversationId: string;
  readonly approvalId: string;
  readonly kind: ApprovalKind;
  readonly callId: string;
  readonly tool: string;
  readonly decision: 'approved' | 'denied' | 'answered' | 'expired' | 'withdrawn';
  /** Who decided: a person, a program, or Keyturn. */
  readonly by: string;
  /** Since it was asked. */
  readonly waited: number;
}

/** Somebody has rights that they did not have, or no longer has them. */
export interface RightsChanged {
  readonly type: 'rights_changed';
  readonly change:
    | 'claimed'
    | 'paired'
    | 'let_in'
    | 'refused'
    | 'removed'
    | 'linked'
    | 'unlinked'
    | 'device_paired'
    | 'device_removed';
  /** Whose rights they are: a person or a device. */
  readonly subject: string;
  readonly by: string | undefined;
}

/** A message went out for the first time, or will not. `held`: it waits for a person, or until its chat takes something. */
export interface MessageDelivered {
  readonly type: 'message_delivered';
  readonly conversationId: string;
  readonly channel: string;
  readonly messageId: string;
  readonly kind: string;
  readonly outcome: 'sent' | 'failed' | 'held';
  readonly attempts: number;
  /** Since it was stored. */
  readonly waited: number;
}

export type TelemetryEvent =
  | MessageReceived
  | RunBegan
  | RunEnded
  | ModelAsked
  | CallEnded
  | ApprovalRequested
  | ApprovalDecided
  | RightsChanged
  | MessageDelivered;

/** Tells listeners what happens. */
export interface Telemetry {
  tell(event: TelemetryEvent): void;
  /** Returns a function that unsubscribes. What a listener throws goes to the log, once. */
  listen(listener: (event: TelemetryEvent) => void): () => void;
}

export function createTelemetry(log: Log): Telemetry {
  const told: Signal<TelemetryEvent> = signal();
  return {
    tell: told.tell,
    listen: (listener) => told.listen(guarded(listener, log)),
  };
}

function guarded(listener: (event: TelemetryEvent) => void, log: Log): (event: TelemetryEvent) => void {
  let hasFailed = false;
  return (event) => {
    try {
      listener(event);
    } catch (err) {
      if (!hasFailed) log.error({ err, event: event.type }, 'what happens could not be told to all who listen');
      hasFailed = true;
    }
  };
}
