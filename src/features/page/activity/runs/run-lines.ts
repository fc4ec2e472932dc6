import { type JsonObject, jsonCopy } from '../../../../lib/json.ts';
import type { RunInList } from '../../wire/activity.ts';
import { type RunListParts, type RunsAsked, runPage } from './run-list.ts';

/** So many are read before they are sent. */
const runsAtOnce = 200;

/** All runs that match, a line of JSON each, the newest first. It reads on as they are taken. */
export async function* runLines(asked: RunsAsked, parts: RunListParts): AsyncGenerator<string> {
  let before = asked.before;
  while (!asked.gone.aborted) {
    const { runs, next } = await runPage({ ...asked, before, most: runsAtOnce }, parts);
    for (const run of runs) yield JSON.stringify(withoutSecrets(run, parts));
    if (next === undefined) return;
    before = next;
  }
}

/** Each text before it is written as JSON, where signs of it may be escaped. */
function withoutSecrets(run: RunInList, { redact }: RunListParts): JsonObject {
  return jsonCopy(run, (_key, part) => (typeof part === 'string' ? redact(part) : part));
}
