import type { JsonObject } from '../lib/json.ts';
import { escapeMarkdown, fenced, inlineCode, oneLine } from '../lib/plain-text.ts';
import type { LanguageModel, ModelEvent, ModelMessage, ModelRequest, ModelToolResult } from './language-model.ts';

/**
 * The fallback where no model is configured: patterns turn plain sentences into calls of the available tools. It
 * answers everything that came in since its last turn, reports the results of its calls, and says that it is not an AI.
 */
export const offlineModel: LanguageModel = {
  label: 'offline (pattern matching, no AI)',
  seesImages: false,
  async *stream({ messages, tools, signal }: ModelRequest): AsyncGenerator<ModelEvent> {
    if (signal.aborted) return;
    const { reports, sentences } = unread(messages);
    const read = sentences.map((sentence) => ({ sentence, calls: callsIn(sentence) }));
    const unknown = read.filter(({ calls }) => calls === undefined).map(({ sentence }) => sentence);
    const calls = read.flatMap((one) => one.calls ?? []);
    const missing = calls.find(({ name }) => !tools.some((tool) => tool.name === name));
    if (missing !== undefined) reports.push(`The tool ${inlineCode(missing.name)} is not available here.`);
    if (unknown.length > 0) reports.push(guideFor(unknown));
    // All or nothing: a later call may need an earlier one.
    const made = missing === undefined ? calls : [];
    const text = reports.length + made.length === 0 ? guideFor(['']) : reports.join('\n\n');
    if (text !== '') yield { type: 'text', delta: text };
    const parts = [
      ...(text === '' ? [] : [{ type: 'text', text } as const]),
      ...made.map((call, at) => ({ type: 'call', modelCallId: `offline_${at + 1}`, ...call }) as const),
    ];
    yield { type: 'finish', answer: { parts, usage: { inputTokens: 0, outputTokens: 0 } } };
  },
};

/** What came in since the last turn: what there is to tell a person, and what people said. */
function unread(messages: readonly ModelMessage[]) {
  const newest = messages.slice(messages.findLastIndex(({ role }) => role === 'assistant') + 1);
  const text = newest.flatMap((message) => (message.role === 'user' ? [message.text] : [])).join('\n\n');
  const events = [...text.matchAll(event)];
  // The end of a run cancels what was asked for before.
  const ended = events.findLast(([, attributes]) => attributes?.includes('kind="run_ended"'));
  const results = newest.flatMap((message) => (message.role === 'results' && !ended ? message.results : []));
  const news = events.filter(([, attributes = '']) => !forModels.test(attributes));
  const said = text.slice(ended?.index).replaceAll(event, '\n\n');
  const reports = [
    ...results.map(resultWords),
    ...news.map(([, , words = '']) => reportOf('News', words)),
    ...[...said.matchAll(file)].map(([, name = '']) => `I have received ${escapeMarkdown(name)}.`),
  ];
  // Messages that waited together are paragraphs of one text.
  const paragraphs = said
    .replaceAll(file, '')
    .replaceAll(quotation, '')
    .split(/(?:\r?\n){2,}/);
  const sentences = paragraphs.map((paragraph) => paragraph.trim().replace(sender, ''));
  return { reports, sentences: sentences.filter((sentence) => sentence !== '') };
}

/** Only Keyturn can write these: they are removed from all other text. */
const event = /<keyturn_event([^>]*)>([\s\S]*?)<\/keyturn_event>/g;
/** Events that tell people nothing new: when a message was sent, how an answer or a run ended, what was said long ago. */
const forModels = /kind="(?:sent|answer_ended|answer_cut|run_ended|summary)"/;
/** Follows the sender, in a group. */
const file = /^(?:\[[^\]\n]*\] | {2})?\[file: ([^\]\n]*)\]$/gm;
/** The words of others, and the mark above them. */
const quotation = /^(?:>.*|\[[^\]\n]*\])$/gm;
const sender = /^(?:\[[^\]\n]*\] ){1,2}/;

function resultWords({ name, text, isError }: ModelToolResult): string {
  return isError ? reportOf('', text) : reportOf(`${inlineCode(name)} gave`, text, true);
}

function reportOf(title: string, result: string, isBlock = result.trim().includes('\n')): string {
  const text = result.trim();
  if (/^Not executed: .* denied this call/.test(text)) return 'You did not allow it, so I did not do it.';
  if (/^(?:A|Already a)waiting approval/.test(text)) return 'That waits for your permission. The result will follow.';
  const shown = text.slice(0, mostShown).toWellFormed();
  const rest = shown.length < text.length ? `\n… (${text.length - shown.length} more characters)` : '';
  const before = title === '' ? '' : `${title}:${isBlock ? '\n\n' : ' '}`;
  return `${before}${isBlock ? fenced(shown + rest) : escapeMarkdown(shown + rest)}`;
}

/** In characters. */
const mostShown = 3000;

interface Call {
  readonly name: string;
  readonly arguments: JsonObject;
}

/** The calls that a sentence asks for. Undefined if it is not understood. */
function callsIn(said: string): readonly Call[] | undefined {
  if (said.length > longestSentence) return undefined;
  const sentence = said
    .replace(/^(?:(?:please|(?:could|can|would|will) you),? )+/i, '')
    .replace(/,? please[.!?]*$/i, '');
  const clauses = restIsContent.test(sentence) ? [sentence] : sentence.split(joint);
  const calls = clauses.flatMap((clause) => callIn(clause) ?? []);
  if (calls.length === clauses.length) return calls;
  const whole = callIn(sentence);
  return whole && [whole];
}

/** In characters: short enough for every pattern. */
const longestSentence = 5000;
/** These take everything that follows as content. */
const restIsContent = /^(?:write|save) \S+: |^(?:echo|say|remember|remind) /i;
const joint = /,? (?:and then|then|and) (?:please )?(?=(?:list|show|read|write|replace|run|echo|remember|remind)\b)/i;

/** A pattern with the names of its arguments, and its tool. */
const patterns: readonly (readonly [pattern: RegExp, tool: string])[] = [
  [/^(?:write|save) (?<path>\S+): (?<content>.+)$/is, 'write_file'],
  [/^(?:write|save) (?<content>.+) to (?<path>\S+)$/is, 'write_file'],
  // The end is matched first: otherwise each "with" would be tried with each "in".
  [/^(?:replace|change) (?=.+ in \S+$)(?<old_text>.+?) (?:with|by|to) (?<new_text>.+) in (?<path>\S+)$/i, 'edit_file'],
  [
    /^(?:list|show|what)(?: me)?(?: all)?(?: the| my)? ?(?:files|folder)?(?: are there)?(?: in (?<path>\S+))?$/i,
    'list_dir',
  ],
  [/^ls(?: -\S+)*(?: (?<path>[^-\s]\S*))?$/i, 'list_dir'],
  [/^(?:read|cat|show|open) (?:me )?(?:the )?(?:file )?(?<path>\S+)$/i, 'read_file'],
  [/^(?:run|execute|\$) (?!(?:it|this|that)$)(?<command>.+)$/i, 'shell'],
  [/^(?:echo|say) (?<message>.+)$/is, 'echo'],
  [/^remember (?:that )?(?<text>.+)$/is, 'memory_store'],
  [/^what do you remember(?: about (?<query>.+))?$/i, 'memory_search'],
  [/^remind me in (?<in_minutes>[1-9]\d{0,5} (?:minute|hour|day)s?) (?:to|of|that|about) (?<text>.+)$/is, 'remind'],
];

function callIn(clause: string): Call | undefined {
  // "date." is no command, ".." is a folder.
  const bare = restIsContent.test(clause) ? clause : clause.replace(/(?<=[\w`"'])[.!?]+$/, '');
  for (const [pattern, name] of patterns) {
    const groups = pattern.exec(bare)?.groups;
    if (groups === undefined) continue;
    const values = Object.entries(groups).map(([key, text = '']) => [key, argumentOf(key, text)]);
    const call: Call = { name, arguments: Object.fromEntries(values) };
    // With an unpaired backtick, the end of a command is unclear.
    return String(call.arguments.command ?? '').split('`').length % 2 === 1 ? call : undefined;
  }
  return undefined;
}

function argumentOf(key: string, text: string): string | number {
  if (key === 'in_minutes') return Number.parseInt(text, 10) * (/day/i.test(text) ? 1440 : /hour/i.test(text) ? 60 : 1);
  if (key === 'path' && text === '') return '.';
  // A quotation stands for its content.
  return /^(["'`])((?:(?!\1).)+)\1$/s.exec(text.trim())?.[2] ?? text.trim();
}

const guide = `I am the offline model, which is no AI: I only match patterns. The tools that I call, and the questions before they run, are real. Say, for example:

- \`list the files\`
- \`write hello to notes.txt\`
- \`read notes.txt\`
- \`replace hello with goodbye in notes.txt\`
- \`\` run \`date\` \`\`
- \`remember that the bin is emptied on Friday\`
- \`remind me in 5 minutes to stand up\`

To talk to a real model, set \`ANTHROPIC_API_KEY\`, \`OPENAI_API_KEY\` or \`GEMINI_API_KEY\` and start me again, or give a model in the config the \`base_url\` of an OpenAI-compatible server, such as Ollama.`;

/** What to do next. Quotes the sentences that were not understood, except for greetings and requests for help. */
function guideFor(sentences: readonly string[]): string {
  const odd = sentences.filter((sentence) => !greeting.test(sentence));
  if (odd.length === 0) return `Hello! ${guide}`;
  const quoted = odd.slice(0, 3).map((sentence) => inlineCode(oneLine(sentence, 40)));
  return `I do not understand ${quoted.join(', ')}${odd.length > 3 ? ', …' : ''}. ${guide}`;
}

const greeting =
  /^(?:[^\p{L}\p{N}]*|[你您]好[啊呀吗]?|嗨|哈[喽囉啰]|こんにちは|안녕(?:하세요)?|(?:hi|hello|hey|hallo|hola|bonjour|ciao|good (?:morning|day|evening)|thanks|thank you|danke|ok|bye|\/?help|\/start|who are you|what can (?:you|i) do)\b.{0,20})$/iu;
