/*
 * What a run does to messages of its own conversation besides answering: a reaction to what the person said, a new text for
 * its last answer. The tool that asks for it is `builtin/messages/react.ts`.
 */

import { isJsonObject, own } from '../lib/json.ts';
import { type Call, lastTurn, type Transcript, type TurnPart } from '../transcript.ts';
import type { ToolScope } from './tool.ts';

/** The tool's name, for those who read its calls in the transcript. */
export const reactorName = 'react';

/** The call that asks, and its scope. */
export type ChangingCall = ToolScope & { readonly callId: string };

/** Changes messages in the conversation of a call. Doing it twice is as good as once. */
export interface MessageChanges {
  /** Reacts to the newest message of the person that the model has read, until the signal aborts. */
  react(emoji: string, call: ChangingCall, signal: AbortSignal): Promise<ChangeFate>;
  /** Gives the last answer there another text, which people read as it is. */
  edit(markdown: string, call: ChangingCall, signal: AbortSignal): Promise<ChangeFate>;
}

/**
 * `done`: with the reaction that stands there · `none`: there is no such message · `unable`: the channel cannot do that ·
 * `not-editable`: the last answer is not one that can be edited · `too-long`: the text needs more than one message ·
 * `failed`: nothing was changed, for this reason.
 */
export type ChangeFate =
  | { readonly type: 'done'; readonly reaction?: string }
  | { readonly type: 'none' | 'unable' | 'too-long' }
  | { readonly type: 'not-editable'; readonly why: WhyNotEdited }
  | { readonly type: 'failed'; readonly reason: string };

/**
 * Why the last answer cannot be edited. `somebody-else`: it was given to another person of the group · `waiting`: it is not delivered yet · `undelivered`: it was not, and is not ·
 * `interrupted`: it broke off · `private`: one person alone sees it · `files`: it has some · `parts`: it is several messages.
 */
export type WhyNotEdited = 'somebody-else' | 'waiting' | 'undelivered' | 'interrupted' | 'private' | 'files' | 'parts';

/** The new text of an answer, if the model gave it one by this part of its turn. */
export function editedText(part: TurnPart): string | undefined {
  if (part.type !== 'call' || part.name !== reactorName || !isJsonObject(part.arguments)) return undefined;
  const text = own(part.arguments, 'edit');
  return typeof text === 'string' ? text : undefined;
}

/** Whether people have seen what this call did to a message. */
function isChangeSeen({ name, result }: Call): boolean {
  return name === reactorName && result?.outcome === 'success';
}

/** Whether a run has reacted to a message: no mark may take the place of that. */
export function hasReacted({ entries }: Transcript, runId: string): boolean {
  return entries.some((entry) => entry.type === 'turn' && entry.runId === runId && entry.calls.some(isChangeSeen));
}

/** Whether the newest turn is of this run and has changed a message: nothing need be said after that. */
export function endsWithChange(transcript: Transcript, runId: string): boolean {
  const last = lastTurn(transcript);
  return last?.type === 'turn' && last.runId === runId && last.calls.some(isChangeSeen);
}
