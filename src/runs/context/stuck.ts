import { canonicalJson } from '../../lib/json.ts';
import { inlineCode } from '../../lib/plain-text.ts';
import { withoutFailureNote } from '../../tools/runner.ts';
import type { Call, TranscriptEntry, Turn } from '../../transcript.ts';

/** When a run is stopped as stuck. 0 turns a check off. */
interface StuckLimits {
  /** Consecutive turns in which every call of one tool failed. */
  readonly maxFailures: number;
  /** How often the same call has given the same result. */
  readonly maxRepeats: number;
}

interface Stuck {
  readonly type: 'failing' | 'repeating';
  readonly toolName: string;
  readonly times: number;
}

/** Words for the person if the run is stuck; undefined otherwise. */
export function stuckWords(entries: readonly TranscriptEntry[], limits: StuckLimits): string | undefined {
  const stuck = stuckOf(entries, limits);
  if (stuck === undefined) return undefined;
  const { type, toolName, times } = stuck;
  const tool = inlineCode(toolName);
  const what =
    type === 'failing'
      ? `${tool} has failed ${times} times in a row`
      : `the same call of ${tool} gave the same result ${times} times`;
  return `⏸️ I stopped here: ${what}. Say "go on" if I should try further, or tell me what to do instead.`;
}

/**
 * Whether the newest run is stuck: a tool keeps failing, or the same call keeps giving the same result, refusals
 * included. Counted from the last message of a person, which may have changed everything.
 */
export function stuckOf(entries: readonly TranscriptEntry[], limits: StuckLimits): Stuck | undefined {
  const turns = turnsSinceWords(entries);
  const names = new Set(turns.at(-1)?.calls.map(({ name }) => name));
  for (const toolName of names) {
    const times = failuresInARow(turns, toolName);
    if (limits.maxFailures > 0 && times >= limits.maxFailures) return { type: 'failing', toolName, times };
  }
  for (const call of turns.at(-1)?.calls ?? []) {
    const times = turns.flatMap(({ calls }) => calls).filter((other) => isSame(other, call)).length;
    if (limits.maxRepeats > 0 && times >= limits.maxRepeats) return { type: 'repeating', toolName: call.name, times };
  }
  return undefined;
}

function turnsSinceWords(entries: readonly TranscriptEntry[]): readonly Turn[] {
  const turns: Turn[] = [];
  for (const entry of entries.toReversed()) {
    if (entry.type === 'user' || entry.type === 'closing') break;
    if (entry.type !== 'turn') continue;
    if (entry.runId !== (turns[0] ?? entry).runId) break;
    turns.unshift(entry);
  }
  return turns;
}

function failuresInARow(turns: readonly Turn[], toolName: string): number {
  const using = turns.filter(({ calls }) => calls.some(({ name }) => name === toolName)).toReversed();
  const end = using.findIndex(({ calls }) =>
    calls.some(({ name, result }) => name === toolName && result?.outcome !== 'error'),
  );
  return end === -1 ? using.length : end;
}

function isSame(one: Call, other: Call): boolean {
  return one.name === other.name && isTold(one) && isTold(other) && keyOf(one) === keyOf(other);
}

/** Whether the model knows the call's result. Any other call may end differently the next time. */
function isTold({ result }: Call): boolean {
  return result !== undefined && ['success', 'error', 'refused', 'denied'].includes(result.outcome);
}

function keyOf({ name, arguments: args, result }: Call): string {
  return `${name}\n${canonicalJson(args)}\n${withoutFailureNote(result?.text ?? '')}`;
}

/** Adds a note to each result that the model has had twice before. Deterministic. */
export function withRepeatNotes(entries: readonly TranscriptEntry[]): readonly TranscriptEntry[] {
  let seen = new Map<string, number>();
  let runId: string | undefined;
  return entries.map((entry) => {
    // A schedule starts a run each time, without a message from a person.
    if (entry.type === 'user' || (entry.type === 'turn' && entry.runId !== runId)) seen = new Map();
    if (entry.type === 'turn') runId = entry.runId;
    return entry.type === 'turn' && entry.calls.length > 0 ? noted(entry, seen) : entry;
  });
}

const repeatsToNote = 3;

function noted(turn: Turn, seen: Map<string, number>): Turn {
  const calls = turn.calls.map((call) => {
    if (call.result === undefined || !isTold(call)) return call;
    const key = keyOf(call);
    const times = (seen.get(key) ?? 0) + 1;
    seen.set(key, times);
    if (times < repeatsToNote) return call;
    const note = `[You have made this very call ${times} times now, with the same result. Do something else, or tell the person what keeps you.]`;
    return { ...call, result: { ...call.result, text: `${call.result.text}\n${note}` } };
  });
  return { ...turn, calls };
}
