import { isJsonObject, type JsonObject, type JsonValue } from '../../../lib/json.ts';
import { deepestArguments, isDeeperThan } from '../../depth.ts';
import { type RpcAnswer, readRpcAnswer } from './json-rpc-connection.ts';

/** What a plugin says of a call that it has done. */
export interface PluginAnswer {
  readonly output: string;
  readonly forUser?: string;
  readonly isError: boolean;
}

/** What became of a call of a plugin's tool. */
export type CallOutcome =
  | { readonly type: 'answered'; readonly answer: PluginAnswer }
  /** There was no answer, or none that can be read: it may have done a part of its work. Why is half a sentence. */
  | { readonly type: 'lost'; readonly why: string }
  | { readonly type: 'timed-out' }
  | { readonly type: 'stopped' }
  /** Nothing was done. Why is a sentence, or several. */
  | { readonly type: 'not-run'; readonly why: string };

/** The outcome that an answer stands for; undefined if it was lost. */
export function outcomeOf(answer: RpcAnswer): CallOutcome | undefined {
  switch (answer.type) {
    case 'result': {
      const read = readResult(answer.value);
      return read === undefined ? unreadable : { type: 'answered', answer: read };
    }
    case 'error':
      return { type: 'answered', answer: { output: answer.message, isError: true } };
    case 'lost':
      return undefined;
  }
}

/** The same of asking a hook: what it answers, as JSON. */
export function hookOutcomeOf(answer: RpcAnswer): CallOutcome | undefined {
  if (answer.type !== 'result') return outcomeOf(answer);
  if (isDeeperThan(answer.value, deepestArguments)) return { type: 'lost', why: 'its answer is nested too deep' };
  return { type: 'answered', answer: { output: JSON.stringify(answer.value), isError: false } };
}

/** The outcome that a message of JSON-RPC stands for. */
export function outcomeOfMessage(message: JsonObject, read = outcomeOf): CallOutcome {
  if (message.result === undefined && message.error === undefined) return unreadable;
  return read(readRpcAnswer(message)) ?? unreadable;
}

const unreadable: CallOutcome = { type: 'lost', why: 'its answer has no "output"' };

function readResult(value: JsonValue): PluginAnswer | undefined {
  if (typeof value === 'string') return { output: value, isError: false };
  if (!isJsonObject(value) || isDeeperThan(value, deepestArguments)) return undefined;
  const { output, is_error, for_user } = value;
  if (output === undefined) return undefined;
  return {
    output: typeof output === 'string' ? output : JSON.stringify(output),
    isError: is_error === true,
    ...(typeof for_user === 'string' && for_user !== '' ? { forUser: for_user } : {}),
  };
}
