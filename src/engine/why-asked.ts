/* Why a run works: what its person said, or what began it. Cards say it, in the person's own terms. */

import type { AskReason } from '../approval/approval.ts';
import { type Asker, cardWords } from '../approval/asking/words.ts';
import { escapeMarkdown, inlineCode, nameCode, oneLine, personWords, shortened } from '../lib/plain-text.ts';
import type { Language } from '../lib/words.ts';
import { sourceIn } from '../tools/taint-sources.ts';
import type { Transcript, TranscriptEntry, UserMessage } from '../transcript.ts';
import { eventTag } from '../words/model-words.ts';

/** `text`: as the person wrote or said it. */
export type RunCause =
  | { readonly type: 'message'; readonly text: string }
  | { readonly type: 'schedule'; readonly id: string; readonly text: string }
  | { readonly type: 'webhook'; readonly name: string };

/** The newest that the person said, or that asked for an answer in their name. Undefined if it is not known any more. */
export function causeOf(entries: Transcript['entries'], principal: string): RunCause | undefined {
  for (const entry of entries.toReversed()) {
    const cause = causeIn(entry, principal);
    if (cause !== undefined) return cause;
  }
  return undefined;
}

function causeIn(entry: TranscriptEntry, principal: string): RunCause | undefined {
  if (entry.type === 'user') {
    const text = entry.principal === principal && entry.isByProgram !== true ? saidIn(entry) : '';
    return text === '' ? undefined : { type: 'message', text };
  }
  if (entry.type !== 'event' || entry.principal !== principal || !entry.wantsAnswer) return undefined;
  const [, schedule, webhook] = beginning.exec(entry.text) ?? [];
  if (webhook !== undefined) return { type: 'webhook', name: webhook };
  return schedule === undefined ? undefined : { type: 'schedule', id: schedule, text: quotedIn(entry.text) };
}

/** How events begin that start a run. Only Keyturn writes events. */
const beginning = new RegExp(
  `^<${eventTag} kind="(?:scheduled_task" schedule="([^"<>]{1,40})|webhook" webhook="([^"<>]{1,100}))">`,
);

function saidIn({ text, attachments = [] }: UserMessage): string {
  if (text.trim() !== '') return text;
  const voice = attachments.find((one) => one.kind === 'voice' && one.isShared !== true && one.state === 'saved');
  return voice?.state === 'saved' ? (voice.transcript ?? '') : '';
}

function quotedIn(text: string): string {
  const quoted = text.split('\n').filter((line) => line.startsWith('> '));
  return quoted.map((line) => line.slice('> '.length)).join('\n');
}

/** The run that a call is made in. */
interface WhyRun {
  readonly cause: RunCause | undefined;
  /** The worker that calls is the last one. */
  readonly workers: readonly { readonly name: string }[];
  readonly scope: { readonly sender: { readonly principal: string; readonly name: string } };
}

/** Who reads the card, as far as that matters. */
interface WhyReader {
  readonly language: Language;
  /** It is the person whose run it is, in their own chat. */
  readonly isRequester: boolean;
  /** The name of the conversation that asks, if the card is shown elsewhere. */
  readonly forwardedFrom: string | undefined;
  /** Removes secrets. */
  readonly redact: (text: string) => string;
}

/** What is shown of the person's words, in characters. */
const longestSaid = 100;
/** More sources are only counted. */
const mostSources = 2;

/** A line of markdown; undefined if there is nothing to say. */
export function whyWords(run: WhyRun, because: AskReason, reader: WhyReader): string | undefined {
  const parts = [begunBy(run, reader), readWordsOf(because, reader.language)].filter((part) => part !== undefined);
  return parts.length === 0 ? undefined : cardWords[reader.language].causes(parts);
}

function begunBy(
  { cause, workers, scope: { sender } }: WhyRun,
  { language, isRequester, forwardedFrom, redact }: WhyReader,
): string | undefined {
  const words = cardWords[language];
  const conversation = forwardedFrom === undefined ? undefined : nameCode(forwardedFrom);
  const asker: Asker | undefined = isRequester ? undefined : { person: personWords(sender), conversation };
  const worker = workers.at(-1);
  if (worker !== undefined) return words.worker({ name: inlineCode(worker.name), asker });
  switch (cause?.type) {
    case 'message':
      return words.asked({ said: quoted(redact(cause.text)), asker });
    case 'schedule':
      return words.schedule({ name: inlineCode(cause.id), said: quoted(redact(cause.text)), asker });
    case 'webhook':
      return words.webhook({ name: inlineCode(cause.name), asker });
    case undefined:
      return asker && words.askedFor(asker);
  }
}

function quoted(text: string): string {
  return escapeMarkdown(shortened(oneLine(text, Number.POSITIVE_INFINITY), longestSaid));
}

function readWordsOf(because: AskReason, language: Language): string | undefined {
  if (because.because !== 'tainted' && because.because !== 'could-leak') return undefined;
  const named = because.sources.slice(-mostSources);
  const sources = named.map((source) => inlineCode(oneLine(sourceIn(language, source), 60)));
  return cardWords[language].afterReading({ sources, more: because.more + because.sources.length - named.length });
}
