import type { ResultPicture } from '../transcript.ts';

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
  /** What the call does is rows of our own: the store does it with the end of the call, and it says what came of it. */
  readonly effect?: StoredEffect;
}

/** What a call does in our own store. It and the result of the call are one transaction: neither is there alone. */
export interface StoredEffect {
  /** Runs inside that transaction, at once. What it throws undoes it, and makes the call fail. */
  readonly apply: () => ToolOutput;
  /** Told once all of that is stored. */
  readonly stored?: () => void;
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

/**
 * What the call does is done as it ends. Such a tool has the facet `repeatable`: killed before, it has done nothing, and
 * runs again.
 */
export function storing(effect: StoredEffect): ToolOutput {
  return { forLlm: '', isError: false, isAsync: false, effect };
}

/** A run of its own works on it, and brings the result. */
export function handedOver(subRun: SubRunRequest): ToolOutput {
  return { forLlm: '', isError: false, isAsync: subRun.inBackground, subRun };
}
export type SubRunWorker =
  | { readonly type: 'agent'; readonly name: string }
  /** The conversation's own model, with the words of a composed tool, and at most the tools that its author had. */
  | { readonly type: 'composed'; readonly name: string; readonly only: readonly string[] };

/** A run of its own that a call asks for. What it comes to is the call's result. */
export interface SubRunRequest {
  readonly worker: SubRunWorker;
  /** A few words for people. */
  readonly title: string;
  /** What is to be done, as the worker reads it. */
  readonly task: string;
  /** The run that asks does not wait for it: the result follows. */
  readonly inBackground: boolean;
  /** `json`: an object with `success`, `summary`, `subtaskId` and, where it failed, `error`. */
  readonly form: 'text' | 'json';
}

/** Where a run stands that another run has begun. */
export interface SubRunScope {
  /** 1 where a person's run has begun it. */
  readonly depth: number;
  /** Patterns of the tools that it may use: each list has to have one that fits. */
  readonly only: readonly (readonly string[])[];
}
export interface FileDraft {
  /** As people are to see it. What can't stand in a file's name is taken out. */
  readonly name: string;
  readonly mediaType: string;
  /** Where it can be read now. */
  readonly path: string;
  /** Where it stands in the workspace, for people who can't be shown it. */
  readonly from?: string;
}

/** A file of a message, of which a copy is kept until it was sent. */
export interface KeptFile {
  /** One path segment, without what can't be seen. */
  readonly name: string;
  readonly mediaType: string;
  /** In bytes. */
  readonly size: number;
  readonly from?: string;
}

/** Keeps what goes with messages, so that it neither changes nor vanishes on its way. */
export interface FileKeeper {
  /**
   * Copies the files for the message, which is stored with what this resolves with, afterwards. Copies for a message that
   * is never stored are gone after the next start. Throws `FileNotKeptError` if one can't be read or copied.
   */
  keep(messageId: string, files: readonly FileDraft[]): Promise<readonly KeptFile[]>;
}

/** A file can't be sent. Says which, and why. */
export class FileNotKeptError extends Error {
  override readonly name = 'FileNotKeptError';
}
