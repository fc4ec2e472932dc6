import type { Redactor } from './guard/redact/redact.ts';
import type { WorkspaceFactory } from './guard/workspace/workspace.ts';
import type { ToolOutput } from './output.ts';
import { cleanText, cutMiddle, formatSize, revealTurns, withoutTurns } from './text.ts';

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
    effect: effect && { ...effect, apply: () => applied(effect.apply()) },
  };
}

/** The conversation itself sends long texts to people as files. */
function cut(output: ToolOutput, text: string, { limit, redact }: ShapeRules, where?: string): ToolOutput {
  const forUser = output.forUser && cutMiddle(forPeople(output.forUser, redact), limit);
  return { ...output, forLlm: cutMiddle(text, limit, where), forUser };
}

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
