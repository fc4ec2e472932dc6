import type { ToolStatus } from '../contract.ts';
import type { JsonValue } from '../lib/json.ts';
import { shortened } from '../lib/plain-text.ts';

type State = ToolStatus['state'];

const rank = { wait: 0, doing: 1, success: 2, error: 2 } as const satisfies Record<State, number>;

/** Whether a call may go from `current` to `state`: only forward, and never after the end. */
export function mayFollow(state: State, current: State): boolean {
  return rank[current] < rank.success && rank[state] >= rank[current];
}

/**
 * Tracks the status of a call: wait, doing, then success or error. Drops steps back and repetitions. A tip stays until
 * the next one.
 */
export function trackStatus(
  call: { readonly id: string; readonly prepared: { readonly toolName: string } },
  listener: (status: ToolStatus) => void,
) {
  let current: ToolStatus | undefined;
  const go = (state: State, tip: string | undefined, duration?: number): void => {
    const shown = tip ?? current?.tip;
    if (current !== undefined && !mayFollow(state, current.state)) return;
    if (current?.state === state && current.tip === shown) return;
    current = { callId: call.id, toolName: call.prepared.toolName, state, tip: shown, duration };
    listener(current);
  };
  return {
    wait: (tip?: string) => go('wait', tip),
    doing: (tip?: string) => go('doing', tip),
    /** The duration in ms. */
    end: (succeeded: boolean, duration: number, tip?: string) => go(succeeded ? 'success' : 'error', tip, duration),
  };
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
