import type { JsonObject, JsonValue } from '../../../lib/json.ts';

/**
 * Tells a hook of an event, and resolves with its answer: undefined if that is no JSON. Rejects with `HookFailure` if it
 * failed, and with the signal's reason if that aborts; nothing of it is left running then.
 */
export type HookVoice = (event: JsonObject, signal: AbortSignal) => Promise<JsonValue | undefined>;

/** A hook could not be asked. The message, half a sentence, is for the operator. */
export class HookFailure extends Error {
  override readonly name = 'HookFailure';
}
