import type { ToolStatus } from '../contract.ts';
import type { JsonValue } from '../lib/json.ts';
import { shortened } from '../lib/plain-text.ts';

/** A call whose status is tracked. */
interface TrackedCall {
  readonly id: string;
  readonly prepared: { readonly toolName: string };
}

/**
 * Tracks the status of a call: wait, doing, then success or error. Drops steps back and repetitions. A tip stays until
 * the next one.
 */
export class CallStatus {
  readonly #call: TrackedCall;
  readonly #listener: (status: ToolStatus) => void;
  #current: ToolStatus | undefined;

  constructor(call: TrackedCall, listener: (status: ToolStatus) => void) {
    this.#call = call;
    this.#listener = listener;
  }

  wait(tip?: string): void {
    this.#go('wait', tip);
  }

  doing(tip?: string): void {
    this.#go('doing', tip);
  }

  /** The duration in ms. `isStopped`: somebody called it off. */
  end(succeeded: boolean, duration: number, isStopped = false): void {
    this.#go(succeeded ? 'success' : 'error', undefined, { duration, isStopped: isStopped || undefined });
  }

  #go(state: State, tip: string | undefined, end: Pick<ToolStatus, 'duration' | 'isStopped'> = {}): void {
    const current = this.#current;
    const shown = tip ?? current?.tip;
    if (current !== undefined && !mayFollow(state, current.state)) return;
    if (current?.state === state && current.tip === shown) return;
    const { id: callId, prepared } = this.#call;
    const next: ToolStatus = { callId, toolName: prepared.toolName, state, tip: shown, ...end };
    this.#current = next;
    this.#listener(next);
  }
}

type State = ToolStatus['state'];

const rank = { wait: 0, doing: 1, success: 2, error: 2 } as const satisfies Record<State, number>;

/** Whether a call may go from `current` to `state`: only forward, and never after the end. */
export function mayFollow(state: State, current: State): boolean {
  return rank[current] < rank.success && rank[state] >= rank[current];
}

/** The arguments as JSON on one line, cut at the end. Undefined if there are none yet. */
export function argumentsSoFar(args: JsonValue): string | undefined {
  // Long texts are cut before they are serialised: the arguments grow with every token.
  const json = JSON.stringify(args, (_key, part: unknown) =>
    typeof part === 'string' ? shortened(part, mostArguments) : part,
  );
  return json === '{}' || json === '""' ? undefined : shortened(json, mostArguments);
}

/** How much of the arguments is shown, in UTF-16 units. */
const mostArguments = 200;
