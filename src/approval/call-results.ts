import type { ToolCategory } from '../tools/category.ts';

/**
 * What the model reads of a call that did not run, or whose end is not known. A person's denial, an expiry and a rule's
 * refusal are three different things, and it must be able to tell them apart.
 */

export function deniedResult(by: string, reason: string | undefined): string {
  const because = reason === undefined ? 'They gave no reason.' : `Their reason: ${reason}`;
  return `Not executed: ${by} was asked and denied this call. ${because} Do not attempt it in another way unless you are told to.`;
}

export function expiredResult(): string {
  return 'Not executed: a person was asked for permission, and nobody decided in time. This is not a denial; it may be asked for again when somebody is there.';
}

/** What the requester said to a question of the model. */
export function answeredResult(by: string, answer: string): string {
  return `${by} answered:\n${answer}`;
}

export function alreadyAskedResult(): string {
  return 'Not asked: the person has another question before him, and has not answered it. One at a time.';
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

export function alreadyAwaitingResult(approvalId: string): string {
  return `Already awaiting approval ${approvalId}: the very same call was made before, and a person has been asked. Its result comes with that call, or follows as an event. Do not repeat it.`;
}

export function changedResult(): string {
  return 'Not executed: the call, its tool or its folder changed after it was approved. Make the call again if it is still needed.';
}
