/*
 * Keyturn's own words to the model: events, and the results of calls that did not run. Only Keyturn can write events:
 * no other text can pass for one. A person's denial, an expiry and a rule's refusal are worded so that the model can
 * tell them apart.
 */

import type { SharedText } from '../contract.ts';
import { isJsonObject, parseJson } from '../lib/json.ts';
import { guessWords } from '../lib/nearest.ts';
import { oneLine } from '../lib/plain-text.ts';
import { finderName } from '../tools/found-tools.ts';
import { isPlainWord } from '../tools/text.ts';
import type { ToolCategory } from '../tools/tool.ts';
import type { AnswerEnding, CallResult, ClosingReason, HandCall, UserMessage } from '../transcript.ts';

export const eventTag = 'keyturn_event';

/** When the message below it was sent. */
export function timeEvent(time: string): string {
  return `<${eventTag} kind="sent">${time}</${eventTag}>`;
}

/** The outcome of a call that the run did not wait for. */
export function outcomeEvent(callId: string, toolName: string, result: CallResult): string {
  return `<${eventTag} call="${callId}" tool="${toolName}" outcome="${result.outcome}">\n${defuse(result.text)}\n</${eventTag}>`;
}

/** Tells the model of a message that was edited after it was read. People's words are quoted. */
export function editEvent(
  name: string,
  before: string,
  { text, shared = [] }: Pick<UserMessage, 'text' | 'shared'>,
): string {
  const lines = [
    `${oneName(name)} has changed the message that began with:`,
    quotation(beginningOf(before)),
    'It says now:',
    ...(text === '' && shared.length > 0 ? [] : [quotation(text)]),
    ...shared.map((words) => passedOn(words, name)),
  ];
  return `<${eventTag} kind="message_edited">\n${lines.join('\n')}\n</${eventTag}>`;
}

/** Tells the model of a message that was deleted after it was read. */
export function deletionEvent(name: string, text: string): string {
  const lines = [`${oneName(name)} has deleted the message that began with:`, quotation(beginningOf(text))];
  return `<${eventTag} kind="message_deleted">\n${lines.join('\n')}\n</${eventTag}>`;
}

/** Tells the model that files are as they were before a call of its own. Names of files that are no plain words are not told. */
export function putBackEvent(paths: readonly string[]): string {
  const plain = paths.filter((path) => path.split('/').every(isPlainWord)).slice(0, 20);
  const more = paths.length - plain.length;
  const names = [...plain.map((path) => JSON.stringify(path)), ...(more > 0 ? [`${more} more`] : [])];
  const text = `A person has undone a change of yours. These files of the workspace are again as they were before it: ${names.join(', ')}. Read them before you rely on what you know of them.`;
  return `<${eventTag} kind="files_put_back">\n${defuse(text)}\n</${eventTag}>`;
}

/** Tells the model that a person has called a tool by hand. No argument can pass for more than an argument. */
export function handCallEvent(name: string, call: HandCall): string {
  const args = JSON.stringify(call.arguments).replaceAll('<', '\\u003c');
  const lines = [`${oneName(name)} has called the tool ${call.name} by hand, with these arguments:`, args];
  return `<${eventTag} kind="hand_call" tool="${call.name}">\n${lines.join('\n')}\n</${eventTag}>`;
}

/** The call that such an event tells of; undefined if it is another one. */
export function handCallIn(event: string): HandCall | undefined {
  const [, name, written] = handCall.exec(event) ?? [];
  const args = written === undefined ? undefined : parseJson(written);
  return name === undefined || !isJsonObject(args) ? undefined : { name, arguments: args };
}

const handCall = new RegExp(
  `^<${eventTag} kind="hand_call" tool="([\\w-]{1,64})">\\n[^\\n]*\\n(\\{[^\\n]*\\})\\n</${eventTag}>$`,
);

/** The files that such an event names; undefined if it is another one. */
export function pathsPutBack(event: string): readonly string[] | undefined {
  const [, names] = /kind="files_put_back">.*before it: (.*)\. Read them/s.exec(event) ?? [];
  return names === undefined ? undefined : Array.from(names.matchAll(/"([^"\\]+)"/g), ([, path = '']) => path);
}

function beginningOf(text: string): string {
  return text.length > 80 ? `${text.slice(0, 80).toWellFormed()}…` : text;
}

/** Everything that may be read as the end of a line. */
export const lineEnd = /\r\n|[\n\r\u2028\u2029\v\f\u0085]/;

/** Escapes tags, so that the text cannot pass for an event, or begin one that the following text completes. */
export function defuse(text: string): string {
  return text.replace(/<(?=[\s/\p{Cf}]*(?:keyturn_event|$))/giu, '‹');
}

/** A name on one line, with at most 64 characters. It has no brackets and no hidden characters. */
export function oneName(name: string): string {
  return oneLine(defuse(name.toWellFormed()).replace(/[[\]\n\r\u2028\u2029\v\f\u0085]/g, ' '), 64);
}

/** Quotes a person's words: no line can pass for Keyturn's or another person's. */
export function quotation(words: string): string {
  const lines = defuse(words.toWellFormed()).split(lineEnd);
  return lines.map((line) => `> ${line}`).join('\n');
}

/**
 * Forwarded words under a mark that names their author. `by`: the person who passed them on, if that is not obvious.
 */
export function passedOn({ how, name, text, isOwn }: SharedText, by = ''): string {
  const author = isOwn ? 'you' : name.trim() === '' ? 'somebody' : oneName(name);
  const passer = by === '' ? '' : ` by ${oneName(by)}`;
  const mark =
    how === 'forwarded' ? `forwarded${passer}, written by ${author}` : `sent${passer}, written by the bot ${author}`;
  return text.trim() === '' ? `[${mark}]` : `[${mark}:]\n${quotation(text)}`;
}

export function deniedResult(by: string, reason: string | undefined): string {
  const because = reason === undefined ? 'They gave no reason.' : `Their reason: ${reason}`;
  return `Not executed: ${oneLine(by, 40)} was asked and denied this call. ${because} Do not try it in another way unless you are told to.`;
}

export const expiredResult =
  'Not executed: a person was asked for permission, and nobody decided in time. This is not a denial; it may be asked for again when somebody is there.';

/** The requester's answer to a question of the model. */
export function answeredResult(by: string, answer: string): string {
  return `${oneLine(by, 40)} answered:\n${answer}`;
}

export const alreadyAskedResult =
  'Not asked: the person was asked another question, and has not answered it. One at a time.';

export const unansweredResult =
  'The question was shown, and nobody answered it in time. Go on without the answer, or leave it.';

/** The card of a question was refused. */
export const unshownResult = 'The question could not be shown to the person. Go on without the answer, or leave it.';

export const unreachableResult =
  'Not executed: a person would have to allow this call, and nobody who may can be reached.';

export function refusedResult(reason: string): string {
  return `Not executed: a rule forbids this call, and nobody was asked. ${reason}`;
}

/** The operator's hook cancelled the call for this reason. */
export function hookCancelledResult(reason: string): string {
  return `Not executed: a hook set up by the operator refused this call, and nobody was asked. ${reason}`;
}

/** A hook changed the call into one that its tool does not accept. `why`: the fault. */
export function hookSpoiledResult(why: string): string {
  return `Not executed: a hook set up by the operator changed this call into one that cannot be made. That is not your fault: tell the person. ${why}`;
}

/** Added to the result of a call that a hook has changed. */
export const hookChangedNote =
  '[A hook set up by the operator changed the arguments of this call before it was judged: what was asked for or run is the changed call.]';

/** `limit`: how often the tool may be called, and when again. */
export function tooOftenResult(limit: string): string {
  return `Not executed, and nobody was asked: there were too many calls. ${limit}`;
}

/** `known`: the names of all tools of the conversation. If they are many, only the nearest is given. */
export function unknownToolResult(name: string, known: readonly string[]): string {
  const words = `There is no tool ${JSON.stringify(name.slice(0, 64))} here.`;
  if (known.length <= mostNamed || !known.includes(finderName)) return `${words} Available: ${known.join(', ')}.`;
  return `${words}${guessWords(name, known)} Look for it with ${finderName}.`;
}

export function unmadeToolResult(name: string): string {
  return `The tool ${name} did not run: it could not be made for this call. That is a fault of the tool, and the log says more. Find another way, or tell the person.`;
}

/** All builtin tools, and some more. */
const mostNamed = 40;

export function notOfferedResult({
  toolName,
  category,
}: {
  readonly toolName: string;
  readonly category: ToolCategory;
}): string {
  return refusedResult(`In this conversation, ${toolName} may not be used for this (${category}).`);
}

export function cancelledResult(begun: boolean): string {
  return begun
    ? 'Stopped by a person while it ran. It may have done part of its work.'
    : 'Not executed: a person stopped the run before this call began.';
}

export const unknownResult =
  'Outcome unknown: the process ended while this call was running. It may have done all, part or none of its work, and it was not run again. Check before you repeat it.';

export const unstoredResult =
  'Outcome unknown: this call ran, but its result could not be stored. The operator can read why in the log. Check before you repeat it.';

export const brokenResult =
  'Not executed: something went wrong inside Keyturn before this call began. The operator can read what it was in the log.';

export function deferredResult(callId: string): string {
  return `Awaiting approval: a person has been asked, and the result of this call (${callId}) will follow as an event. Until then, treat it as not executed and do not repeat it.`;
}

/** For a call with a run of its own. */
export function goesOnResult(callId: string): string {
  return `It has begun and continues in the background. Its result will follow as an event (${callId}). Do not repeat it.`;
}

export function alreadyAwaitingResult(approvalId?: string): string {
  return `Already awaiting approval${approvalId === undefined ? '' : ` ${approvalId}`}: the very same call was made before, and a person has been asked. Its result comes with that call, or follows as an event. Do not repeat it.`;
}

/** For a call that should have shared a card that was sent in the meantime. */
export const callAgainResult =
  'Not executed, and nobody has been asked: it belongs on the card of a call that already awaits approval. Call it again.';

/** `files`: the files of the call that changed after a person saw them. */
/** `files`: as markdown; empty if they are not known. */
export function filesChangedResult(files: string): string {
  return `Not executed: ${files === '' ? 'a file that it runs' : files} changed after this call was approved, and what the person saw is not what would have run. Nothing was done. If it is still needed, make the call again: the person is asked about the file as it is now.`;
}

export const changedResult =
  'Not executed: the call, its tool or its folder changed after it was approved. Make the call again if it is still needed.';

/**
 * Why a run ended, for a model: that of the conversation, or the one that the run worked for. In few words: a small model
 * tells people what stands before their words instead of answering these.
 */
export const closingWords: Readonly<Record<ClosingReason, string>> = {
  stopped: 'Stopped by a person.',
  failed: 'Ended by a fault.',
  expired: 'Ended: nobody decided in time.',
  limit: 'Ended: too many turns.',
  stuck: 'Paused: a tool kept failing, or the same call was made again and again. The person was told so.',
  completed: 'Complete, as a call of yours said.',
  budget: 'Ended: its budget was used up.',
};

/** What the model reads behind its answer that is not whole. */
export function endingEvent(ending: AnswerEnding): string {
  return `<${eventTag} kind="answer_ended">Your answer ended ${endings[ending]}. People know.</${eventTag}>`;
}

/** Behind the answer of a worker, for the model that asked for it. */
export function endingNote(ending: AnswerEnding | undefined): string {
  return ending === undefined ? '' : `[The answer ended ${endings[ending]}.]`;
}

const endings: Readonly<Record<AnswerEnding, string>> = {
  cut: 'at the limit of tokens',
  withheld: 'where the provider held back the rest for its content',
};
