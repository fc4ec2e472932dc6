import { canonicalJson } from '../../lib/json.ts';
import { inlineCode } from '../../lib/plain-text.ts';
import type { InLanguage } from '../../lib/words.ts';
import { withoutFailureNote } from '../../tools/runner.ts';
import type { Call, TranscriptEntry, Turn } from '../../transcript.ts';
import { stuckRunWords } from './words.ts';

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
export function stuckWords(entries: readonly TranscriptEntry[], limits: StuckLimits): InLanguage | undefined {
  const stuck = stuckOf(entries, limits);
  if (stuck === undefined) return undefined;
  const { type, toolName, times } = stuck;
  return (language) => stuckRunWords[language][type]({ tool: inlineCode(toolName), times });
}

/**
 * Whether the newest run is stuck: a tool keeps failing, or the same call keeps giving the same result, refusals
 * included. Counted from the last message of a person, which may have changed everything.
 */
export function stuckOf(
  entries: readonly TranscriptEntry[],
  { maxFailures, maxRepeats }: StuckLimits,
): Stuck | undefined {
  const turns = turnsSinceWords(entries);
  const newest = turns.at(-1)?.calls ?? [];
  for (const toolName of new Set(newest.map(({ name }) => name))) {
    const times = failuresInARow(turns, toolName);
    if (maxFailures > 0 && times >= maxFailures) return { type: 'failing', toolName, times };
  }
  const repeats = repeatsIn(turns);
  const repeated = newest.findLast((call) => maxRepeats > 0 && (repeats.get(call) ?? 0) >= maxRepeats);
  return repeated && { type: 'repeating', toolName: repeated.name, times: repeats.get(repeated) ?? 0 };
}

function turnsSinceWords(entries: readonly TranscriptEntry[]): readonly Turn[] {
  const words = entries.findLastIndex(({ type }) => type === 'user' || type === 'closing');
  const turns = entries.slice(words + 1).filter((entry) => entry.type === 'turn');
  return turns.slice(turns.findLastIndex(({ runId }) => runId !== turns.at(-1)?.runId) + 1);
}

function failuresInARow(turns: readonly Turn[], toolName: string): number {
  const using = turns.filter(({ calls }) => calls.some(({ name }) => name === toolName)).toReversed();
  const end = using.findIndex(({ calls }) =>
    calls.some(({ name, result }) => name === toolName && result?.outcome !== 'error'),
  );
  return end === -1 ? using.length : end;
}

/** How often each call had been made by then, with the same result, since a person's words or the beginning of its run. */
function repeatsIn(entries: readonly TranscriptEntry[]): ReadonlyMap<Call, number> {
  const repeats = new Map<Call, number>();
  let seen = new Map<string, number>();
  let runId: string | undefined;
  for (const entry of entries) {
    // A schedule starts a run each time, without a message from a person.
    if (entry.type === 'user' || (entry.type === 'turn' && entry.runId !== runId)) seen = new Map();
    if (entry.type !== 'turn') continue;
    runId = entry.runId;
    for (const call of entry.calls.filter(isTold)) {
      const { name, arguments: args, result } = call;
      const key = `${name}\n${canonicalJson(args)}\n${withoutFailureNote(result?.text ?? '')}`;
      seen.set(key, (seen.get(key) ?? 0) + 1);
      repeats.set(call, seen.get(key) ?? 0);
    }
  }
  return repeats;
}

/** Whether the model knows the call's result. Any other call may end differently the next time. */
function isTold({ result }: Call): boolean {
  return result !== undefined && ['success', 'error', 'refused', 'denied'].includes(result.outcome);
}

/** Adds a note to each result that the model has had twice before. Deterministic. */
export function withRepeatNotes(entries: readonly TranscriptEntry[]): readonly TranscriptEntry[] {
  const repeats = repeatsIn(entries);
  const noted = (call: Call): Call => {
    const times = repeats.get(call) ?? 0;
    if (call.result === undefined || times < repeatsToNote) return call;
    const note = `[You have made this very call ${times} times now, with the same result. Do something else, or tell the person what keeps you.]`;
    return { ...call, result: { ...call.result, text: `${call.result.text}\n${note}` } };
  };
  return entries.map((entry) =>
    entry.type === 'turn' && entry.calls.some((call) => (repeats.get(call) ?? 0) >= repeatsToNote)
      ? { ...entry, calls: entry.calls.map(noted) }
      : entry,
  );
}

const repeatsToNote = 3;
