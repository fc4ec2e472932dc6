/*
 * Calls without the marks of a format: JSON on its own, a fence, `Action:` lines, Python. Text that people ask for can look the same, so
 * these are calls only as the end of an answer, and must name a tool that there is.
 */

import { isJsonObject } from '../../lib/json.ts';
import { argumentsFrom, brokenCall, isCallKey, type WrittenCall } from './call-envelope.ts';
import { callsAt, matchAt } from './call-shapes.ts';
import type { KnownTools } from './known-tools.ts';
import { behindBlanks, looseValue } from './loose-value.ts';
import { allCalls, type Scan, type Scanning } from './marked-calls.ts';

/** What a text is that begins on a line of its own. Calls that do not end the text are none. */
export function bareCalls(text: string, scanning: Scanning): Scan {
  const first = text.charAt(0);
  if (first === '`' || first === '~') return fencedCalls(text, scanning);
  if (first === '{' || first === '[') return jsonOnItsOwn(text, scanning);
  if (!/[A-Za-z_<*]/.test(first)) return { text: 1 };
  return wordsOnTheirOwn(text, scanning);
}

function wordsOnTheirOwn(text: string, scanning: Scanning): Scan {
  const action = actionLines(text, scanning);
  return action === 'open' || 'calls' in action ? action : byName(text, scanning);
}

/** The key or name with which it begins decides early, so that other text is not held back. */
function jsonOnItsOwn(text: string, scanning: Scanning): Scan {
  const { tools, isEnd } = scanning;
  const begin = /^(?:\[\s{0,64}){0,2}\{\s{0,64}(?:["'“‘]?([\w$-]{0,64})(["'”’:]?))?/.exec(text);
  if (begin === null) return pythonOnItsOwn(text, scanning);
  const [whole, key = '', close = ''] = begin;
  if (close === '' && whole.length === text.length) return isEnd ? { text: text.length } : 'open';
  if (!isCallKey(key) && tools.find(key) === undefined) return { text: 1 };
  const read = callsAt(text, 0, tools);
  if (typeof read === 'string') return unreadable(text, read, scanning);
  const isMeant = scanning.isAll === true && text.startsWith('{') && looksLikeCall(text.slice(0, read.end));
  return isMeant || isClear(read.value, tools) ? { calls: read.value, length: read.end } : { text: read.end };
}

/** Whether an object is nothing but the call of a tool, even of one that there is not. */
function looksLikeCall(text: string): boolean {
  const value = looseValue(text, 0);
  if (typeof value === 'string' || !isJsonObject(value.value)) return false;
  const { name, arguments: args, parameters, ...rest } = value.value;
  const isTool = typeof name === 'string' && /^[a-z][a-z0-9_.-]{1,63}$/.test(name);
  return isTool && isJsonObject(args ?? parameters) && Object.keys(rest).every((key) => key === 'id' || key === 'type');
}

function pythonOnItsOwn(text: string, { tools, isEnd }: Scanning): Scan {
  const begin = /^\[\s{0,64}(?:([A-Za-z_][\w.]{0,79})\s?(\(?)|)/.exec(text);
  if (begin === null) return { text: 1 };
  const [whole, name = '', bracket = ''] = begin;
  if (bracket === '' && whole.length === text.length) return isEnd ? { text: text.length } : 'open';
  if (bracket === '' || tools.find(name) === undefined) return { text: 1 };
  const read = callsAt(text, 0, tools);
  if (typeof read === 'string') return unreadable(text, read, { tools, isEnd });
  return isClear(read.value, tools) ? { calls: read.value, length: read.end } : { text: read.end };
}

/** Whether these are calls, not data that looks like some. */
function isClear(calls: readonly WrittenCall[], tools: KnownTools): boolean {
  return calls.every(({ name, hasArguments }) => hasArguments && tools.find(name) !== undefined);
}

/** A call that is cut or not JSON, if it names a tool and its arguments. What is broken ends where a paragraph does. */
function unreadable(text: string, why: 'open' | 'bad', { tools, isEnd }: Scanning): Scan {
  const end = why === 'open' ? undefined : /\n\s*\n|\n`{3,}/.exec(text)?.index;
  if (end === undefined && !isEnd) return 'open';
  const written = text.slice(0, end).trimEnd();
  const call = brokenCall(written, why === 'open' ? 'unfinished' : 'broken', tools);
  const isMeant = tools.find(call.name) !== undefined && meant.test(written.slice(0, 2000));
  if (isMeant) return { calls: [call], length: written.length };
  return { text: why === 'open' ? text.length : 1 };
}

const meant = /["'“]?(?:arguments|parameters|args|params|input|tool_input|action_input)["'”]?\s*[:=]|^\[?\s*[\w.]+\(/;

const fenceBegin = /^(`{3,}|~{3,})[ \t]{0,8}([\w+.-]{0,24})[ \t]{0,8}\r?\n\s{0,64}/;
const halfFence = /^(?:`{1,}|~{1,})[ \t]{0,8}[\w+.-]{0,24}[ \t]{0,8}\r?\n?\s{0,64}$/;
const languages =
  /^(?:|jsonc?|json5|xml|python|py|tool|tools|tool_?calls?|tool_code|tool_use|tool_request|function|function_?calls?|action|call)$/i;

/** One or several fences that hold calls, and nothing else. */
function fencedCalls(text: string, scanning: Scanning): Scan {
  const [whole, marker = '', language = ''] = fenceBegin.exec(text) ?? [];
  if (whole === undefined) return !scanning.isEnd && halfFence.test(text) ? 'open' : { text: 1 };
  if (!languages.test(language)) return { text: whole.length };
  if (whole.length === text.length) return scanning.isEnd ? { text: text.length } : 'open';
  const found = callsInside(text.slice(whole.length), scanning);
  if (found === 'open') return 'open';
  if ('text' in found) return { text: whole.length };
  const at = whole.length + found.length;
  const end = matchAt(new RegExp(`\\s*${marker.charAt(0)}{${marker.length},}[ \\t]*(?:\\r?\\n|$)`, 'y'), text, at);
  if (end !== undefined) return { calls: found.calls, length: at + end[0].length };
  const rest = text.slice(at).trim();
  if (rest === '' || marker.startsWith(rest))
    return scanning.isEnd ? { calls: found.calls, length: text.length } : 'open';
  return { text: whole.length };
}

function callsInside(text: string, scanning: Scanning): Scan {
  const marked = allCalls(text, scanning);
  if (marked === 'open') return 'open';
  if ('calls' in marked)
    return marked.calls.every(({ name }) => scanning.tools.find(name) !== undefined) ? marked : { text: 1 };
  const calls: WrittenCall[] = [];
  for (let at = 0; ; ) {
    const rest = text.slice(at);
    const next = /^[{[]/.test(rest) ? jsonOnItsOwn(rest, scanning) : wordsOnTheirOwn(rest, scanning);
    if (next === 'open') return 'open';
    if ('text' in next) return calls.length > 0 ? { calls, length: at } : next;
    calls.push(...next.calls);
    at = behindBlanks(text, at + next.length);
    if (at >= text.length || /[`~]/.test(text.charAt(at))) return { calls, length: at };
  }
}

/** A call that begins with the name of a tool: `the_tool(a=1)`, `the_tool\n{…}`, `<the_tool>`. */
function byName(text: string, { tools, isEnd }: Scanning): Scan {
  const begin = /^(?:(?:print|await)\s{0,4}\(?\s{0,4}|[a-z_]\w{0,31}\s=\s|<)?([A-Za-z_][\w.:-]{0,79})?/.exec(text);
  const [whole = '', written = ''] = begin ?? [];
  if (whole.length === text.length) return !isEnd && mayBecomeName(written, whole, tools) ? 'open' : { text: 1 };
  if (tools.find(written) === undefined || /^[*_]/.test(text)) return { text: 1 };
  const behind = /^(?:>|\s{0,4}\(|[ \t]{0,4}\r?\n?[ \t]{0,4}\{)/.exec(text.slice(whole.length));
  if (behind === null) {
    return !isEnd && /^\s{1,6}$/.test(text.slice(whole.length)) ? 'open' : { text: 1 };
  }
  const read = callsAt(text, 0, tools);
  if (read === 'open' && !isEnd) return 'open';
  if (typeof read === 'string' && text.startsWith('<')) {
    return isEnd ? { calls: [brokenCall(text.trimEnd(), 'broken', tools)], length: text.length } : 'open';
  }
  if (read === 'open') return unreadable(text, read, { tools, isEnd });
  if (read === 'bad' || !isClear(read.value, tools)) return { text: 1 };
  if (!whole.startsWith('<')) return { calls: read.value, length: read.end };
  const rest = text.slice(behindBlanks(text, read.end));
  const end = /^<\/[\w.-]{1,80}>/.exec(rest)?.[0];
  if (end === undefined && !isEnd && /^(?:<[^<>]*)?$/.test(rest)) return 'open';
  return { calls: read.value, length: end === undefined ? read.end : behindBlanks(text, read.end) + end.length };
}

function mayBecomeName(written: string, whole: string, tools: KnownTools): boolean {
  const name = written.replace(/^(?:default_api|functions?|tools?)[.:]/, '');
  if (name === '' || ['default_api', 'functions', 'tools'].some((word) => word.startsWith(name))) return true;
  return (
    tools.names.some((known) => known.startsWith(name)) || ['print', 'await'].some((word) => word.startsWith(whole))
  );
}

const label = '(?:\\*\\*)?(?:Action|Tool|Tool Name|Tool Call|Function)(?:\\*\\*)?\\s?[:：](?:\\*\\*)?[ \\t]{0,4}';
const input =
  '(?:\\*\\*)?(?:Action Input|Tool Input|Input|Arguments|Parameters|Args)(?:\\*\\*)?\\s?[:：](?:\\*\\*)?\\s{0,16}';
const actionName = new RegExp(
  `^${label}["'\`*]{0,2}([\\w.:-]{1,80})["'\`*]{0,2}[ \\t]{0,8}(?:\\r?\\n\\s{0,8}|(?=\\())`,
  'i',
);
const actionJson = new RegExp(`^${label}\\s{0,16}(?=\`{3,}|[{[])`, 'i');
const halfAction = new RegExp(`^${label}(?:\\s{0,16}\`{0,3}|[^\\n{[(]{0,100}\\s{0,8})$`, 'i');
const inputLabel = new RegExp(input, 'iy');
const labels = ['action', 'tool', 'tool name', 'tool call', 'function'].flatMap((word) => [
  `${word} :`,
  `**${word}** :`,
]);

/** `Action: the_tool`, `Action Input: {…}`, and what the model makes up as its result. */
function actionLines(text: string, scanning: Scanning): Scan {
  const { tools, isEnd } = scanning;
  const begin = text.slice(0, 200);
  const json = actionJson.exec(begin);
  if (json !== null) {
    const behind = text.slice(json[0].length);
    const found = behind.startsWith('`') ? fencedCalls(behind, scanning) : jsonOnItsOwn(behind, scanning);
    if (found === 'open') return 'open';
    return 'text' in found ? found : withResult(text, found.calls, json[0].length + found.length, isEnd);
  }
  const found = actionName.exec(begin);
  if (found === null) {
    const isHalf = halfAction.test(text) || labels.some((word) => word.startsWith(text.toLowerCase()));
    return !isEnd && isHalf ? 'open' : { text: 1 };
  }
  const [whole, written = ''] = found;
  const name = tools.find(written);
  if (name === undefined) return { text: whole.length };
  const call = inputAt(text, whole.length, name, scanning);
  if (call === 'open') return isEnd ? { text: 1 } : 'open';
  return call === 'bad' ? { text: 1 } : withResult(text, [call.value], call.end, isEnd);
}

function inputAt(
  text: string,
  from: number,
  name: string,
  { tools, isEnd }: Scanning,
): { readonly value: WrittenCall; readonly end: number } | 'open' | 'bad' {
  if (from >= text.length) return 'open';
  if (text[from] === '(') {
    const call = callsAt(`${name}${text.slice(from)}`, 0, tools);
    if (typeof call === 'string') return call;
    const [only] = call.value;
    return only === undefined ? 'bad' : { value: only, end: call.end - name.length + from };
  }
  const opening = matchAt(inputLabel, text, from)?.[0];
  const rest = text.slice(from);
  if (opening === undefined) return /^(?:\*{0,2}[A-Za-z ]{0,16}\*{0,2})$/.test(rest) ? 'open' : 'bad';
  const fence = /^`{3,}\w{0,12}\s{1,16}/.exec(text.slice(from + opening.length, from + opening.length + 40))?.[0] ?? '';
  const at = from + opening.length + fence.length;
  if (at >= text.length) return 'open';
  if (text[at] === '{') {
    const value = looseValue(text, at);
    if (value === 'open' && isEnd)
      return { value: brokenCall(`${name} ${text.slice(at)}`, 'unfinished', tools), end: text.length };
    if (value === 'bad') return { value: brokenCall(`${name} ${text.slice(at)}`, 'broken', tools), end: text.length };
    if (typeof value === 'string') return value;
    if (!isJsonObject(value.value)) return 'bad';
    const end = value.end + (fence === '' ? 0 : (matchAt(/\s{0,16}`{3,}/y, text, value.end)?.[0].length ?? 0));
    return { value: { name, arguments: value.value, hasArguments: true }, end };
  }
  const end = text.indexOf('\n', at);
  if (end === -1 && !isEnd) return 'open';
  const written = text.slice(at, end === -1 ? text.length : end).trim();
  if (/^\*/.test(written)) return 'bad';
  const quoted = /^["'](.*)["']$/.exec(written)?.[1] ?? written;
  const args = argumentsFrom(quoted, name, tools);
  return { value: { name, arguments: args, hasArguments: true }, end: end === -1 ? text.length : end };
}

/** With what follows as the result of the call, which only the model can have made up. */
function withResult(text: string, calls: readonly WrittenCall[], end: number, isEnd: boolean): Scan {
  const rest = text.slice(end).trimStart();
  const isHalf =
    rest !== '' && ['observation', '**observation', 'pause'].some((word) => word.startsWith(rest.toLowerCase()));
  if (isHalf && !isEnd) return 'open';
  return { calls, length: /^(?:\*\*)?(?:Observation|PAUSE)\b/i.test(rest) ? text.length : end };
}
