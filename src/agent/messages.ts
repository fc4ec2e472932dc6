import type { Quote } from '../contract.ts';
import type { ModelImage, ModelMessage, ModelToolResult } from '../model/language-model.ts';
import type {
  Call,
  CallOutcome,
  DaemonEvent,
  ResultPicture,
  TranscriptEntry,
  Turn,
  UserMessage,
} from '../transcript.ts';
import { defuse, lineEnd, oneName, quotation } from './as-data.ts';
import { closingEvent, picturesEvent } from './daemon-event.ts';
import { fileLine, pictureLine } from './file-lines.ts';
import { noPictures, type Pictures, type SavedPicture } from './pictures.ts';
import { spokenIn } from './speech.ts';
import { withRepeatNotes } from './stuck.ts';

/**
 * The transcript in the words of the model port. What people write stands as data: nothing in it can pass for an event
 * of Keyturn. In a group, each message says whose it is.
 */
export function toModelMessages(
  entries: readonly TranscriptEntry[],
  inGroup: boolean,
  pictures: Pictures = noPictures,
): readonly ModelMessage[] {
  const messages: ModelMessage[] = [];
  for (const entry of withRepeatNotes(entries)) {
    const last = messages.at(-1);
    const [first, ...rest] = translate(entry, inGroup, pictures);
    if (first === undefined) continue;
    // Some providers refuse two user messages in a row.
    if (last?.role === 'user' && first.role === 'user') {
      const images = [...(last.images ?? []), ...(first.images ?? [])];
      messages[messages.length - 1] = userMessage(`${last.text}\n\n${first.text}`, images);
    } else {
      messages.push(first, ...rest);
    }
  }
  return messages;
}

function translate(entry: TranscriptEntry, inGroup: boolean, pictures: Pictures): readonly ModelMessage[] {
  switch (entry.type) {
    case 'user':
      return [userMessage(userText(entry, inGroup, pictures), imagesOf(savedOf(entry), pictures))];
    case 'event':
      return eventMessages(entry, pictures);
    case 'closing':
      return [{ role: 'user', text: closingEvent(entry.reason) }];
    case 'turn':
      return turnMessages(entry, pictures);
  }
}

function userMessage(text: string, images: readonly ModelImage[]): ModelMessage {
  return { role: 'user', text, ...(images.length === 0 ? {} : { images }) };
}

function savedOf({ attachments = [] }: UserMessage): readonly SavedPicture[] {
  return attachments.filter((attachment) => attachment.state === 'saved');
}

function imagesOf(sources: readonly SavedPicture[], pictures: Pictures): readonly ModelImage[] {
  return sources.flatMap((source) => {
    const picture = pictures.get(source);
    return picture !== undefined && 'image' in picture ? [picture.image] : [];
  });
}

function userText(message: UserMessage, inGroup: boolean, pictures: Pictures): string {
  const { name, quote } = message;
  const text = defuse(wordsOf(message, pictures));
  const said = inGroup ? inLines(`[${oneName(name)}]`, text) : text;
  return quote === undefined ? said : `${quoteText(quote)}\n${said}`;
}

/** What was written, what was spoken, and a line for each file. */
function wordsOf(message: UserMessage, pictures: Pictures): string {
  const { text, attachments } = message;
  if (attachments === undefined) return text;
  const spoken = spokenIn(message).map((words) => `[spoken:] ${words}`);
  const lines = attachments.map((attachment) => fileLine(attachment, pictures));
  return [...(text.trim() === '' ? [] : [text]), ...spoken, ...lines].join('\n');
}

/** What is quoted stands as a quotation, whatever it says. */
function quoteText({ name, text, isOwn }: Quote): string {
  const author = isOwn ? 'you' : name === '' ? 'somebody' : oneName(name);
  return `[in reply to ${author}:]\n${quotation(text.slice(0, longestQuote))}`;
}

const longestQuote = 2000;

function eventMessages({ text, pictures: brought = [] }: DaemonEvent, pictures: Pictures): readonly ModelMessage[] {
  const [shown] = toSee(brought, pictures);
  if (shown?.role !== 'user') return [{ role: 'user', text }];
  return [{ ...shown, text: `${text}\n${shown.text}` }];
}

/** What tools have brought to be seen. Not in the results themselves: not every provider takes pictures there. */
function toSee(brought: readonly ResultPicture[], pictures: Pictures): readonly ModelMessage[] {
  const lines = brought.flatMap((source) => {
    const picture = pictures.get(source);
    return picture === undefined ? [] : [pictureLine(source, picture)];
  });
  return lines.length === 0 ? [] : [userMessage(picturesEvent(lines), imagesOf(brought, pictures))];
}

function turnMessages(turn: Turn, pictures: Pictures): readonly ModelMessage[] {
  const answer: ModelMessage = { role: 'assistant', parts: turn.parts };
  if (turn.calls.length === 0) return [answer];
  const modelCallIds = new Map(
    turn.parts.flatMap((part) => (part.type === 'call' ? [[part.callId, part.modelCallId] as const] : [])),
  );
  return [
    answer,
    { role: 'results', results: turn.calls.map((call) => toResult(call, modelCallIds.get(call.id) ?? call.id)) },
    ...toSee(
      turn.calls.flatMap(({ result }) => result?.pictures ?? []),
      pictures,
    ),
  ];
}

function toResult(call: Call, modelCallId: string): ModelToolResult {
  if (call.result === undefined)
    throw new Error(`call ${call.id} has no result, and the model must not be asked before it has one`);
  const { outcome, text } = call.result;
  return { modelCallId, name: call.name, text: defuse(text), isError: !harmless.includes(outcome) };
}

const harmless: readonly CallOutcome[] = ['success', 'deferred', 'completed'];

/** Only what Keyturn writes stands at the beginning of a line: nobody can write in another one's name. */
function inLines(mark: string, text: string): string {
  return `${mark} ${text.split(lineEnd).join('\n  ')}`;
}
