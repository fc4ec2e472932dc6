import { escapeMarkdown, inlineCode, oneLine } from '../../lib/plain-text.ts';
import type { Language } from '../../lib/words.ts';
import type { LanguageModel, ModelEvent, ModelMessage, ModelRequest } from '../language-model.ts';
import { type CallEnd, nextStop, reportOf, resultWords } from './results.ts';
import { type Call, callsIn } from './sentences.ts';
import type { Stop } from './stops.ts';
import { type Topic, topicOf } from './topics.ts';
import { allStops, choiceLines, chosenIn, firstStops, nearestStops } from './tour.ts';
import { offlineLabel, offlineWords } from './words.ts';

/**
 * The fallback where no model is configured, and a guided tour: patterns turn plain sentences, English and Chinese, into
 * calls of the available tools. It answers everything that came in since its last turn, reports the results of its calls,
 * offers what to say next as numbered choices, and says that it is not an AI.
 */
export const offlineModel: LanguageModel = {
  label: offlineLabel,
  seesImages: false,
  async *stream({ messages, tools, signal, language: usual = 'en' }: ModelRequest): AsyncGenerator<ModelEvent> {
    if (signal.aborted) return;
    const language = languageHere(messages, usual);
    const news = unread(messages, language);
    const now = timeSent(messages);
    const read = news.sentences.map((said) => readSentence(chosenIn(said, news.lastAnswer), now));
    const calls = read.flatMap((one) => one.calls ?? []);
    const missing = calls.find(({ name }) => !tools.some((tool) => tool.name === name));
    // All or nothing: a later call may need an earlier one.
    const made = missing === undefined ? calls : [];
    const unavailable = missing && offlineWords[language].noTool({ tool: inlineCode(missing.name) });
    const answers = answersTo(read, { isAlone: news.reports.length + calls.length === 0, language });
    const next = made.length + answers.length === 0 ? news.next : undefined;
    const offer = next && offlineWords[language].next({ choices: choiceLines([next], language) });
    const text = [...news.reports, unavailable, ...answers, offer].filter((part) => part !== undefined).join('\n\n');
    if (text !== '') yield { type: 'text', delta: text };
    const parts = [
      ...(text === '' ? [] : [{ type: 'text', text } as const]),
      ...made.map((call, at) => ({ type: 'call', modelCallId: `offline_${at + 1}`, ...call }) as const),
    ];
    yield { type: 'finish', answer: { parts, usage: { inputTokens: 0, outputTokens: 0 } } };
  },
};

/** A sentence, and what it asks for. */
interface ReadSentence {
  readonly sentence: string;
  readonly calls: readonly Call[] | undefined;
  /** If it asks for no call. */
  readonly topic: Topic | undefined;
}

function readSentence(sentence: string, now: string | undefined): ReadSentence {
  const calls = callsIn(sentence, now);
  return { sentence, calls, topic: calls === undefined ? topicOf(sentence) : undefined };
}

/** The words for what asks for no call. `isAlone`: nothing else is told; then saying nothing is a greeting, too. */
function answersTo(
  read: readonly ReadSentence[],
  { isAlone, language }: { readonly isAlone: boolean; readonly language: Language },
): readonly string[] {
  if (read.length === 0 && isAlone) return [wordsFor('hello', '', language)];
  const topics = new Map<Topic, string>();
  for (const { topic, sentence } of read) if (topic !== undefined && !topics.has(topic)) topics.set(topic, sentence);
  // A greeting before something else is only polite.
  if (read.length > 1 || !isAlone) topics.delete('hello');
  const unknown = read.filter(({ calls, topic }) => calls === undefined && topic === undefined);
  return [
    ...[...topics].map(([topic, sentence]) => wordsFor(topic, sentence, language)),
    ...(unknown.length === 0 ? [] : [notUnderstood(unknown, language)]),
  ];
}

function notUnderstood(unknown: readonly ReadSentence[], language: Language): string {
  const said = unknown.map(({ sentence }) => sentence);
  return offlineWords[language].notUnderstood({
    sentences: said.slice(0, 3).map((sentence) => inlineCode(oneLine(sentence, 40))),
    isMore: said.length > 3,
    choices: choiceLines(nearestStops(said.join(' '), choicesAtOnce), language),
  });
}

/** So many are read at a glance. */
const choicesAtOnce = 3;

function wordsFor(topic: Topic, sentence: string, language: Language): string {
  const say = offlineWords[language];
  const offered = (stops: readonly Stop[]) => ({ choices: choiceLines(stops, language) });
  switch (topic) {
    case 'hello':
      return say.hello(offered(firstStops));
    case 'who':
      return say.who(offered(firstStops));
    case 'fine':
      return say.fine(offered(firstStops));
    case 'safety':
      return say.safety(offered(['write', 'delete', 'run']));
    case 'help':
      return say.help(offered(allStops));
    case 'plan':
      return say.plan(offered(['remind', 'planned', 'model']));
    case 'cannot': {
      const near = nearestStops(sentence, choicesAtOnce).filter((stop) => stop !== 'model');
      return say.cannot(offered(['model' as const, ...near].slice(0, choicesAtOnce)));
    }
    case 'thanks':
    case 'bye':
    case 'model':
    case 'people':
    case 'stop':
    case 'undo':
    case 'language':
      return say[topic];
  }
}

/** What came in since the last turn. */
interface Unread {
  /** What there is to tell a person. */
  readonly reports: readonly string[];
  readonly sentences: readonly string[];
  /** The text of the answer before. */
  readonly lastAnswer: string;
  /** What follows on the tour, if one call was carried out. */
  readonly next: Stop | undefined;
}

function unread(messages: readonly ModelMessage[], language: Language): Unread {
  const say = offlineWords[language];
  const at = messages.findLastIndex(({ role }) => role === 'assistant');
  const newest = messages.slice(at + 1);
  const text = newest.flatMap((message) => (message.role === 'user' ? [message.text] : [])).join('\n\n');
  const events = [...text.matchAll(event)];
  // The end of a run cancels what was asked for before.
  const ended = events.findLast(([, attributes]) => attributes?.includes('kind="run_ended"'));
  const results = ended ? [] : resultsIn(newest, messages[at]);
  const news = events.filter(([, attributes = '']) => !forModels.test(attributes));
  const said = text.slice(ended?.index).replaceAll(event, '\n\n');
  const reports = [
    ...results.map((result) => resultWords(result, language)),
    ...news.map(([, , words = '']) => reportOf(words, { title: say.news, language })),
    ...[...said.matchAll(file)].map(([, name = '']) => say.received({ file: escapeMarkdown(name) })),
  ];
  // Messages that waited together are paragraphs of one text.
  const paragraphs = said
    .replaceAll(file, '')
    .replaceAll(quotation, '')
    .split(/(?:\r?\n){2,}/);
  const sentences = paragraphs.map((paragraph) => paragraph.trim().replace(sender, '')).filter((one) => one !== '');
  const [only, ...others] = results;
  const next = only === undefined || others.length > 0 ? undefined : nextStop(only);
  return { reports, sentences, lastAnswer: textOf(messages[at]), next };
}

function textOf(message: ModelMessage | undefined): string {
  if (message?.role !== 'assistant') return '';
  return message.parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n\n');
}

/** The results with their calls. */
function resultsIn(newest: readonly ModelMessage[], asked: ModelMessage | undefined): readonly CallEnd[] {
  const parts = asked?.role === 'assistant' ? asked.parts : [];
  const calls = new Map(parts.flatMap((part) => (part.type === 'call' ? [[part.modelCallId, part] as const] : [])));
  return newest.flatMap((message) =>
    message.role === 'results'
      ? message.results.map((result) => ({ ...result, call: calls.get(result.modelCallId) }))
      : [],
  );
}

/** Chinese to who has just written it, be it a word, or was answered in it: a number is in no language. */
function languageHere(messages: readonly ModelMessage[], usual: Language): Language {
  for (const message of messages.toReversed()) {
    const text = message.role === 'user' ? ownWords(message.text) : textOf(message).replace(/`[^`]*`/g, '');
    if (/\p{Script=Han}/u.test(text)) return /[\p{Script=Hiragana}\p{Script=Katakana}]/u.test(text) ? usual : 'zh';
    if (/\p{L}{2}/u.test(text)) return usual;
  }
  return usual;
}

function ownWords(text: string): string {
  return text
    .replaceAll(event, '')
    .replaceAll(file, '')
    .replaceAll(quotation, '')
    .replaceAll(/^\[[^\]\n]*\] /gm, '');
}

/** The sender's time when the newest message was sent, `2026-11-29T11:01`; undefined if that is not told. */
function timeSent(messages: readonly ModelMessage[]): string | undefined {
  const text = messages.flatMap((message) => (message.role === 'user' ? [message.text] : [])).join('\n');
  const [, day = '', month = '', year = '', time = ''] = [...text.matchAll(sentOn)].at(-1) ?? [];
  const at = months.indexOf(month);
  return at < 0 ? undefined : `${year}-${String(at + 1).padStart(2, '0')}-${day.padStart(2, '0')}T${time}`;
}

const sentOn = /<keyturn_event kind="sent">\w+,? (\d{1,2}) (\w{3})\w* (\d{4}),? (\d\d:\d\d)/g;
const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

/** Only Keyturn can write these: they are removed from all other text. */
const event = /<keyturn_event([^>]*)>([\s\S]*?)<\/keyturn_event>/g;
/** Events that tell people nothing new: when a message was sent, how an answer or a run ended, what was said long ago. */
const forModels = /kind="(?:sent|answer_ended|answer_cut|run_ended|summary)"/;
/** Follows the sender, in a group. */
const file = /^(?:\[[^\]\n]*\] | {2})?\[file: ([^\]\n]*)\]$/gm;
/** The words of others, and the mark above them. */
const quotation = /^(?:>.*|\[[^\]\n]*\])$/gm;
const sender = /^(?:\[[^\]\n]*\] ){1,2}/;
