import { markdownLine } from '../lib/plain-text.ts';
import type { InLanguage } from '../lib/words.ts';
import type { ResultPicture } from '../transcript.ts';
import type { Redactor } from './guard/redact/redact.ts';
import type { WorkspaceFactory } from './guard/workspace/workspace.ts';
import { keptFrom } from './taint-sources.ts';
import { cleanText, cutMiddle, formatSize, revealTurns, withoutTurns } from './text.ts';

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
  /** What it did, for its decided card: markdown in the past tense, of the tool's own facts: "wrote `notes.txt` (8 bytes)". */
  readonly did?: InLanguage | undefined;
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

/** Where a change of our own store is made. */
export interface Within {
  /** The transaction that it happens in. Only the store looks inside. */
  readonly transaction: object;
}

/** A change of our own store, in one transaction with the result of the call. */
export interface StoredEffect {
  /** Runs in that transaction, and waits for nothing but the store. If it throws, everything rolls back and the call fails. */
  readonly apply: (within: Within) => ToolOutput | Promise<ToolOutput>;
  /** Called after the commit, even if the call was called off before its effect. */
  readonly stored?: () => void;
}

const fine = { isError: false, isAsync: false } as const;

/** Only the model reads it. */
export function llmOnly(text: string): ToolOutput {
  return { forLlm: text, ...fine };
}

/**
 * The model and people read the same text.
 * @public
 */
export function userVisible(text: string): ToolOutput {
  return { forLlm: text, forUser: text, ...fine };
}

/** The model and people read different texts. */
export function split(forLlm: string, forUser: string): ToolOutput {
  return { forLlm, forUser, ...fine };
}

/** What was kept from before: tainted by the untrusted sources that had been read when it was written. */
export function readFrom(
  kept: readonly { readonly untrusted: readonly string[] }[],
  what: 'memories' | 'plans',
  text: string,
): ToolOutput {
  const sources = [...new Set(kept.flatMap(({ untrusted }) => untrusted))];
  return { ...llmOnly(text), untrusted: sources.length === 0 ? undefined : keptFrom(what, sources) };
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
 * Applies the effect when the call ends. Give the tool the facet `leavesNothing`: if the process dies before, nothing was
 * done, and the call runs again.
 */
export function storing(effect: StoredEffect): ToolOutput {
  return { forLlm: '', ...fine, effect };
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
  /** The untrusted sources that the instructions may come from: the sub-run has read them. */
  readonly untrusted?: readonly string[] | undefined;
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
  /** Words that were spoken: see `OutboundFile`. */
  readonly isVoice?: true;
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

/** Where a text is kept that was too long. */
export interface KeptText {
  /** Relative to the workspace. */
  readonly path: string;
  /** The bytes that were kept, if not all. */
  readonly first?: number;
}

export interface ShapeRules {
  /** In characters, for the model and for people each. */
  readonly limit: number;
  readonly redact: Redactor;
  /** Keeps a text that is too long; undefined if it can't. */
  readonly keep: (text: string) => Promise<KeptText | undefined>;
}

/**
 * Prepares an output for its readers: removes terminal escapes, redacts secrets, then cuts. What is cut from the
 * model's part is kept.
 */
export async function shapeOutput(output: ToolOutput, rules: ShapeRules): Promise<ToolOutput> {
  const { limit, redact, keep } = rules;
  const { effect } = output;
  const text = forModel(output.forLlm, redact);
  const where = text.length <= limit ? '' : whereIs(await keep(text));
  // An effect's output is short: there is nothing to keep.
  const applied = (now: ToolOutput): ToolOutput => cut(now, forModel(now.forLlm, redact), rules);
  return {
    ...cut(output, text, rules, where),
    effect: effect && { ...effect, apply: async (within) => applied(await effect.apply(within)) },
  };
}

/** The conversation itself sends long texts to people as files. */
function cut(output: ToolOutput, text: string, { limit, redact }: ShapeRules, where?: string): ToolOutput {
  const forUser = output.forUser && cutMiddle(forPeople(output.forUser, redact), limit);
  const { did } = output;
  const said: InLanguage | undefined =
    did && ((language) => markdownLine(forPeople(did(language), redact), longestDeed));
  return { ...output, forLlm: cutMiddle(text, limit, where), forUser, ...(said && { did: said }) };
}

/** It stands on one line of a card. */
const longestDeed = 300;

function forModel(text: string, redact: Redactor): string {
  return redact(revealTurns(cleanText(text)));
}

/** The part of a tool's text that people may read. */
export function forPeople(text: string, redact: Redactor): string {
  return redact(withoutTurns(cleanText(text)));
}

function whereIs(kept: KeptText | undefined): string {
  if (kept === undefined) return ', and lost';
  const { path, first } = kept;
  const what = first === undefined ? 'all of it is' : `the first ${formatSize(first)} of it are`;
  return `; ${what} in ${path}: use read_file with offset and limit`;
}

/** Keeps the output of a call in its workspace. Throws if it can't be written. */
export type KeepResult = (
  text: string,
  call: { readonly workspace: string; readonly callId: string },
) => Promise<KeptText>;

/** Relative to the workspace. */
const folder = '.keyturn/results';

/** Where the result of a call is kept if it is too long, relative to the workspace. */
export function keptPath(callId: string): string {
  return `${folder}/${callId.replaceAll(/[^\w-]/g, '_')}.txt`;
}

/**
 * Keeps results in files for the file tools, `.keyturn/results/<callId>.txt`. `maxBytes`: the limit per file, at most
 * what can be read again. `maxFiles`: the limit per workspace; the oldest are deleted.
 */
export function resultFiles(workspaceAt: WorkspaceFactory, maxBytes: number, maxFiles = 50): KeepResult {
  return async (text, { workspace, callId }) => {
    const bytes = Buffer.from(text);
    // Streaming drops a character that the cut has halved.
    const first = (): string => new TextDecoder().decode(bytes.subarray(0, maxBytes), { stream: true });
    const kept = bytes.length <= maxBytes ? bytes : Buffer.from(first());
    await workspaceAt(workspace).keepNewest(folder, maxFiles - 1);
    const path = await workspaceAt(workspace).add(keptPath(callId), kept);
    return { path, first: kept.length < bytes.length ? kept.length : undefined };
  };
}
