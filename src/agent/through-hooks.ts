import { hookCancelledResult, hookSpoiledResult } from '../approval/call-results.ts';
import type { BeforeHook, HookedCall } from '../tools/call-hooks.ts';
import type { ToolScope } from '../tools/tool.ts';
import type { CallResult } from '../transcript.ts';
import type { FoundCall, ProposedCall } from './valid-call.ts';

export interface HookOccasion {
  readonly hooks: readonly BeforeHook[];
  readonly scope: ToolScope;
  readonly signal: AbortSignal;
  /** Validates the call with other arguments. */
  readonly find: (proposed: ProposedCall) => Promise<FoundCall | { readonly result: CallResult }>;
}

/**
 * Shows a valid call to the hooks that it concerns, one after the other: each sees what the ones before it have made of it,
 * validated. The first that cancels it ends that, and so does one that makes it invalid.
 */
export async function throughHooks(
  proposed: ProposedCall,
  found: FoundCall,
  { hooks, scope, signal, find }: HookOccasion,
): Promise<FoundCall | { readonly call?: FoundCall; readonly result: CallResult }> {
  let call = found;
  for (const hook of hooks) {
    if (!hook.fits(call.prepared)) continue;
    const decision = await hook.decide(hookedCall(proposed.id, call, scope), signal);
    switch (decision.type) {
      case 'continue':
        break;
      case 'cancel':
        return { call, result: { outcome: 'refused', text: hookCancelledResult(decision.reason) } };
      case 'modify': {
        const changed = await find({ ...proposed, arguments: decision.arguments });
        if ('result' in changed) return { result: { ...changed.result, text: hookSpoiledResult(changed.result.text) } };
        call = { ...changed, change: { by: hook.name, arguments: decision.arguments } };
      }
    }
  }
  return call;
}

/** The call as hooks are shown it. */
export function hookedCall(
  callId: string,
  { prepared, source }: Pick<FoundCall, 'prepared' | 'source'>,
  scope: ToolScope,
): HookedCall {
  const { toolName, category, arguments: args } = prepared;
  return { callId, toolName, source, category, arguments: args, scope };
}
