import type { JsonObject, JsonValue } from '../lib/json.ts';
import type { CallOutcome } from '../transcript.ts';
import type { ToolCategory } from './category.ts';
import type { ToolScope } from './tool.ts';
import type { ToolSource } from './tool-source.ts';

/** A call as hooks see it: with valid arguments, as it would run. */
export interface HookedCall {
  readonly callId: string;
  readonly toolName: string;
  readonly source: ToolSource;
  readonly category: ToolCategory;
  readonly arguments: JsonObject;
  readonly scope: ToolScope;
}

export type HookDecision =
  | { readonly type: 'continue' }
  /** The call does not run, even if approved. The reason is for the model. */
  | { readonly type: 'cancel'; readonly reason: string }
  /** The call is validated and judged with these arguments; people see them, and they run. */
  | { readonly type: 'modify'; readonly arguments: JsonValue };

/** An operator's hook that sees a call before it is judged. */
export interface BeforeHook {
  /** For the operator's messages and the audit. */
  readonly name: string;
  readonly fits: (call: Pick<HookedCall, 'toolName' | 'category'>) => boolean;
  /** Never rejects: on failure, it resolves with the operator's choice for that case. Ends when the signal aborts. */
  readonly decide: (call: HookedCall, signal: AbortSignal) => Promise<HookDecision>;
}

export interface EndedCall {
  readonly outcome: CallOutcome;
  readonly text: string;
}

/** An operator's hook that is told the results of calls, and changes nothing. */
export interface AfterHook {
  readonly fits: (call: Pick<HookedCall, 'toolName' | 'category'>) => boolean;
  /** Returns at once; errors are logged. */
  readonly observe: (call: HookedCall, ended: EndedCall) => void;
}

export interface CallHooks {
  readonly before: readonly BeforeHook[];
  readonly after: readonly AfterHook[];
}

/** Appended for the model to the result of a tool that failed several times in a row. */
export function failureNote(times: number): string {
  return `\n[This tool has failed ${times} times in a row. Find another way, or tell the person what is wrong.]`;
}

/** The result without the note, so that equal failures have equal results. */
export function withoutFailureNote(text: string): string {
  return text.replace(/\n\[This tool has failed \d+ times in a row\. [^\]\n]*\]$/, '');
}
