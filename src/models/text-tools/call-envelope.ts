import { isJsonObject, type JsonObject, type JsonValue, own } from '../../lib/json.ts';
import { bareName, type KnownTools } from './known-tools.ts';
import { looseValue } from './loose-value.ts';

/** A call as an answer has it. Arguments that could not be read are a string that is never JSON. */
export interface WrittenCall {
  readonly name: string;
  readonly arguments: JsonValue;
  /** Whether the model has written arguments, be they empty. */
  readonly hasArguments: boolean;
}

/** The calls in a value: one object, a list, or a wrapper around either. Undefined if anything in it is unclear. */
export function callsIn(value: JsonValue, tools: KnownTools): readonly WrittenCall[] | undefined {
  if (Array.isArray(value)) {
    const calls = value.map((item: JsonValue) => callsIn(item, tools));
    return calls.length > 0 && calls.every((call) => call !== undefined) ? calls.flat() : undefined;
  }
  if (!isJsonObject(value)) return undefined;
  for (const wrapper of wrappers) {
    const inner = own(value, wrapper);
    if (typeof inner === 'object' && inner !== null) return callsIn(inner, tools);
  }
  const call = callFrom(value, tools);
  return call === undefined ? callsByName(value, tools) : [call];
}

const wrappers = ['tool_calls', 'toolCalls', 'tool_call', 'tool_uses', 'function_call', 'calls', 'action'] as const;

/** Whether an object with this key may be a call. */
export function isCallKey(key: string): boolean {
  return [...wrappers, ...nameKeys, ...argumentKeys, 'id', 'type', 'thought', 'thoughts'].some(
    (known) => known === key,
  );
}

const nameKeys = [
  ...(['name', 'tool', 'function', 'tool_name', 'toolName', 'function_name', 'recipient_name', 'action'] as const),
];
const argumentKeys = [
  ...(['arguments', 'parameters', 'args', 'params', 'input', 'kwargs', 'argument', 'parameter'] as const),
  ...(['tool_input', 'toolInput', 'action_input', 'actionInput', 'tool_args', 'tool_arguments'] as const),
];

function callFrom(value: JsonObject, tools: KnownTools): WrittenCall | undefined {
  const { function: inner, ...outer } = value;
  const envelope: JsonObject = isJsonObject(inner) ? { ...outer, ...inner } : value;
  const written = nameKeys.map((word) => own(envelope, word)).find((word) => typeof word === 'string');
  if (typeof written !== 'string' || written.trim() === '') return undefined;
  const name = nameOf(written, tools);
  const key = argumentKeys.find((word) => Object.hasOwn(envelope, word));
  if (key !== undefined) {
    return { name, arguments: argumentsFrom(own(envelope, key) ?? {}, name, tools), hasArguments: true };
  }
  // Arguments without their key: running it without any would be a different call.
  const isBare = Object.keys(envelope).every((word) => bareKeys.has(word));
  return isBare ? { name, arguments: {}, hasArguments: false } : undefined;
}

const bareKeys: ReadonlySet<string> = new Set([...nameKeys, 'id', 'type']);

/** As `{"the_tool": {…}}`, for tools that there are. */
function callsByName(value: JsonObject, tools: KnownTools): readonly WrittenCall[] | undefined {
  const calls = Object.entries(value).flatMap(([key, args]) => {
    const name = tools.find(key);
    return name !== undefined && isJsonObject(args) ? [{ name, arguments: args, hasArguments: true }] : [];
  });
  return calls.length > 0 && calls.length === Object.keys(value).length ? calls : undefined;
}

/** As the tool is called; for one that there is not, as the model has written it. */
export function nameOf(written: string, tools: KnownTools): string {
  return tools.find(written) ?? (bareName(written) || written);
}

/** Some models write the arguments as a string of JSON, as OpenAI's API does, or the only one without its name. */
export function argumentsFrom(written: JsonValue, name: string, tools: KnownTools): JsonValue {
  if (typeof written !== 'string') return written;
  if (written.trim() === '') return {};
  const inner = looseValue(`${written} `, 0);
  const isWhole = typeof inner !== 'string' && written.slice(inner.end).trim() === '';
  if (isWhole && isJsonObject(inner.value)) return inner.value;
  const only = tools.onlyParameter(name);
  return only === undefined || /^\s*[{[]/.test(written) ? `${faults.closed} ${written}` : { [only]: written };
}

/** Why the arguments of a call are a string. None begins like JSON. */
export const faults = {
  closed: '(no call as JSON:)',
  broken: '(no call as JSON:)',
  unclosed: '(not closed with </tool_call>:)',
  unfinished: '(cut off:)',
} as const;

/** A call that was written, but not so that it can be read: the tool's validation tells the model, and nothing runs. */
export function brokenCall(text: string, why: keyof typeof faults, tools: KnownTools): WrittenCall {
  return { name: guessName(text, tools), arguments: `${faults[why]} ${text}`, hasArguments: true };
}

/** Whether a call was written so that it cannot be read. */
export function isBroken({ arguments: args }: Pick<WrittenCall, 'arguments'>): boolean {
  return typeof args === 'string' && Object.values(faults).some((fault) => args.startsWith(fault));
}

/** Guesses the tool, so that its validation tells the model. */
function guessName(text: string, tools: KnownTools): string {
  const begin = text.slice(0, 1000);
  const found = /["'“](?:name|tool|function|action|tool_name)["'”]\s*:\s*["'“]([^"'”\\]{1,64})["'”]/.exec(begin)?.[1];
  if (found !== undefined) return nameOf(found, tools);
  const tagged = /^<[^<>]{0,40}?=\s{0,4}["']?([\w.-]{1,64})|functions\.([\w.-]{1,64})/.exec(begin);
  const first = /^[A-Za-z_][\w.-]{0,63}/.exec(begin)?.[0];
  const name = tagged?.[1] ?? tagged?.[2] ?? first;
  return name === undefined ? 'unnamed' : nameOf(name, tools);
}
