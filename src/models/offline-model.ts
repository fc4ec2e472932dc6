import { isJsonObject, type JsonObject } from '../lib/json.ts';
import { escapeMarkdown, fenced, inlineCode, oneLine } from '../lib/plain-text.ts';
import type { LanguageModel, ModelEvent, ModelMessage, ModelRequest, ModelToolResult } from './language-model.ts';

/**
 * The fallback where no model is configured: patterns turn plain sentences into calls of the available tools. It
 * answers everything that came in since its last turn, reports the results of its calls, and says that it is not an AI.
 */
export const offlineModel: LanguageModel = {
  label: 'offline (pattern matching, no AI)',
  seesImages: false,
  async *stream(request: ModelRequest): AsyncGenerator<ModelEvent> {
    const { said, calls } = answer(request);
    const text = said.join('\n\n');
    // In a few pieces, so that channels that stream answers have something to show.
    const size = Math.max(40, Math.ceil(text.length / 4));
    for (const [delta] of text.matchAll(new RegExp(`[^]{1,${size}}`, 'gu'))) {
      if (request.signal.aborted) return;
      yield { type: 'text', delta };
    }
    if (request.signal.aborted) return;
    const made = calls.map((call, at) => ({ type: 'call', modelCallId: `offline_${at + 1}`, ...call }) as const);
    const parts = text === '' ? made : [{ type: 'text', text } as const, ...made];
    yield { type: 'finish', answer: { parts, usage: { inputTokens: 0, outputTokens: 0 } } };
  },
};

interface Call {
  readonly name: string;
  readonly arguments: JsonObject;
}

/** `news`: an event from Keyturn · `ended`: a run ended, which cancels earlier requests · `report`: anything else. */
interface Piece {
  readonly kind: 'said' | 'news' | 'ended' | 'report';
  readonly text: string;
}

function answer({ messages, tools }: ModelRequest) {
  const lastTurn = messages.findLastIndex(({ role }) => role === 'assistant');
  const all = messages.slice(lastTurn + 1).flatMap((message) => toPieces(message, messages[lastTurn]));
  const ended = all.findLastIndex(({ kind }) => kind === 'ended');
  const left = all.filter(({ kind }, at) => at > ended || kind === 'news');
  const pieces = left.length === 0 ? all.slice(ended) : left;
  const sentences = pieces.flatMap(({ kind, text }) => (kind === 'said' ? [text] : []));
  const read = sentences.map((sentence) => readSentence(sentence));
  const unknown = sentences.filter((_sentence, at) => read[at] === undefined);
  const words = new Set(read.filter((words) => typeof words === 'string'));
  if (unknown.length > 0) words.add(unknownWords(unknown, unknown.length === sentences.length));
  const said = [...pieces.flatMap(({ kind, text }) => (kind === 'said' ? [] : [text])), ...words];
  const calls = read.flatMap((made): readonly Call[] => (typeof made === 'object' ? made : []));
  // All or nothing: a later call may need an earlier one.
  const missing = calls.find(({ name }) => !tools.some((tool) => tool.name === name));
  if (missing === undefined) return { said, calls };
  return {
    said: [...said, `That needs the tool ${inlineCode(missing.name)}, which is not available here.`],
    calls: [],
  };
}

function toPieces(message: ModelMessage, turn: ModelMessage | undefined): readonly Piece[] {
  switch (message.role) {
    case 'assistant':
      return [];
    case 'results': {
      const limit = Math.floor(mostShown / message.results.length);
      return message.results.map((result) => ({ kind: 'report', text: resultWords(result, turn, limit) }));
    }
    case 'user': {
      const pieces = message.text
        .split(event)
        .flatMap((text) => (event.test(text) ? [readEvent(text)] : readText(text)));
      // A message without text needs an answer too.
      return pieces.length === 0 ? [{ kind: 'said', text: '' }] : pieces;
    }
  }
}

/** In characters, for all results of a turn. */
const mostShown = 3000;
/** Only Keyturn can write these: they are removed from all other text. */
const event = /(<keyturn_event[^>]*>[\s\S]*?<\/keyturn_event>)/;
/** Follows the sender, in a group. */
const file = /^(?:\[[^\]\n]{0,64}\] | {2})?\[file: ([^\]\n]*)\]$/gm;
/** The quoted or forwarded message, under a mark; in a group also its sender. */
const quotation =
  /^\[(?:in reply to|forwarded|sent|spoken in)\b[^\]\n]{0,200}:\](?:\n>.*)*\n?|^\[(?:forwarded|sent)\b[^\]\n]{0,200}\]\n?/gm;
const sender = /^(?:\[[^\]\n]{0,64}\] ){1,2}(?=\S)/;

function readEvent(text: string): Piece {
  const report = text.slice(text.indexOf('>') + 1, text.lastIndexOf('<')).trim();
  const words =
    notRunWords(report) ?? (report.includes('\n') ? `News:\n\n${shown(report)}` : `News: ${escapeMarkdown(report)}`);
  return { kind: /^[^>]*kind="run_ended"/.test(text) ? 'ended' : 'news', text: words };
}

/** Messages that waited together are paragraphs of one text. A blank line within quotes does not end a paragraph. */
function readText(text: string): readonly Piece[] {
  const files = [...text.matchAll(file)].map(([, name = '']) => `I have received ${escapeMarkdown(name)}.`);
  const { masked, unmask } = mask(text.replaceAll(file, ''));
  const paragraphs = masked.split(/(?:\r?\n){2,}/).map((paragraph) => {
    return unmask(paragraph).trim().replaceAll(quotation, '').trim().replace(sender, '');
  });
  const said = paragraphs.filter((paragraph) => paragraph !== '');
  return [
    ...files.map((words): Piece => ({ kind: 'report', text: words })),
    ...said.map((words): Piece => ({ kind: 'said', text: words })),
  ];
}

/** The calls that a sentence asks for, or an answer in words. Undefined if it is not understood. */
function readSentence(text: string): readonly Call[] | string | undefined {
  if (text.length > longestSentence) return undefined;
  const { masked, unmask } = mask(text);
  const sentence = withoutCourtesy(masked);
  if (help.test(masked.trim()) || help.test(sentence)) return helpWords;
  if (isSmallTalk(masked)) return smallTalkWords;
  const parts = restIsContent.test(sentence) ? [sentence] : sentence.split(joint);
  const calls = parts.map((part) => readClause(withoutCourtesy(part), unmask)).filter((call) => call !== undefined);
  if (calls.length === parts.length) return calls;
  const whole = readClause(sentence, unmask);
  if (whole !== undefined) return [whole];
  const [command] = /^\/\S{1,40}/.exec(text.trim()) ?? [];
  if (command !== undefined)
    return `There is no command ${inlineCode(command)}. Send \`/help\` to see those that there are.`;
  const asksToRun = parts.some((part) => /^(?:run|execute|exec)(?:\s|$)/i.test(withoutCourtesy(part)));
  return asksToRun ? noCommandWords : undefined;
}

/** In characters. Longer than any real sentence, and short enough for every pattern. */
const longestSentence = 10_000;
const help =
  /^(?:\/?help|help me|\/?start|what can (?:you|i) (?:do|say|ask)(?: here)?|(?:who|what) are you|are you (?:an? )?(?:ai|there|real)|how (?:does this|do you) work)[.!?]*$/i;
const smallTalk: ReadonlySet<string> = new Set(
  (
    'hi|hello|hey|hey you|hallo|hola|bonjour|salut|ciao|good morning|good day|good evening|good night|how are you|' +
    'how are you doing|nice|great|cool|ok|okay|bye|goodbye|thx|thanks|thank you|thank you very much|danke|merci|' +
    'gracias|你好|你好吗|您好|嗨|谢谢|谢谢你|再见|早上好|晚上好|こんにちは|ありがとう|안녕하세요|привет|спасибо'
  ).split('|'),
);
const courtesy =
  /^(?:(?:please|pls|(?:could|can|would|will) you|i want you to|hey|hi|hello|ok|okay|now|just|then|and)\b[,!:]?\s+)+/i;
const joint =
  /(?:[,;]? (?:and then|then|and)|\n)\s{1,8}?(?=(?:please )?(?:list|ls|show|what|read|cat|open|write|create|replace|change|run|execute|echo|say|remember|remind|fetch)\b)|\n(?=\S)/i;
/** These take everything that follows as content. */
const restIsContent = /^(?:write|save|put) \S+?\s*:\s|^(?:create|make) .*?file /i;

function isSmallTalk(text: string): boolean {
  const words = text
    .trim()
    .slice(0, 100)
    .replace(/[\s.!?,~！。？～]+$/u, '');
  return smallTalk.has(words.toLowerCase().replace(/,? (?:there|keyturn)$/, ''));
}

function withoutCourtesy(text: string): string {
  return text
    .trim()
    .replace(courtesy, '')
    .replace(/(?<![, ])[, ]+(?:please|thanks|thank you|for me)[.!?]*$/i, '')
    .replace(/[,;]$/, '');
}

/**
 * A sentence, with the names of its arguments, and its tool. In words: `(…)` may be missing, and `|` stands between
 * alternatives. `path` and `pattern` are one word.
 */
const patterns: readonly (readonly [sentence: string | RegExp, tool: string])[] = [
  [/^(?:fetch|read|open|show|get|browse) (?:me )?(?<url>https?:\/\/\S+)$/i, 'web_fetch'],
  [/^(?:write|save|put) (?<path>\S+?)\s*:\s*(?<content>[\s\S]+)$/i, 'write_file'],
  [
    /^(?:create|make) .*?file (?:called |named )?(?<path>\S+?)(?:(?::| with| containing):?\s+(?<content>[\s\S]+))?$/i,
    'write_file',
  ],
  ['write|save|put {content} to|into|in (the file) {path}', 'write_file'],
  [
    // The end is matched first: otherwise each "with" would be tried with each "in".
    /^(?:replace|change) (?=[\s\S]+ in (?:the file )?\S+$)(?<old_text>[\s\S]+?) (?:with|by|to) (?<new_text>[\s\S]+) in (?:the file )?(?<path>\S+)$/i,
    'edit_file',
  ],
  [/^(?:ls|dir)(?: -\S+)*(?: (?<path>\S+))?$/i, 'list_dir'],
  [
    /^(?:list|(?:show|what)(?= .*\b(?:files|workspace)\b))(?: me)?(?: all)?(?: the| my)?(?: files| folder| workspace)?(?: are (?:there|here))?(?: in)?(?: the| my)?(?: folder)?(?: (?<path>\S+?))?(?: folder)?[.!?]*$/i,
    'list_dir',
  ],
  [/^what(?:'s| is) in (?:the )?(?<path>[^\s.]+)[?.!]*$/i, 'list_dir'],
  [/^(?:what(?:'s| is) in|what does) (?:the file )?(?<path>\S+?)(?: say| contain)?[?.!]*$/i, 'read_file'],
  ['read|cat (me) (the) (file) {path}', 'read_file'],
  [/^(?:show|open|view) (?:me )?(?:the )?(?:file |contents? of )?(?<path>\S*[./\ue000]\S*)$/i, 'read_file'],
  ['run|execute|exec (the) (shell) (command) {command}', 'shell'],
  [/^\$ (?<command>[\s\S]+)$/, 'shell'],
  ['echo|say|repeat {message}', 'echo'],
  ['remember (that) {text}', 'memory_store'],
  [/^(?:recall|what do you (?:remember|know))(?: (?:about|of))?(?: (?<query>[\s\S]+?))?[.?!]*$/i, 'memory_search'],
  ['remind me in {in_minutes} to|of|that|about {text}', 'remind'],
  ['remind me to|of|that|about {text} in {in_minutes}', 'remind'],
];

function patternOf(sentence: string): RegExp {
  const source = sentence.replaceAll(/\((.*?)\) |\{(\w+)\}|[^ ({]+/g, (words, optional?: string, key?: string) => {
    if (optional !== undefined) return `(?:${optional} )?`;
    if (key === undefined) return `(?:${words})`;
    const minutes = '\\d{1,6} (?:minute|hour|day)s?[.!]*';
    return `(?<${key}>${key === 'path' ? '\\S+' : key === 'in_minutes' ? minutes : '[\\s\\S]+'})`;
  });
  return new RegExp(`^${source}$`, 'i');
}

function readClause(clause: string, unmask: (text: string) => string): Call | undefined {
  for (const [sentence, name] of patterns) {
    const match = (typeof sentence === 'string' ? patternOf(sentence) : sentence).exec(clause);
    if (match === null) continue;
    const groups = Object.entries(match.groups ?? {});
    const values = groups.map(([key, masked]) => [key, argumentOf(key, masked ?? '', unmask)]);
    const call = { name, arguments: Object.fromEntries(values) };
    return isRunnable(call) ? call : undefined;
  }
  return undefined;
}

function argumentOf(key: string, masked: string, unmask: (text: string) => string): string | number {
  if (key === 'in_minutes')
    return Number.parseInt(masked, 10) * (/day/i.test(masked) ? 1440 : /hour/i.test(masked) ? 60 : 1);
  const text = masked.trim();
  // A whole quotation stands for its content.
  if (/^\ue000\d+\ue001[.!?]*$/.test(text)) return unquoted(unmask(text.replace(/(?<![.!?])[.!?]+$/, '')));
  if (key === 'path' && /^(?:|here|there|files?|\.+)$/i.test(text)) return /^\.+$/.test(text) ? text : '.';
  if (key === 'command') return unmask(/[\w"')`\ue001][.!]$/.test(text) ? text.slice(0, -1) : text);
  return unmask(
    key === 'content' || key === 'message' || key.endsWith('_text') ? text : text.replace(/(?<![.!?,])[.!?,]+$/, ''),
  );
}

/**
 * "Run it" is not runnable: earlier messages are not read. With an unpaired backtick, the end of a command is unclear.
 */
function isRunnable({ name, arguments: { command, in_minutes } }: Call): boolean {
  if (name !== 'shell' || typeof command !== 'string') return in_minutes !== 0;
  const isElsewhere = /^(?:it|this|that|them|these|those)?[.!?]*$/i.test(command.trim());
  return !isElsewhere && command.split('`').length % 2 === 1;
}

/** Replaces each quotation by a placeholder word. A quotation must begin and end as one. */
function mask(text: string): { readonly masked: string; readonly unmask: (part: string) => string } {
  const kept: string[] = [];
  const plain = text.replaceAll(/[\ue000\ue001]/g, '');
  const quoted = /```[\s\S]*?```|(?<![^\s:(])(?:`[^`]*`|"[^"]*"|“[^“”]*”|'[^'\n]*')(?![^\s.,;:!?)])/g;
  const keep = (quotation: string) => `\ue000${kept.push(quotation) - 1}\ue001`;
  const unmask = (part: string) => part.replaceAll(/\ue000(\d+)\ue001/g, (_mark, at: string) => kept[Number(at)] ?? '');
  return { masked: plain.length > 2 * longestSentence ? plain : plain.replaceAll(quoted, keep), unmask };
}

function unquoted(text: string): string {
  return text.startsWith('```') ? text.replace(/^```\w*\n?/, '').replace(/\n?```$/, '') : text.slice(1, -1);
}

/** Reports the result of a call, verbatim up to the limit. */
function resultWords(result: ModelToolResult, turn: ModelMessage | undefined, limit: number): string {
  const text = result.text.trimEnd();
  const words = notRunWords(text);
  if (words !== undefined) return words;
  if (result.isError) return text.includes('\n') ? shown(text, limit) : escapeMarkdown(text);
  const parts = turn?.role === 'assistant' ? turn.parts : [];
  const call = parts.find((part) => part.type === 'call' && part.modelCallId === result.modelCallId);
  const { path, command } = call?.type === 'call' && isJsonObject(call.arguments) ? call.arguments : {};
  const title = titleOf(result.name, inlineCode(oneLine(String(path ?? command ?? ''), 80)));
  // What these tools return for an empty folder or file.
  if (/^(?:list_dir|read_file)$/.test(result.name) && /^\[.* is empty\]$/.test(text))
    return title.replace(/ \w+:$/, ' is empty.');
  return text === '' ? `${title} nothing.` : `${title}\n\n${shown(text, limit)}`;
}

function titleOf(name: string, what: string): string {
  if (name === 'list_dir') return what === '`.`' ? 'The folder holds:' : `${what} holds:`;
  if (name === 'read_file') return `${what} says:`;
  return `${name === 'shell' ? what : inlineCode(name)} gave:`;
}

function shown(text: string, limit = mostShown): string {
  const kept = text.slice(0, limit).replace(/[\ud800-\udbff]$/, '');
  return fenced(kept === text ? text : `${kept}\n… (${text.length - kept.length} more characters)`);
}

/** Tells a person why a call did not run, recognised by the beginning of its result. */
function notRunWords(text: string): string | undefined {
  for (const [opening, words] of notRun) {
    const match = opening.exec(text);
    if (match !== null) return match[1] === undefined ? words : `${words} ${escapeMarkdown(match[1])}`;
  }
  return undefined;
}

const notRun: readonly (readonly [RegExp, string])[] = [
  [
    /^Not executed: .* denied this call\. (?:Their reason: ([\s\S]*?) Do not)?/,
    'You did not allow it, so I did not do it.',
  ],
  [/^Not executed: a rule forbids this call, and nobody was asked\. ([\s\S]*)/, 'That is not allowed here.'],
  [/^Not executed: a person was asked/, 'Nobody decided in time, so I did not do it. Ask me again when you are there.'],
  [/^Not executed: a person stopped/, 'That was called off before it began.'],
  [/^Awaiting approval/, 'One thing still waits for your permission. The result will follow.'],
  [/^Already awaiting/, 'I have asked for permission to do exactly that before, and still wait.'],
  [/^Stopped by a person/, 'That was stopped while it ran.'],
  [/^Outcome unknown/, 'I was ended while that ran. Look how far it got before you ask for it again.'],
];

const realModel =
  'To talk to a real model, set `ANTHROPIC_API_KEY`, `OPENAI_API_KEY` or `GEMINI_API_KEY` and start me again, or give a model in the config the `base_url` of an OpenAI-compatible server, such as Ollama.';

const examples = `- \`list the files\`
- \`read notes.txt\`
- \`write hello to notes.txt\`
- \`replace hello with goodbye in notes.txt\`
- \`\` run \`ls -la\` \`\`
- \`remember that the bin is emptied on Friday\`
- \`remind me in 5 minutes to stand up\`

${realModel}`;

const smallTalkWords = `I am the offline demo model, which is no AI: I only match patterns and cannot chat. ${realModel} Until then, try \`list the files\`, or \`help\`.`;

const helpWords = `Hello! I am the offline model, which is no AI: I only match patterns. I can still call the tools, so you can try everything around them. Say, for example:\n\n${examples}`;

const noCommandWords = 'I cannot tell which command to run. Put it between two backticks: `` run `ls -la` ``';

/** Quotes the sentences if others were understood. */
function unknownWords(sentences: readonly string[], isAll: boolean): string {
  const quoted = sentences.slice(0, 3).map((sentence) => inlineCode(oneLine(sentence, 40)));
  const rest = sentences.length > 3 ? ` and ${sentences.length - 3} more` : '';
  return `I do not understand ${isAll ? 'that' : quoted.join(', ') + rest}. No language model is set up; I only match a few patterns, such as:\n\n${examples}`;
}
