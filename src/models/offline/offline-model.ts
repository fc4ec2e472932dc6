import { escapeMarkdown, fenced, inlineCode, oneLine } from '../../lib/plain-text.ts';
import type { Language } from '../../lib/words.ts';
import type { LanguageModel, ModelEvent, ModelMessage, ModelRequest, ModelToolResult } from '../language-model.ts';
import { callsIn, isGreeting } from './sentences.ts';
import { offlineLabel, offlineWords } from './words.ts';

/**
 * The fallback where no model is configured: patterns turn plain sentences, English and Chinese, into calls of the
 * available tools. It answers everything that came in since its last turn, reports the results of its calls, and says that it is not an AI.
 */
export const offlineModel: LanguageModel = {
  label: offlineLabel,
  seesImages: false,
  async *stream({ messages, tools, signal, language = 'en' }: ModelRequest): AsyncGenerator<ModelEvent> {
    if (signal.aborted) return;
    const { reports, sentences } = unread(messages, language);
    const read = sentences.map((sentence) => ({ sentence, calls: callsIn(sentence) }));
    const unknown = read.filter(({ calls }) => calls === undefined).map(({ sentence }) => sentence);
    const calls = read.flatMap((one) => one.calls ?? []);
    const missing = calls.find(({ name }) => !tools.some((tool) => tool.name === name));
    if (missing !== undefined) reports.push(offlineWords[language].noTool({ tool: inlineCode(missing.name) }));
    if (unknown.length > 0) reports.push(guideFor(unknown, language));
    // All or nothing: a later call may need an earlier one.
    const made = missing === undefined ? calls : [];
    const text = reports.length + made.length === 0 ? guideFor([''], language) : reports.join('\n\n');
    if (text !== '') yield { type: 'text', delta: text };
    const parts = [
      ...(text === '' ? [] : [{ type: 'text', text } as const]),
      ...made.map((call, at) => ({ type: 'call', modelCallId: `offline_${at + 1}`, ...call }) as const),
    ];
    yield { type: 'finish', answer: { parts, usage: { inputTokens: 0, outputTokens: 0 } } };
  },
};

/** What came in since the last turn: what there is to tell a person, and what people said. */
function unread(messages: readonly ModelMessage[], language: Language) {
  const say = offlineWords[language];
  const newest = messages.slice(messages.findLastIndex(({ role }) => role === 'assistant') + 1);
  const text = newest.flatMap((message) => (message.role === 'user' ? [message.text] : [])).join('\n\n');
  const events = [...text.matchAll(event)];
  // The end of a run cancels what was asked for before.
  const ended = events.findLast(([, attributes]) => attributes?.includes('kind="run_ended"'));
  const results = newest.flatMap((message) => (message.role === 'results' && !ended ? message.results : []));
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

function resultWords({ name, text, isError }: ModelToolResult, language: Language): string {
  if (isError) return reportOf(text, { language });
  return reportOf(text, { title: offlineWords[language].gave({ tool: inlineCode(name) }), isBlock: true, language });
}

interface Report {
  readonly title?: string;
  readonly isBlock?: boolean;
  readonly language: Language;
}

function reportOf(result: string, { title, isBlock = result.trim().includes('\n'), language }: Report): string {
  const say = offlineWords[language];
  const text = result.trim();
  if (/^Not executed: .* denied this call/.test(text)) return say.denied;
  if (/^(?:A|Already a)waiting approval/.test(text)) return say.waits;
  const shown = text.slice(0, mostShown).toWellFormed();
  const left = text.length - shown.length;
  const whole = left > 0 ? say.cut({ shown, left }) : shown;
  const words = isBlock ? fenced(whole) : escapeMarkdown(whole);
  return title === undefined ? words : say.titled({ title, text: words, isBlock });
}

/** In characters. */
const mostShown = 3000;

/** What to do next. Quotes the sentences that were not understood, except for greetings and requests for help. */
function guideFor(sentences: readonly string[], language: Language): string {
  const say = offlineWords[language];
  const odd = sentences.filter((sentence) => !isGreeting(sentence));
  if (odd.length === 0) return say.hello(say);
  const quoted = odd.slice(0, 3).map((sentence) => inlineCode(oneLine(sentence, 40)));
  return say.notUnderstood({ sentences: quoted, isMore: odd.length > 3, guide: say.guide });
}
