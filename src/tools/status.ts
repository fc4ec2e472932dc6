import type { ToolStatus } from '../contract.ts';
import type { JsonValue } from '../lib/json.ts';

type State = ToolStatus['state'];

/** Shows what one call is doing. Its functions can be passed on alone. */
export interface StatusTracker {
  readonly wait: (tip?: string) => void;
  readonly doing: (tip?: string) => void;
  /** The duration in milliseconds. */
  readonly end: (succeeded: boolean, duration: number, tip?: string) => void;
}

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
): StatusTracker {
  let current: ToolStatus | undefined;
  const go = (state: State, tip: string | undefined, duration?: number): void => {
    const shown = tip ?? current?.tip;
    if (current !== undefined) {
      if (!mayFollow(state, current.state)) return;
      if (current.state === state && current.tip === shown) return;
    }
    current = {
      callId: call.id,
      toolName: call.prepared.toolName,
      state,
      tip: shown,
      duration,
    };
    listener(current);
  };
  return {
    wait: (tip) => go('wait', tip),
    doing: (tip) => go('doing', tip),
    end: (succeeded, duration, tip) => go(succeeded ? 'success' : 'error', tip, duration),
  };
}

/** The arguments as JSON on one line, cut at the end. Undefined as long as there are none. */
export function argumentsSoFar(args: JsonValue): string | undefined {
  // A long text is cut before it is written out: it grows with every word of the model.
  const json = JSON.stringify(args, (_key, part: unknown) => (typeof part === 'string' ? cut(part) : part));
  return json === '{}' || json === '""' ? undefined : cut(json);
}

function cut(text: string): string {
  if (text.length <= mostArguments) return text;
  const end = mostArguments - 1;
  const isSplit = (text.codePointAt(end - 1) ?? 0) > 0xffff;
  return `${text.slice(0, isSplit ? end - 1 : end)}…`;
}

/** How much of the arguments is shown, in UTF-16 units. */
const mostArguments = 200;
