import { oneLine } from '../../../lib/plain-text.ts';
import type { Memory, MemoryScope } from './memory-store.ts';

/** Less than what a runner keeps of an output by default, so that it is cut between two memories. */
const mostCharacters = 45_000;

/** What was found, for the model: each with its id, date, scope and tags. No text can be taken for another entry. */
export function listMemories(found: readonly Memory[], reach: MemoryScope): string {
  if (found.length === 0) return nothing(reach);
  const entries = found.map(describe);
  const fitting = countFitting(entries);
  const left = entries.length - fitting;
  const more = left === 0 ? [] : [`[${left} more would be too long to show: search for other words, or for fewer]`];
  return [...entries.slice(0, fitting), ...more].join('\n');
}

function nothing(reach: MemoryScope): string {
  const hint =
    reach === 'here'
      ? ' Only what was stored in this conversation was looked at; the scope "everywhere" finds more.'
      : ' Try other words, or an empty query, which lists the newest.';
  return `Nothing was found.${hint}`;
}

function describe({ id, text, tags, scope, storedAt }: Memory): string {
  const date = new Date(storedAt).toISOString().slice(0, 10);
  const words = tags.length === 0 ? '' : `, tags: ${tags.map((tag) => oneLine(tag, 40)).join(', ')}`;
  return `[${id}] ${date}, ${scope}${words}\n${text.replaceAll(/^/gm, '    ')}`;
}

/** At least one: a single one that is too long is cut by the runner. */
function countFitting(entries: readonly string[]): number {
  let length = 0;
  for (const [index, entry] of entries.entries()) {
    length += entry.length + 1;
    if (length > mostCharacters) return Math.max(1, index);
  }
  return entries.length;
}
