import type { ToolStatus } from '../contract.ts';
import type { JsonValue } from '../lib/json.ts';
import { shortened } from '../lib/plain-text.ts';

type State = ToolStatus['state'];

const rank = { wait: 0, doing: 1, success: 2, error: 2 } as const satisfies Record<State, number>;

/** Whether a call may go from one state to another. It only goes forward, and nothing follows the end. */
export function mayFollow(state: State, current: State): boolean {
  return rank[current] < rank.success && rank[state] >= rank[current];
}

/**
 * The status of a call: wait, then doing, then success or error. It only goes forward, and nothing follows the end: what
 * would go back, or change nothing, is dropped. The last tip stands until there is another.
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
    /** The duration in milliseconds. */
    end: (succeeded: boolean, duration: number, tip?: string) => go(succeeded ? 'success' : 'error', tip, duration),
  };
}

/** The arguments as JSON on one line, cut at the end. Undefined as long as there are none. */
export function argumentsSoFar(args: JsonValue): string | undefined {
  // A long text is cut before it is written out: it grows with every word of the model.
  const json = JSON.stringify(args, (_key, part: unknown) =>
    typeof part === 'string' ? shortened(part, mostArguments) : part,
  );
  return json === '{}' || json === '""' ? undefined : shortened(json, mostArguments);
}

/** How much of the arguments is shown, in UTF-16 units. */
const mostArguments = 200;
