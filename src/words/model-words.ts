/*
 * What Keyturn itself says to the model: events, and the results of calls that did not run. Only Keyturn writes events:
 * nothing that anybody else says can pass for one. A person's denial, an expiry and a rule's refusal are three different
 * things, and the model must be able to tell them apart.
 */

import type { SharedText } from '../contract.ts';
import { oneLine } from '../lib/plain-text.ts';
import type { ToolCategory } from '../tools/category.ts';
import type { CallResult, UserMessage } from '../transcript.ts';

export const eventTag = 'keyturn_event';

/** What became of a call that the run did not wait for. */
export function outcomeEvent(callId: string, toolName: string, result: CallResult): string {
  return `<${eventTag} call="${callId}" tool="${toolName}" outcome="${result.outcome}">\n${defuse(result.text)}\n</${eventTag}>`;
}

/** What the model is told of a message that was changed after it had read it. What people wrote stands as a quotation. */
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

/** What the model is told of a message that was taken back after it had read it. */
export function deletionEvent(name: string, text: string): string {
  const lines = [`${oneName(name)} has deleted the message that began with:`, quotation(beginningOf(text))];
  return `<${eventTag} kind="message_deleted">\n${lines.join('\n')}\n</${eventTag}>`;
}

function beginningOf(text: string): string {
  return text.length > 80 ? `${text.slice(0, 80).toWellFormed()}…` : text;
}

/** Whatever somebody may take for the end of a line. */
export const lineEnd = /\r\n|[\n\r\u2028\u2029\v\f\u0085]/;

/**
 * The text without anything that could pass for an event: only Keyturn writes those. Nor can it begin one that the text
 * behind it goes on with.
 */
export function defuse(text: string): string {
  return text.replace(/<(?=[\s/\p{Cf}]*(?:keyturn_event|$))/giu, '‹');
}

/** A name on one line, about as long as platforms have them. Nothing in it ends brackets, or is there without being seen. */
export function oneName(name: string): string {
  return oneLine(defuse(name.toWellFormed()).replace(/[[\]\n\r\u2028\u2029\v\f\u0085]/g, ' '), 64);
}

/** Somebody's words as a quotation: none of its lines can pass for one of Keyturn's, or of somebody else's. */
export function quotation(words: string): string {
  const lines = defuse(words.toWellFormed()).split(lineEnd);
  return lines.map((line) => `> ${line}`).join('\n');
}

/** Words that somebody passes on, under a mark that says who wrote them. `by`: who passes them on, where that is not plain. */
export function passedOn({ how, name, text, isOwn }: SharedText, by = ''): string {
  const author = isOwn ? 'you' : name.trim() === '' ? 'somebody' : oneName(name);
  const passer = by === '' ? '' : ` by ${oneName(by)}`;
  const mark =
    how === 'forwarded' ? `forwarded${passer}, written by ${author}` : `sent${passer}, written by the bot ${author}`;
  return text.trim() === '' ? `[${mark}]` : `[${mark}:]\n${quotation(text)}`;
}

export function deniedResult(by: string, reason: string | undefined): string {
  const because = reason === undefined ? 'They gave no reason.' : `Their reason: ${reason}`;
  return `Not executed: ${oneLine(by, 40)} was asked and denied this call. ${because} Do not attempt it in another way unless you are told to.`;
}

export function expiredResult(): string {
  return 'Not executed: a person was asked for permission, and nobody decided in time. This is not a denial; it may be asked for again when somebody is there.';
}

/** What the requester said to a question of the model. */
export function answeredResult(by: string, answer: string): string {
  return `${oneLine(by, 40)} answered:\n${answer}`;
}

export function alreadyAskedResult(): string {
  return 'Not asked: the person was asked another question, and has not answered it. One at a time.';
}

export function unansweredResult(): string {
  return 'The question was shown, and nobody has answered it in time. Go on without the answer, or leave it.';
}

export function unreachableResult(): string {
  return 'Not executed: a person would have to allow this call, and nobody who may can be reached.';
}

export function refusedResult(reason: string): string {
  return `Not executed: a rule forbids this call, and nobody was asked. ${reason}`;
}

/** A hook of the operator's has cancelled the call, for this reason. */
export function hookCancelledResult(reason: string): string {
  return `Not executed: a hook of the operator's refused this call, and nobody was asked. ${reason}`;
}

/** A hook has made something of the call that its tool does not take. `why` tells what is wrong with it. */
export function hookSpoiledResult(why: string): string {
  return `Not executed: a hook of the operator's changed this call into one that cannot be made, which is not your fault. Tell the person. ${why}`;
}

/** Goes with the result of a call that a hook has changed. */
export function hookChangedNote(): string {
  return "[A hook of the operator's changed the arguments of this call before it was judged: not what you wrote was asked for or run.]";
}

/** What says how often it may be called, and when again. */
export function tooOftenResult(limit: string): string {
  return `Not executed, and nobody was asked: there were too many calls. ${limit}`;
}

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

export function unknownResult(): string {
  return 'Outcome unknown: the process ended while this call was running. It may have done all, part or none of its work, and it was not run again. Check before you repeat it.';
}

export function brokenResult(): string {
  return 'Not executed: something went wrong inside Keyturn before this call began. The operator can read what it was in the log.';
}

export function deferredResult(callId: string): string {
  return `Awaiting approval: a person has been asked, and the result of this call (${callId}) will follow as an event. Until then, treat it as not executed and do not repeat it.`;
}

/** Of a call on which a run of its own works. */
export function goesOnResult(callId: string): string {
  return `It has begun and goes on in the background. What comes of it will follow as an event (${callId}). Until then, nothing of it is known: do not repeat it.`;
}

export function alreadyAwaitingResult(approvalId?: string): string {
  return `Already awaiting approval${approvalId === undefined ? '' : ` ${approvalId}`}: the very same call was made before, and a person has been asked. Its result comes with that call, or follows as an event. Do not repeat it.`;
}

/** Of a call that was to share a card with one that has been asked for meanwhile. */
export function callAgainResult(): string {
  return 'Not executed, and nobody has been asked: it was to be asked for together with a call that awaits approval already. Call it again.';
}

/** `files`: what the call runs, or is about, of which one is not what it was when a person saw it. */
export function filesChangedResult(files: string): string {
  return `Not executed: ${files} changed after this call was approved, and what the person saw is not what would have run. Nothing was done. If it is still needed, make the call again: the person is asked about the file as it is now.`;
}

export function changedResult(): string {
  return 'Not executed: the call, its tool or its folder changed after it was approved. Make the call again if it is still needed.';
}
