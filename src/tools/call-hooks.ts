import type { JsonObject, JsonValue } from '../lib/json.ts';
import type { CallOutcome } from '../transcript.ts';
import type { ToolCategory } from './category.ts';
import type { ToolScope } from './tool.ts';
import type { ToolSource } from './tool-source.ts';

/** A call as hooks are shown it: with valid arguments, as it would run. */
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
  /** The call does not run, even with approval. The reason is for the model. */
  | { readonly type: 'cancel'; readonly reason: string }
  /** It is validated and judged with these arguments, and they are what people see and what runs. */
  | { readonly type: 'modify'; readonly arguments: JsonValue };

/** Something of the operator's that looks at a call before it is judged. */
export interface BeforeHook {
  /** As messages for the operator, and the audit, call it. */
  readonly name: string;
  readonly fits: (call: Pick<HookedCall, 'toolName' | 'category'>) => boolean;
  /** Never rejects: what cannot be asked has decided what the operator wants then. Ends when the signal aborts. */
  readonly decide: (call: HookedCall, signal: AbortSignal) => Promise<HookDecision>;
}

export interface EndedCall {
  readonly outcome: CallOutcome;
  readonly text: string;
}

/** Something of the operator's that is told what became of calls, and changes nothing of it. */
export interface AfterHook {
  readonly fits: (call: Pick<HookedCall, 'toolName' | 'category'>) => boolean;
  /** Returns at once; what goes wrong is logged. */
  readonly observe: (call: HookedCall, ended: EndedCall) => void;
}

export interface CallHooks {
  readonly before: readonly BeforeHook[];
  readonly after: readonly AfterHook[];
}

/** What the model reads below the result of a tool that has failed so often in a row. */
export function failureNote(times: number): string {
  return `\n[This tool has failed ${times} times in a row. Find another way, or tell the person what is wrong.]`;
}

/** The result without such a note: the same failure again is the same result. */
export function withoutFailureNote(text: string): string {
  return text.replace(/\n\[This tool has failed \d+ times in a row\. [^\]\n]*\]$/, '');
}
