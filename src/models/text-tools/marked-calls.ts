/*
 * Calls between the marks of a format: tags, special tokens, words in brackets. What these formats have in common is read by one
 * rule: marks, calls of any shape, marks. Which mark belongs to which format does not matter, and models mix them.
 */

import { brokenCall, type faults, isBroken, type WrittenCall } from './call-envelope.ts';
import { callsAt, matchAt } from './call-shapes.ts';
import type { KnownTools } from './known-tools.ts';

/** Calls at the beginning of a text, and the length of all that belongs to them. */
export interface FoundCalls {
  readonly calls: readonly WrittenCall[];
  readonly length: number;
}

/** What the beginning of a text is. `open`: calls may be written there. `text`: no call begins in as many characters. */
export type Scan = FoundCalls | 'open' | { readonly text: number };

export interface Scanning {
  readonly tools: KnownTools;
  /** Nothing follows. */
  readonly isEnd: boolean;
  /** Nothing was said before, by a model that was asked to write its calls so. */
  readonly isAll?: boolean;
}

const words =
  '(?:antml:|minimax:|seed:|xai:|steptml:|longcat_|mm:)?(?:tool_calls?|toolcalls?|tool_uses?|tooluse|tool_code|tool_request|function_calls?|functioncalls?|functions?|tools?|invoke|call|actions?)';
const token =
  '<[|｜]/?[\\w▁./ :-]{1,48}[|｜]>|<[|｜]/?[a-z_]{1,32}>|</?[a-z_]{1,32}[|｜]>|<[|｜]DSML[|｜]\\s?[\\w]{1,32}>|</[|｜]DSML[|｜]\\s?[\\w]{1,32}>';
const brackets = '\\[/?(?:end_)?(?:tool_calls?|tool_request|tool_use|function_calls?)\\]';
const named =
  /<(?:antml:|minimax:|seed:|xai:|steptml:|longcat_|mm:|[|｜]DSML[|｜]\s?)?(?:function_call|functioncall|function|invoke|tool_call|toolcall|tool_use|tool_code|tool|call|action)(?:\s{0,4}=|\s[^<>]{0,160}?\b(?:name|tool|function|tool_name)\s{0,4}=)/iy;
const harmony =
  /(?:<\|start\|>assistant)?<\|channel\|>(?:commentary|analysis)\s{1,4}to=|<\|start\|>assistant\s{1,4}to=|(?:assistant)?(?:commentary|analysis) to=functions/iy;

/** Marks that may stand in front of a call, alone. */
const opener = new RegExp(
  `<${words}>|<[|｜][\\w▁./ :-]{0,24}(?:tool|function|action|plugin|python|recipient|call)[\\w▁./ :-]{0,24}[|｜]?>|<[|｜]DSML[|｜]\\s?(?:tool_calls|function_calls)>|<start_function_call>|\\[(?:tool_calls?|tool_request|tool_use|function_calls?)\\]|functools(?=\\s{0,4}\\[)|✿FUNCTION✿\\s?[:：]\\s?|<\\|from\\|>assistant\\s{0,4}(?=<\\|recipient)|>>>(?=[a-z_])`,
  'iy',
);
/** Marks between and behind calls. */
const closer = new RegExp(
  `</${words}>|</(?:parameters?|params?|arguments?|args|arg_value|input|tool_input|action_input|kwargs|name)>|<(?:end_function_call|start_function_response|/?s|eos|end_of_turn)>|\\[/(?:tool_calls?|tool_request|function_calls?|inst)\\]|\\[end_(?:tool_request|tool_calls?)\\]|\`{3,}(?![\`\\w]|$)`,
  'iy',
);
const anyMark = new RegExp(
  `<${words}>|${token}|${brackets}|<start_function_call>|functools(?=\\s{0,4}\\[)|>>>(?=[a-z_])|\`{3,}\\w{0,12}(?=\\s)|function(?=<[|｜]?tool[▁_]sep)`,
  'iy',
);
const isClosing =
  /^<[|｜]?\/|^[<[][|｜]?end|[_▁ ]end|^\[\/|^<\|(?:call|return|im_end|eot_id|eom_id)\|>|^`{3,}$|^<(?:\/?s|eos)>/i;
const gap = /[\s,;]*/y;

/** How a text may begin that becomes a mark. */
const beginnings = [
  ...[
    'tool_calls',
    'toolcalls',
    'tool_uses',
    'tooluse',
    'tool_code',
    'tool_request',
    'function_calls',
    'functioncalls',
  ],
  ...['functions', 'tools', 'invoke', 'call', 'actions', 'start_function_call'],
];
const namespaces = ['antml:', 'minimax:', 'seed:', 'xai:', 'steptml:', 'longcat_', 'mm:'];
const plainMarks = [
  ...['functools[', 'assistantcommentary to=functions', 'commentary to=functions', 'analysis to=functions'],
  ...['✿function✿:', '>>>a'],
];

/** Whether the text may become a mark, or a tag that bears a name. */
function isHalfMark(text: string): boolean {
  const begin = text.slice(0, 240).toLowerCase();
  if (plainMarks.some((mark) => mark.startsWith(begin)) || /^\[[a-z_]{0,16}$/.test(begin)) return true;
  if (/^<(?:[|｜][^<>]{0,80})?$/.test(begin) || halfHarmony.test(begin)) return true;
  const [, written = '', rest = ''] = /^<([a-z_:]{1,40})([^<>]{0,200})$/.exec(begin) ?? [];
  if (written === '') return false;
  const namespace = namespaces.find((known) => written.startsWith(known)) ?? '';
  const name = written.slice(namespace.length);
  if (rest !== '') return /^[\s=]/.test(rest) && new RegExp(`^${words}$`).test(name);
  return [...beginnings, ...(namespace === '' ? namespaces : [])].some((known) => known.startsWith(name));
}

const halfHarmony =
  /^(?:<\|start\|>(?:[a-z]{0,9}|assistant\s{0,4}(?:to?|to=[^{]{0,160}|)|assistant<(?:\|(?:c[^{]{0,200})?)?)|<\|channel\|>(?:[a-z]{0,12}|(?:commentary|analysis)\s{1,4}(?:to?|to=[^{]{0,160}|))|<\|from\|>[a-z]{0,9}\s{0,4}(?:<[|a-z]{0,12})?)$/;

/** How far the marks go from here, and whether one of them ends calls. `open`: another may follow. */
function marksFrom(
  text: string,
  begin: number,
  isBehindCall: boolean,
): { readonly end: number; readonly closes: boolean; readonly last: number } {
  let [at, last, closes] = [begin, begin, false];
  for (;;) {
    at += matchAt(gap, text, at)?.[0].length ?? 0;
    const mark = (matchAt(closer, text, at) ?? (isNamedTag(text, at) ? undefined : matchAt(anyMark, text, at)))?.[0];
    if (mark === undefined || mark === '') return { end: at, closes, last };
    const isEnd = isClosing.test(mark);
    if (closes && (!isEnd || mark.startsWith('`'))) return { end: at, closes, last };
    closes ||= isEnd && isBehindCall;
    at += mark.length;
    last = at;
  }
}

function isNamedTag(text: string, at: number): boolean {
  return matchAt(named, text, at) !== undefined || matchAt(harmony, text, at) !== undefined;
}

/** Whether the rest of the text may become one more mark. */
function mayBeMark(text: string, at: number): boolean {
  return text.length - at < 80 && /^(?:<[^<>]*|\[\/?[a-z_]*|`+\w{0,12}|)$/i.test(text.slice(at));
}

/** The marks that stand behind a call and belong to it. `open`: another may follow. */
export function closersAt(text: string, isEnd: boolean): number | 'open' {
  let end = 0;
  for (let at = 0; ; ) {
    at += matchAt(/[\s,;]{0,64}/y, text, at)?.[0].length ?? 0;
    const mark = matchAt(closer, text, at)?.[0] ?? closingToken(text, at);
    if (mark === undefined || mark.startsWith('`')) return isEnd || !mayBeCloser(text.slice(at)) ? end : 'open';
    at += mark.length;
    end = at;
  }
}

function closingToken(text: string, at: number): string | undefined {
  const found = matchAt(new RegExp(token, 'iy'), text, at)?.[0];
  return found !== undefined && isClosing.test(found) ? found : undefined;
}

function mayBeCloser(rest: string): boolean {
  return rest.length > 0 && rest.length < 80 && /^(?:<[^<>]*|\[(?:\/[a-z_]*|e[nd_a-z]*)?)$/i.test(rest);
}

/** The calls at the beginning of the text, if a mark begins there. */
export function markedCalls(text: string, { tools, isEnd }: Scanning): Scan {
  const mark = matchAt(opener, text, 0);
  if (mark === undefined && !isNamedTag(text, 0)) return !isEnd && isHalfMark(text) ? 'open' : { text: 1 };
  const needsEnd = /^<(?![|｜])/.test(text);
  const calls: WrittenCall[] = [];
  let at = mark?.[0].length ?? 0;
  let behind = at;
  for (;;) {
    const marks = marksFrom(text, at, calls.length > 0);
    if (marks.closes) return { calls, length: marks.last };
    at = marks.end;
    if (!isEnd && mayBeMark(text, at)) return 'open';
    if (calls.length > 0 && mayBeMark(text, at)) at = text.length;
    if (at >= text.length) return calls.length > 0 ? { calls, length: at } : { text: text.length };
    const read = callsAt(text, at, tools);
    if (read === 'open' && !isEnd) return 'open';
    if (typeof read === 'string') return endAt({ text, at, behind, calls, why: read, needsEnd }, { tools, isEnd });
    calls.push(...read.value);
    if (!isEnd && /^[}\]]{0,4}\s{0,16}[<[]?$/.test(text.slice(read.end, read.end + 24))) return 'open';
    at = read.end + (matchAt(tooManyBraces, text, read.end)?.[0].length ?? 0);
    behind = at;
  }
}

const tooManyBraces = /[}\]]{0,4}(?=\s{0,16}(?:<\/|<[|｜]|\[\/|\[END|$))/y;

interface Ending {
  readonly text: string;
  /** Where something begins that is no call, or none that is whole. */
  readonly at: number;
  /** Behind the last call. */
  readonly behind: number;
  readonly calls: readonly WrittenCall[];
  readonly why: 'open' | 'bad';
  /** Whether the format has an end tag. */
  readonly needsEnd: boolean;
}

function endAt({ text, at, behind, calls, why, needsEnd }: Ending, { tools, isEnd }: Scanning): Scan {
  const begin = text.slice(at, at + longestHead);
  const isNamed = namesTool(begin, tools, isEnd);
  // A name that is cut.
  const isCut = !needsEnd && isEnd && why === 'open' && /^\S+$/.test(begin);
  if (isNamed || isCut || callish.test(begin)) {
    if (why === 'open') return { calls: [...calls, broken(text.slice(at), 'unfinished', tools)], length: text.length };
    const stop = endTag.exec(text.slice(at));
    if (stop === null && !isEnd) return 'open';
    const end = stop === null ? text.length : at + stop.index;
    const length = stop === null ? end : end + stop[0].length;
    return { calls: [...calls, broken(text.slice(at, end), 'broken', tools)], length };
  }
  if (!isEnd && (isNamed === undefined || halfCallish.test(begin))) return 'open';
  if (calls.length === 0) return { text: Math.max(1, at) };
  if (!needsEnd) return { calls, length: behind };
  return unclosed({ text, at, behind, calls, why, needsEnd }, { tools, isEnd });
}

/** A call in a tag that does not end before more text. At most the rest of its line belongs to it. */
function unclosed({ text, at, behind, calls }: Ending, { tools, isEnd }: Scanning): Scan {
  const gone = (end: number, why: 'broken' | 'unclosed'): FoundCalls => {
    const last = calls.at(-1);
    const words = last === undefined ? '' : JSON.stringify({ name: last.name, arguments: last.arguments });
    return { calls: [...calls.slice(0, -1), broken(words, why, tools)], length: end };
  };
  if (/[\n\r]/.test(text.slice(behind, at))) return gone(behind, 'unclosed');
  const stop = /<\/\w{1,32}>|[\n\r]/.exec(text.slice(at));
  if (stop === null) return isEnd ? gone(text.length, 'unclosed') : 'open';
  const isTag = stop[0].startsWith('<');
  return gone(at + stop.index + (isTag ? stop[0].length : 0), isTag ? 'broken' : 'unclosed');
}

function broken(text: string, why: keyof typeof faults, tools: KnownTools): WrittenCall {
  return brokenCall(text.trimEnd(), why, tools);
}

/** Whether the first word is the name of a tool, but for words that stand in front of one. Undefined: it may become one. */
function namesTool(begin: string, tools: KnownTools, isEnd: boolean): boolean | undefined {
  const isAll = isEnd || begin.length >= longestHead;
  for (let at = 0; ; ) {
    at += matchAt(punctuation, begin, at)?.[0].length ?? 0;
    const word = matchAt(/[A-Za-z_][\w.-]{0,79}/y, begin, at)?.[0] ?? '';
    if (at + word.length === begin.length && !isAll) return undefined;
    if (word === '' || !beforeNames.test(word)) return tools.find(word) !== undefined;
    at += word.length;
  }
}

const longestHead = 300;
const punctuation = /[\s<>|｜{}[\]()"'“”:=,.\\/▁✿`\d-]*/y;
const beforeNames =
  /^(?:functions?|names?|tool|tools|tool_?name|function_?name|invoke|call|action|type|id|json|python|print|start|assistant|channel|commentary|analysis|to|from|recipient|antml|minimax|seed|steptml|xai|longcat|mm|default_api|tool[▁_]?sep|tool[▁_]?calls?|begin|sep|DSML|function_call|tool_use|tool_code|thoughts?)$/i;

/** What a model only writes if it wants to call. */
const callish =
  /^(?:\{\s*["'“‘}]|\[\s*\{\s*["'“‘]|\[?\s*[A-Za-z_][\w.]*\(\s*\w+\s*=|<[^<>]{1,200}>\s*(?:\{\s*["'“‘}]|<(?:parameter|param|arg_key|arg)\b)|[\w.:-]{1,80}\s*(?:<[|｜]?tool[▁_]sep|<\|tool_call_argument_begin|\[ARGS\]|<arg_key>)|(?:<\|start\|>|<\|channel\|>)[^{]{1,160}\{)/i;
const halfCallish =
  /^(?:<[^<>]{1,200}>\s{0,16}(?:<[a-z_]{0,10}|\{\s{0,16})?|<\|(?:start|channel)\|>[^{]{0,160}|[\w.:-]{1,80}\s{0,8}(?:<[^<>]{0,60}|\[[a-z_]{0,16})?|\{\s*|\[\s*(?:\{\s*)?)$/i;
const endTag = new RegExp(
  `</${words}>|</[|｜]DSML[|｜]\\s?(?:invoke|function_calls|tool_calls)>|<[|｜][\\w▁./ :-]{0,24}end[\\w▁./ :-]{0,24}[|｜]>|<\\|call\\|>|\\[/(?:tool_calls?|tool_request)\\]|\\[END_TOOL_REQUEST\\]`,
  'i',
);

/** All calls of a text, if it ends with them: what stands between them are marks and blanks. */
export function allCalls(text: string, scanning: Scanning, scan: typeof markedCalls = markedCalls): Scan {
  const calls: WrittenCall[] = [];
  let at = 0;
  for (;;) {
    const rest = text.slice(at);
    const isBegin = at === 0;
    if (!isBegin && /^[\s;,]*$/.test(rest)) return { calls, length: text.length };
    const blanks = isBegin ? 0 : (/^[\s;,]*/.exec(rest)?.[0].length ?? 0);
    const found = scan(rest.slice(blanks), scanning);
    if (found === 'open') return 'open';
    if ('text' in found) return isBegin ? found : { calls, length: at };
    calls.push(...found.calls);
    at += blanks + found.length;
    const closers = closersAt(text.slice(at), scanning.isEnd);
    if (closers === 'open') return 'open';
    at += closers;
    if (found.calls.every(isBroken)) return { calls, length: at };
  }
}
