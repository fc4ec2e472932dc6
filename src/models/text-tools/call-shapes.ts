/*
 * The shapes in which a call stands within the marks of a format, without those marks: JSON, a tag that bears the tool's name, the
 * name with what follows it, a call of Python. Formats differ mostly in their marks; these are few.
 */

import { isJsonObject, type JsonValue } from '../../lib/json.ts';
import { argumentsFrom, callsIn, nameOf, type WrittenCall } from './call-envelope.ts';
import type { KnownTools } from './known-tools.ts';
import { behindBlanks, looseValue, type Read } from './loose-value.ts';

type Calls = readonly WrittenCall[];

/** The calls of one shape that begin here. */
export function callsAt(text: string, at: number, tools: KnownTools): Read<Calls> {
  const first = text.charAt(at);
  if (first === '') return 'open';
  if (first === '<') return taggedCall(text, at, tools);
  if (first === '[') {
    const list = pythonList(text, at, tools);
    if (list !== 'bad') return list;
  }
  if (first === '{' || first === '[') return jsonCalls(text, at, tools);
  return namedCall(text, at, tools);
}

function jsonCalls(text: string, at: number, tools: KnownTools): Read<Calls> {
  const value = looseValue(text, at);
  if (typeof value === 'string') return value;
  const calls = callsIn(value.value, tools);
  return calls === undefined ? 'bad' : { value: calls, end: value.end };
}

/** What the expression matches here. */
export function matchAt(expression: RegExp, text: string, at: number): RegExpExecArray | undefined {
  expression.lastIndex = at;
  return expression.exec(text) ?? undefined;
}

const prefix = '(?:antml:|minimax:|seed:|xai:|steptml:|longcat_|mm:|[|｜]DSML[|｜]\\s{0,2})?';
const callTags = 'function_call|functioncall|function|invoke|tool_call|toolcall|tool_use|tool_code|tool|call|action';
const namedTag = new RegExp(
  `<${prefix}(?:${callTags})(?:\\s{0,4}=\\s{0,4}["']?([\\w.:/-]{1,80})["']?|\\s[^<>]{0,160}?\\b(?:name|tool|function|tool_name)\\s{0,4}=\\s{0,4}["']?([\\w.:/-]{1,80})["']?)[^<>]{0,200}>`,
  'iy',
);
const nameElement =
  /<(?:name|tool_name|function_name|tool)>\s{0,16}([\w.:/-]{1,80})\s{0,16}<\/(?:name|tool_name|function_name|tool)>\s{0,64}/iy;
const harmony =
  /(?:<\|start\|>)?(?:assistant)?\s{0,4}(?:<\|channel\|>)?(?:commentary|analysis)?\s{0,4}to=(?:functions[.:])?([\w.-]{1,80})\s{0,4}(?:<\|channel\|>(?:commentary|analysis))?\s{0,4}(?:<\|constrain\|>)?\s{0,4}(?:json|code)?\s{0,4}(?:<\|message\|>)?\s{0,64}(?=\{)/iy;

/** A call whose name stands in a tag: `<function=NAME>`, `<invoke name="NAME">`, `<name>NAME</name>`, `<NAME>`. */
function taggedCall(text: string, at: number, tools: KnownTools): Read<Calls> {
  const channel = matchAt(harmony, text, at);
  const tag = channel ?? matchAt(namedTag, text, at) ?? matchAt(nameElement, text, at) ?? ownTag(text, at, tools);
  if (tag === undefined) return isHalfTag(text, at) ? 'open' : 'bad';
  const name = nameOf(tag[1] ?? tag[2] ?? '', tools);
  const isClosed = tag[0].endsWith('/>');
  const args = isClosed ? { value: {}, end: at + tag[0].length } : argumentsAt(text, at + tag[0].length, name, tools);
  if (typeof args === 'string') return args;
  const inner = callsIn(args.value, tools);
  if (inner?.length === 1 && inner[0]?.name === name) return { value: inner, end: args.end };
  return { value: [{ name, arguments: args.value, hasArguments: true }], end: args.end };
}

/** `<the_tool>`, for a tool that there is. */
function ownTag(text: string, at: number, tools: KnownTools): RegExpExecArray | undefined {
  const tag = matchAt(/<([A-Za-z_][\w.-]{0,63})>/y, text, at);
  return tag !== undefined && tools.find(tag[1] ?? '') !== undefined ? tag : undefined;
}

function isHalfTag(text: string, at: number): boolean {
  const rest = text.slice(at, at + 400);
  return rest.length < 400 && halfTag.test(rest);
}

const halfTag =
  /^<[^<>]*$|^<\|[^<]*(?:<\|?[^<]*){0,3}$|^<(?:name|tool_name|function_name|tool)>[^<]{0,80}(?:<\/?[a-z_]{0,16}>?\s*)?$/i;

/** The arguments in a tag: JSON, elements of their names, or none at all. */
function argumentsAt(text: string, from: number, name: string, tools: KnownTools): Read<JsonValue> {
  const opening = matchAt(argumentsTag, text, from)?.[0] ?? '';
  const at = from + opening.length;
  if (at >= text.length || /^`+$/.test(text.slice(at, at + 16))) return 'open';
  if (text[at] === '{') return jsonArguments(text, at);
  if (text[at] === '"' || text[at] === "'") {
    const value = looseValue(text, at);
    if (typeof value === 'string') return value;
    return { value: argumentsFrom(value.value, name, tools), end: value.end };
  }
  const entries: [string, JsonValue][] = [];
  for (let next = at; ; ) {
    const element = elementAt(text, behindBlanks(text, next));
    if (element === 'open') return 'open';
    if (element === 'bad') break;
    const { key, text: written } = element.value;
    entries.push([key, tools.typedAs(name, key, written)]);
    next = element.end;
    if (entries.length > mostArguments) return 'bad';
    from = next;
  }
  const end = behindBlanks(text, entries.length > 0 ? from : at);
  const rest = text.slice(end, end + 80);
  if (rest === '') return entries.length > 0 ? { value: Object.fromEntries(entries), end } : 'open';
  // What else stands here may be arguments that cannot be read: without them it would be a different call.
  if (behindArguments.test(rest)) return { value: Object.fromEntries(entries), end };
  return rest.length < 80 && /^<[^<>]*$/.test(rest) ? 'open' : 'bad';
}

const behindArguments = new RegExp(
  `^(?:</(?:${prefix}(?:${callTags}|function_calls|tool_calls)|arguments|parameters|params|args|input|tool_input|kwargs|[A-Za-z_][\\w.-]{0,79})\\s{0,4}>|<[|｜]/?[^<>]{0,40}end[^<>]{0,40}>|<(?:${callTags})(?:>|[=\\s][^<>]{0,60}>))`,
  'i',
);

const argumentsTag =
  /(?:\s{0,64}(?:<(?:arguments|parameters|params|args|input|tool_input|action_input|parameter|kwargs)>|`{3,}\w{0,12}))*\s{0,64}/iy;
const mostArguments = 500;

function jsonArguments(text: string, at: number): Read<JsonValue> {
  const value = looseValue(text, at);
  if (typeof value === 'string') return value;
  return isJsonObject(value.value) ? value : 'bad';
}

const element = new RegExp(
  `<(${prefix}(?:parameter|param|argument|arg))(?:\\s{0,4}=\\s{0,4}["']?([\\w.-]{1,80})["']?|\\s[^<>]{0,80}?\\bname\\s{0,4}=\\s{0,4}["']?([\\w.-]{1,80})["']?[^<>]{0,80})\\s{0,4}>`,
  'iy',
);
const keyAndValue =
  /<(?:[a-z]{2,12}[:_])?arg_key>\s{0,16}([\w.-]{1,80})\s{0,16}<\/(?:[a-z]{2,12}[:_])?arg_key>\s{0,16}<((?:[a-z]{2,12}[:_])?arg_value)>/iy;
const plainElement = /<([A-Za-z_][\w.-]{0,79})>/y;

/** One argument in an element. If its end tag is missing, the next element ends it. */
function elementAt(text: string, at: number): Read<{ readonly key: string; readonly text: string }> {
  if (at >= text.length) return 'open';
  const pair = matchAt(keyAndValue, text, at);
  const named = pair ?? matchAt(element, text, at);
  const found = named ?? matchAt(plainElement, text, at);
  if (found === undefined) return isHalfTag(text, at) && !text.startsWith('</', at) ? 'open' : 'bad';
  const [opening, first = '', second = '', third] = found;
  const key = pair === undefined ? second || (third ?? first) : first;
  const tag = pair === undefined ? first : second;
  const begin = at + opening.length;
  const close = `</${tag}>`;
  const end = text.indexOf(close, begin);
  const next = named === undefined ? -1 : nextElement(text, begin);
  const isMissing = next !== -1 && (end === -1 || next < end);
  if (end === -1 && !isMissing) return 'open';
  const to = isMissing ? next : end;
  return { value: { key, text: withoutData(text.slice(begin, to)) }, end: isMissing ? to : to + close.length };
}

function nextElement(text: string, from: number): number {
  const found = /\n[ \t]{0,16}(?:<(?:parameter|arg_key)[=>\s]|<\/(?:function|invoke|tool_call)>)/gi;
  found.lastIndex = from;
  return found.exec(text)?.index ?? -1;
}

function withoutData(text: string): string {
  return /^\s*<!\[CDATA\[([\s\S]*)\]\]>\s*$/.exec(text)?.[1] ?? text;
}

const name = '([A-Za-z_][\\w.:/-]{0,79})';
const pythonName = new RegExp(
  `(?:(?:print|await)\\s{0,4}\\(?\\s{0,4}|[a-z_]\\w{0,31}\\s{0,4}=\\s{0,4})?${name}\\s{0,2}\\(`,
  'y',
);
/** What stands between a name and its arguments. */
const separator =
  '(?:\\s*(?:<[|｜]?tool[▁_]sep[|｜]?>|<\\|tool_call_argument_begin\\|>|<\\|(?:message|content)\\|>|✿ARGS✿|\\[CALL_ID\\]\\w{0,40}|\\[ARGS\\]|<\\/?(?:name|tool_name|arguments|args|action|function|tool|action_input|tool_input|input|parameters)>|(?:arguments|parameters|args|input)(?=\\s?:)|`{3,}\\w{0,12}|[:：]))*\\s{0,64}';
const nameFirst = new RegExp(
  `(?:call:|(?:name|tool|tool_name|function):\\s{1,4}|functions?(?:<[|｜]?tool[▁_]sep[|｜]?>|[.:](?=\\w)))?${name}${separator}`,
  'y',
);

/** A call whose name comes first, without a tag. */
function namedCall(text: string, at: number, tools: KnownTools): Read<Calls> {
  const channel = matchAt(harmony, text, at);
  if (channel !== undefined) {
    const args = jsonArguments(text, at + channel[0].length);
    if (typeof args === 'string') return args;
    return { value: [callOf(channel[1] ?? '', args.value, tools)], end: args.end };
  }
  if (/^(?:assistant)?(?:commentary|analysis)\s{1,4}to=[^{]{0,120}$/i.test(text.slice(at, at + 160))) return 'open';
  const python = pythonCall(text, at, tools);
  if (python !== 'bad') return python;
  const found = matchAt(nameFirst, text, at);
  if (found === undefined) return 'bad';
  const [whole, written = ''] = found;
  const end = at + whole.length;
  if (end >= text.length) return 'open';
  const known = tools.find(written);
  if (text[end] === '{') {
    // A name with only blanks behind it must be that of a tool.
    if (known === undefined && /^\s*$/.test(whole.slice(written.length))) return 'bad';
    const args = whole.startsWith('call:') ? escapedArguments(text, end) : jsonArguments(text, end);
    return typeof args === 'string' ? args : { value: [callOf(written, args.value, tools)], end: args.end };
  }
  if (known === undefined || text[end] !== '<') return isHalfMark(text, end) ? 'open' : 'bad';
  const args = argumentsAt(text, end, known, tools);
  return typeof args === 'string' ? args : { value: [callOf(written, args.value, tools)], end: args.end };
}

function isHalfMark(text: string, at: number): boolean {
  return text.length - at < 40 && /^(?:<[^<>]*|\[[A-Z_]*|`+\w{0,12}|✿[A-Z]*|[api][a-z]{0,9})$/.test(text.slice(at));
}

function callOf(written: string, args: JsonValue, tools: KnownTools): WrittenCall {
  return { name: nameOf(written, tools), arguments: args, hasArguments: true };
}

/** As `{key:<escape>value<escape>}`, or JSON. */
function escapedArguments(text: string, at: number): Read<JsonValue> {
  if (!/^\{[\w.-]{1,80}:(?:<escape>|<\|"\|>)/.test(text.slice(at, at + 100))) {
    return /^\{(?:[\w.-]{1,80}(?::(?:<[|"\w]{0,8})?)?)?$/.test(text.slice(at, at + 100))
      ? 'open'
      : jsonArguments(text, at);
  }
  const whole = matchAt(/\{(?:[\w.-]{1,80}:(<escape>|<\|"\|>)[\s\S]*?\1[\s,]{0,8})*\}/y, text, at)?.[0];
  if (whole === undefined) return 'open';
  const escaped = [...whole.matchAll(/([\w.-]{1,80}):(<escape>|<\|"\|>)([\s\S]*?)\2/g)];
  return {
    value: Object.fromEntries(escaped.map(([, key = '', , value = '']) => [key, value])),
    end: at + whole.length,
  };
}

/** As `[first(a=1), second()]`. */
function pythonList(text: string, at: number, tools: KnownTools): Read<Calls> {
  const calls: WrittenCall[] = [];
  for (let next = behindBlanks(text, at + 1); ; ) {
    if (next >= text.length) return 'open';
    const call = pythonCall(text, next, tools);
    if (typeof call === 'string') return call;
    calls.push(...call.value);
    next = behindBlanks(text, call.end);
    if (next >= text.length) return 'open';
    if (text[next] === ']') return { value: calls, end: next + 1 };
    if (text[next] !== ',') return 'bad';
    next = behindBlanks(text, next + 1);
  }
}

/** As `the_tool(a="b")`, in `print(…)` or as a value, too. */
function pythonCall(text: string, at: number, tools: KnownTools): Read<Calls> {
  const found = matchAt(pythonName, text, at);
  if (found === undefined)
    return /^(?:[a-z_]\w{0,31}\s{0,4}=\s{0,4})?[\w.:/-]{0,79}\s{0,2}$/.test(text.slice(at, at + 81)) ? 'open' : 'bad';
  const [opening, written = ''] = found;
  const entries: [string, JsonValue][] = [];
  for (let next = at + opening.length; ; ) {
    next = behindBlanks(text, next);
    if (next >= text.length) return 'open';
    if (text[next] === ')') {
      const isPrinted = /^print|^await\s*\(/.test(opening);
      if (isPrinted && next + 1 >= text.length) return 'open';
      const rest = isPrinted ? (matchAt(/\s{0,16}\)/y, text, next + 1)?.[0] ?? '') : '';
      return { value: [callOf(written, Object.fromEntries(entries), tools)], end: next + 1 + rest.length };
    }
    const argument = pythonArgument(text, next, nameOf(written, tools), tools);
    if (typeof argument === 'string') return argument;
    entries.push(...argument.value);
    next = behindBlanks(text, argument.end);
    if (next >= text.length) return 'open';
    if (text[next] === ',') next += 1;
    else if (text[next] !== ')') return 'bad';
  }
}

function pythonArgument(
  text: string,
  at: number,
  tool: string,
  tools: KnownTools,
): Read<readonly [string, JsonValue][]> {
  const keyword = matchAt(/(\*\*)?(?:([A-Za-z_]\w{0,79})\s{0,4}=\s{0,4})?/y, text, at);
  const [whole = '', , key] = keyword ?? [];
  const value = looseValue(text, at + whole.length);
  if (value === 'bad' && /^[A-Za-z_]\w{0,79}\s{0,4}$/.test(text.slice(at, at + 84))) return 'open';
  if (typeof value === 'string') return value;
  if (key !== undefined) return { value: [[key, value.value]], end: value.end };
  if (isJsonObject(value.value)) return { value: Object.entries(value.value), end: value.end };
  const only = tools.onlyParameter(tool);
  return only === undefined ? 'bad' : { value: [[only, value.value]], end: value.end };
}
