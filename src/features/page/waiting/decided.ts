/* What was decided: by whom, why it was asked, and what came of it. */

import { markdownLine, shortened } from '../../../lib/plain-text.ts';
import type { DecidedEntry, DecidedList, DecidedOutcome, DecisionState } from '../wire/waiting.ts';
import { personIn, placeOf, type WaitingContext } from './people.ts';
import type { DecidedApproval, DecidedPlace } from './tables.ts';

/** So many are told at once. */
const pageLength = 50;
/** A search looks at so many at once, and reads so many together. */
const mostSearched = 2000;
const batch = 200;

const longestCause = 300;
const longestDescription = 500;
const longestSearch = 200;

/** `GET decided?before=&text=&state=`. Owners see all, others what was asked for them. */
export function decidedList(context: WaitingContext): DecidedList {
  const { query } = context.asked;
  const wanted = {
    text: (query.get('text') ?? '').slice(0, longestSearch).trim().toLowerCase(),
    state: query.get('state') ?? '',
  };
  const found: DecidedApproval[] = [];
  let place = placeIn(query.get('before') ?? '');
  let searched = 0;
  while (found.length < pageLength && searched < mostSearched) {
    const rows = rowsBehind(place, context);
    for (const row of rows) {
      place = { at: row.decidedAt, id: row.id };
      if (isWanted(row, wanted, context)) found.push(row);
      if (found.length === pageLength) break;
    }
    searched += rows.length;
    if (rows.length < batch && found.length < pageLength) return { entries: entriesOf(found, context) };
  }
  return { entries: entriesOf(found, context), next: `${place.at}-${place.id}` };
}

function placeIn(before: string): DecidedPlace {
  const [, at, id] = /^(\d{1,15})-([a-z0-9]{1,20})$/.exec(before) ?? [];
  return at === undefined || id === undefined ? { at: Number.MAX_SAFE_INTEGER, id: '' } : { at: Number(at), id };
}

function rowsBehind(place: DecidedPlace, { asked, tables }: WaitingContext): readonly DecidedApproval[] {
  if (asked.isOwner) return tables.decided(place, batch);
  const own = asked.accounts.flatMap((account) => tables.decided(place, batch, account));
  return own.toSorted((one, other) => other.decidedAt - one.decidedAt || (one.id < other.id ? 1 : -1)).slice(0, batch);
}

interface Wanted {
  readonly text: string;
  readonly state: string;
}

function isWanted(row: DecidedApproval, { text, state }: Wanted, context: WaitingContext): boolean {
  if (state !== '' && row.state !== state) return false;
  if (text === '') return true;
  const { toolName, requesterName, requester, conversationId, decidedBy } = row;
  const by = decidedBy === undefined ? '' : personIn(decidedBy, [conversationId], context).name;
  const all = [toolName, requesterName, requester, by, decidedBy ?? '', descriptionOf(row, context)];
  return all.some((one) => one.toLowerCase().includes(text));
}

function entriesOf(rows: readonly DecidedApproval[], context: WaitingContext): readonly DecidedEntry[] {
  return rows.map((row) => entryOf(row, context));
}

function entryOf(row: DecidedApproval, context: WaitingContext): DecidedEntry {
  const { id, callId, conversationId, requester, requesterName, toolName, asked, decidedBy } = row;
  const { tables } = context;
  const call = callId === undefined ? undefined : tables.call(callId);
  return {
    id,
    kind: row.question !== undefined ? 'question' : row.extension !== undefined ? 'extension' : 'call',
    tool: toolName,
    description: descriptionOf(row, context),
    state: stateOf(row),
    by: decidedBy === undefined || decidedBy === 'keyturn' ? undefined : personIn(decidedBy, [conversationId], context),
    at: row.decidedAt,
    askedAt: row.createdAt,
    requester: { ...personIn(requester, [conversationId], context), name: requesterName },
    conversation: placeOf(conversationId, context),
    reason: asked?.reason,
    // A sub-run works for a run, whose person said nothing there.
    cause: call === undefined || row.runsIn !== undefined ? undefined : causeOf(row, call.seenSeq, context),
    outcomes: outcomesOf(row, context),
    runId: call?.runId ?? row.runId,
  };
}

function stateOf({ state }: DecidedApproval): DecisionState {
  return state === 'pending' ? 'cancelled' : state;
}

function descriptionOf({ description, otherwise, question }: DecidedApproval, { asked }: WaitingContext): string {
  return markdownLine(question?.text ?? otherwise?.[asked.language] ?? description, longestDescription);
}

function causeOf({ conversationId, requester }: DecidedApproval, seq: number, { tables }: WaitingContext) {
  const said = tables.saidBefore(conversationId, requester, seq)?.trim();
  return said === undefined || said === '' ? undefined : shortened(said, longestCause);
}

/** Of the calls that it was about. The answer to a question is none. */
function outcomesOf(
  { callId, asked, question }: DecidedApproval,
  { tables }: WaitingContext,
): readonly DecidedOutcome[] {
  if (callId === undefined || question !== undefined) return [];
  const ids = [callId, ...(asked?.others ?? []).map((other) => other.callId)];
  return ids
    .flatMap((id) => tables.call(id) ?? [])
    .map(({ name: tool, outcome, duration }) => ({ tool, outcome, duration }));
}
