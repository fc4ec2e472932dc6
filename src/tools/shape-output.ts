import type { Redactor } from './guard/redact/redact.ts';
import type { WorkspaceFactory } from './guard/workspace/workspace.ts';
import type { ToolOutput } from './output.ts';
import { cleanText, cutMiddle, formatSize, revealTurns, withoutTurns } from './text.ts';

/** Where a text is that was too long to be given whole. */
export interface KeptText {
  /** From the workspace on. */
  readonly path: string;
  /** How much of it is there, in bytes, if it is not all. */
  readonly first?: number;
}

export interface ShapeRules {
  /** In characters, for the model and for people each. */
  readonly limit: number;
  readonly redact: Redactor;
  /** Keeps a text that is too long; undefined where that can't be done. */
  readonly keep: (text: string) => Promise<KeptText | undefined>;
}

/**
 * What comes out of a tool as others may see it: cleaned of what a terminal would obey, then without secrets, then cut. What
 * is cut from the model's part is kept.
 */
export async function shapeOutput(output: ToolOutput, rules: ShapeRules): Promise<ToolOutput> {
  const { limit, redact, keep } = rules;
  const { effect } = output;
  const text = forModel(output.forLlm, redact);
  const where = text.length <= limit ? '' : whereIs(await keep(text));
  // What an effect says is short: nothing of it has to be kept.
  const applied = (now: ToolOutput): ToolOutput => cut(now, forModel(now.forLlm, redact), rules);
  return {
    ...cut(output, text, rules, where),
    effect: effect && { ...effect, apply: () => applied(effect.apply()) },
  };
}

/** People get a long text as a file, from the conversation's own hands. */
function cut(output: ToolOutput, text: string, { limit, redact }: ShapeRules, where?: string): ToolOutput {
  const forUser = output.forUser && cutMiddle(forPeople(output.forUser, redact), limit);
  return { ...output, forLlm: cutMiddle(text, limit, where), forUser };
}

function forModel(text: string, redact: Redactor): string {
  return redact(revealTurns(cleanText(text)));
}

/** What people may read of what a tool says. */
export function forPeople(text: string, redact: Redactor): string {
  return redact(withoutTurns(cleanText(text)));
}

function whereIs(kept: KeptText | undefined): string {
  if (kept === undefined) return ', and lost';
  const { path, first } = kept;
  const what = first === undefined ? 'all of it is' : `the first ${formatSize(first)} of it are`;
  return `; ${what} in ${path}: use read_file with offset and limit`;
}

/** Keeps what a call had to say, in the workspace that it worked in. Throws if that can't be written. */
export type KeepResult = (
  text: string,
  call: { readonly workspace: string; readonly callId: string },
) => Promise<KeptText>;

/** Where results are kept, from the workspace on. */
const folder = '.keyturn/results';

/** Where the result of a call is kept if it is too long, from the workspace on. */
export function keptPath(callId: string): string {
  return `${folder}/${callId.replaceAll(/[^\w-]/g, '_')}.txt`;
}

/**
 * Keeps results in files that the file tools can read, `.keyturn/results/<callId>.txt`. `maxBytes`: the most that is kept of
 * one, no more than can be read again. `maxFiles`: how many a workspace holds; the oldest go.
 */
export function resultFiles(workspaceAt: WorkspaceFactory, maxBytes: number, maxFiles = 50): KeepResult {
  return async (text, { workspace, callId }) => {
    const bytes = Buffer.from(text);
    // Streaming keeps back a character that the cut has halved.
    const first = (): string => new TextDecoder().decode(bytes.subarray(0, maxBytes), { stream: true });
    const kept = bytes.length <= maxBytes ? bytes : Buffer.from(first());
    await workspaceAt(workspace).keepNewest(folder, maxFiles - 1);
    const path = await workspaceAt(workspace).add(keptPath(callId), kept);
    return { path, first: kept.length < bytes.length ? kept.length : undefined };
  };
}
