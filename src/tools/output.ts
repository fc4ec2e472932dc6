import type { ResultPicture } from '../transcript.ts';

/** A tool's result, separate for the model and for people. Expected failures are outputs, never throws. */
export interface ToolOutput {
  /** For the model. Never shown in the chat. */
  readonly forLlm: string;
  /** For people, shown once. Never reaches the model. */
  readonly forUser?: string;
  /** For people, below `forUser` or alone. Copies were kept for the message with this id. */
  readonly files?: { readonly messageId: string; readonly files: readonly KeptFile[] };
  /** For models with vision, besides the text: pictures in the workspace. */
  readonly pictures?: readonly ResultPicture[];
  readonly isError: boolean;
  /** The call ends, but its work continues: the tool itself reports the result in the chat, by `reply`. */
  readonly isAsync: boolean;
  /** The source of the content, if strangers may have written it: it taints the conversation. */
  readonly untrusted?: string;
  /** The call stays open: a sub-run works on it, and brings its result. */
  readonly subRun?: SubRunRequest;
  /** The run ends after the other calls of its turn, without asking the model again. */
  readonly completes?: true;
  /** A change of our own store, made when the call ends. It gives the result. */
  readonly effect?: StoredEffect;
}

/** A change of our own store, in one transaction with the result of the call. */
export interface StoredEffect {
  /** Runs synchronously in that transaction. If it throws, everything rolls back and the call fails. */
  readonly apply: () => ToolOutput;
  /** Called after the commit. */
  readonly stored?: () => void;
}

/** Only the model reads it. */
export function llmOnly(text: string): ToolOutput {
  return { forLlm: text, isError: false, isAsync: false };
}

/**
 * The model and people read the same text.
 * @public
 */
export function userVisible(text: string): ToolOutput {
  return { forLlm: text, forUser: text, isError: false, isAsync: false };
}

/** The model and people read different texts. */
export function split(forLlm: string, forUser: string): ToolOutput {
  return { forLlm, forUser, isError: false, isAsync: false };
}

/** A failure; the text tells the model what to do about it. */
export function error(text: string): ToolOutput {
  return { forLlm: text, isError: true, isAsync: false };
}

/**
 * Work that continues in the background, as the text tells the model. The call ends; a restart ends the work. The tool
 * reports the result in the chat, by `reply` of its context.
 * @public
 */
export function asyncTask(text: string): ToolOutput {
  return { forLlm: text, isError: false, isAsync: true };
}

/**
 * Applies the effect when the call ends. Give the tool the facet `repeatable`: if the process dies before, nothing was
 * done, and the call runs again.
 */
export function storing(effect: StoredEffect): ToolOutput {
  return { forLlm: '', isError: false, isAsync: false, effect };
}

/** Hands the call over to a sub-run, which brings the result. */
export function handedOver(subRun: SubRunRequest): ToolOutput {
  return { forLlm: '', isError: false, isAsync: subRun.inBackground, subRun };
}
export type SubRunWorker =
  | { readonly type: 'agent'; readonly name: string }
  /** The conversation's model with the instructions of a composed tool, and at most its author's tools. */
  | { readonly type: 'composed'; readonly name: string; readonly only: readonly string[] };

/** A sub-run that a call asks for. Its outcome is the call's result. */
export interface SubRunRequest {
  readonly worker: SubRunWorker;
  /** A few words for people. */
  readonly title: string;
  /** Instructions for the worker. */
  readonly task: string;
  /** The asking run does not wait: the result follows. */
  readonly inBackground: boolean;
  /** `json`: an object with `success`, `summary`, `subtaskId` and, on failure, `error`. */
  readonly form: 'text' | 'json';
}

/** The depth and the limits of a sub-run. */
export interface SubRunScope {
  /** 1 if a person's run started it. */
  readonly depth: number;
  /** Patterns of allowed tools: a tool must match one of each list. */
  readonly only: readonly (readonly string[])[];
}
export interface FileDraft {
  /** For people. Characters that a file name cannot hold are removed. */
  readonly name: string;
  readonly mediaType: string;
  /** Where it can be read now. */
  readonly path: string;
  /** Its path in the workspace, for people who cannot be shown the file. */
  readonly from?: string;
}

/** A file of a message. Its copy is kept until the message is sent. */
export interface KeptFile {
  /** One path segment without invisible characters. */
  readonly name: string;
  readonly mediaType: string;
  /** In bytes. */
  readonly size: number;
  readonly from?: string;
}

/** Keeps the files of messages, so that they do not change or vanish before they are sent. */
export interface FileKeeper {
  /**
   * Copies the files for a message, which is stored afterwards with the result. Copies for a message that is never
   * stored are deleted at the next start. Throws `FileNotKeptError` if one can't be read or copied.
   */
  keep(messageId: string, files: readonly FileDraft[]): Promise<readonly KeptFile[]>;
}

/** A file can't be sent. The message says which, and why. */
export class FileNotKeptError extends Error {
  override readonly name = 'FileNotKeptError';
}
