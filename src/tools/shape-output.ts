import type { Redactor } from './guard/redact/redact.ts';
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
  const { forUser } = output;
  return {
    ...output,
    forLlm: await fitted(rules.redact(revealTurns(cleanText(output.forLlm))), rules),
    // People get a long text as a file, from the conversation's own hands.
    ...(forUser === undefined ? {} : { forUser: cutMiddle(forPeople(forUser, rules.redact), rules.limit) }),
  };
}

/** What people may read of what a tool says. */
export function forPeople(text: string, redact: Redactor): string {
  return redact(withoutTurns(cleanText(text)));
}

async function fitted(text: string, { limit, keep }: ShapeRules): Promise<string> {
  if (text.length <= limit) return text;
  return cutMiddle(text, limit, whereIs(await keep(text)));
}

function whereIs(kept: KeptText | undefined): string {
  if (kept === undefined) return ', and lost';
  const { path, first } = kept;
  const what = first === undefined ? 'all of it is' : `the first ${formatSize(first)} of it are`;
  return `; ${what} in ${path}: use read_file with offset and limit`;
}
