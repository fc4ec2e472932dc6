import type { ResultPicture } from '../transcript.ts';
import type { KeptFile } from './kept-file.ts';
import type { SubRunRequest } from './sub-run-request.ts';

/** What a tool has to say, to the model and to people apart. An expected failure is an output, never a throw. */
export interface ToolOutput {
  /** What the model reads. Never shown in the chat. */
  readonly forLlm: string;
  /** What people see, once. Never reaches the model. */
  readonly forUser?: string;
  /** What people see below `forUser`, or alone. Copies were kept for the message of this id. */
  readonly files?: { readonly messageId: string; readonly files: readonly KeptFile[] };
  /** What a model that sees is shown, beside what it reads: pictures in the workspace. */
  readonly pictures?: readonly ResultPicture[];
  readonly isError: boolean;
  /** The work goes on behind the call, which is over: what comes of it the tool itself says in the chat, by `reply`. */
  readonly isAsync: boolean;
  /** Where the content comes from, if strangers may have written it: it taints the conversation. */
  readonly untrusted?: string;
  /** The call is not over: a run of its own works on it, and brings its result. */
  readonly subRun?: SubRunRequest;
  /** The run is over when the other calls of its turn are: the model is not asked again. */
  readonly completes?: true;
}

/** The model reads it, people do not see it. */
export function llmOnly(text: string): ToolOutput {
  return { forLlm: text, isError: false, isAsync: false };
}

/**
 * The model and people read the same.
 * @public
 */
export function userVisible(text: string): ToolOutput {
  return { forLlm: text, forUser: text, isError: false, isAsync: false };
}

/** The model reads the one, people the other. */
export function split(forLlm: string, forUser: string): ToolOutput {
  return { forLlm, forUser, isError: false, isAsync: false };
}

/** It did not work; the text tells the model what to do about it. */
export function error(text: string): ToolOutput {
  return { forLlm: text, isError: true, isAsync: false };
}

/**
 * It goes on in the background; the text tells the model so. The call is over with that, and a restart ends the work: what
 * comes of it the tool says in the chat, by `reply` of its context.
 * @public
 */
export function asyncTask(text: string): ToolOutput {
  return { forLlm: text, isError: false, isAsync: true };
}

/** A run of its own works on it, and brings the result. */
export function handedOver(subRun: SubRunRequest): ToolOutput {
  return { forLlm: '', isError: false, isAsync: subRun.inBackground, subRun };
}
