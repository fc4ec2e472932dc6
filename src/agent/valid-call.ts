import type { JsonValue } from '../lib/json.ts';
import type { PreparedCall } from '../tools/tool.ts';
import type { ToolSource } from '../tools/tool-source.ts';

/** A call as the model has written it. */
export interface ProposedCall {
  readonly id: string;
  readonly name: string;
  readonly arguments: JsonValue;
}

/** A call that was found valid: what would run, and what was judged. */
export interface ValidCall {
  readonly prepared: PreparedCall;
  readonly hash: string;
  /** Set where a hook has changed what the model wrote: which one, and into what. */
  readonly change?: { readonly by: string; readonly arguments: JsonValue };
}

/** A valid call, and who brought its tool. */
export interface FoundCall extends ValidCall {
  readonly source: ToolSource;
}
