/* What was decided: by whom, why it was asked, and what came of it. */

import { markdownLine, shortened } from '../../../lib/plain-text.ts';
import type { DecidedEntry, DecidedList, DecidedOutcome, DecisionState } from '../wire/waiting.ts';
import { personIn, placeOf, type WaitingContext } from './people.ts';
import type { CallOfApproval, DecidedApproval, DecidedPlace } from './tables.ts';

/** So many are told at once. */
const pageLength = 50;
/** A search looks at so many at once, and reads so many together. */
const mostSearched = 2000;
const batch = 200;

const longestCause = 300;
const longestDescription = 500;
const longestSearch = 200;

/** `GET decided?before=&text=&state=`. Owners see all, others what was asked for them. */
export async function decidedList(context: WaitingContext): Promise<DecidedList> {
  const { query } = context.asked;
  const wanted = {
    text: (query.get('text') ?? '').slice(0, longestSearch).trim().toLowerCase(),
    state: query.get('state') ?? '',
  };
  const found: DecidedApproval[] = [];
  let place = placeIn(query.get('before') ?? '');
  let searched = 0;
  while (found.length < pageLength && searched < mostSearched) {
    const rows = await rowsBehind(place, context);
    for (const row of rows) {
      place = { at: row.decidedAt, id: row.id };
      if (await isWanted(row, wanted, context)) found.push(row);
      if (found.length === pageLength) break;
    }
    searched += rows.length;
    if (rows.length < batch && found.length < pageLength) return { entries: await entriesOf(found, context) };
  }
  return { entries: await entriesOf(found, context), next: `${place.at}-${place.id}` };
}

function placeIn(before: string): DecidedPlace {
  const [, at, id] = /^(\d{1,15})-([a-z0-9]{1,20})$/.exec(before) ?? [];
  return at === undefined || id === undefined ? { at: Number.MAX_SAFE_INTEGER, id: '' } : { at: Number(at), id };
}

async function rowsBehind(place: DecidedPlace, { asked, tables }: WaitingContext): Promise<readonly DecidedApproval[]> {
  if (asked.isOwner) return tables.decided(place, batch);
  const own: DecidedApproval[] = [];
  for (const account of asked.accounts) own.push(...(await tables.decided(place, batch, account)));
  return own.toSorted((one, other) => other.decidedAt - one.decidedAt || (one.id < other.id ? 1 : -1)).slice(0, batch);
}

interface Wanted {
  readonly text: string;
  readonly state: string;
}

async function isWanted(row: DecidedApproval, { text, state }: Wanted, context: WaitingContext): Promise<boolean> {
  if (state !== '' && row.state !== state) return false;
  if (text === '') return true;
  const { toolName, requesterName, requester, conversationId, decidedBy } = row;
  const all = [toolName, requesterName, requester, decidedBy ?? '', descriptionOf(row, context)];
  if (all.some((one) => one.toLowerCase().includes(text))) return true;
  const by = decidedBy === undefined ? undefined : await personIn(decidedBy, [conversationId], context);
  return by?.name.toLowerCase().includes(text) === true;
}

async function entriesOf(rows: readonly DecidedApproval[], context: WaitingContext): Promise<readonly DecidedEntry[]> {
  const entries: DecidedEntry[] = [];
  for (const row of rows) entries.push(await entryOf(row, context));
  return entries;
}

async function entryOf(row: DecidedApproval, context: WaitingContext): Promise<DecidedEntry> {
  const { id, callId, conversationId, requester, requesterName, toolName, asked, decidedBy } = row;
  const calls = await context.tables.calls(callsOf(row));
  const call = callId === undefined ? undefined : calls.get(callId);
  const by =
    decidedBy === undefined || decidedBy === 'keyturn'
      ? undefined
      : await personIn(decidedBy, [conversationId], context);
  return {
    id,
    kind: row.question !== undefined ? 'question' : row.extension !== undefined ? 'extension' : 'call',
    tool: toolName,
    description: descriptionOf(row, context),
    state: stateOf(row),
    by,
    at: row.decidedAt,
    askedAt: row.createdAt,
    requester: { ...(await personIn(requester, [conversationId], context)), name: requesterName },
    conversation: await placeOf(conversationId, context),
    reason: asked?.reason,
    // A sub-run works for a run, whose person said nothing there.
    cause: call === undefined || row.runsIn !== undefined ? undefined : await causeOf(row, call.seenSeq, context),
    outcomes: outcomesOf(row, calls),
    runId: call?.runId ?? row.runId,
  };
}

function stateOf({ state }: DecidedApproval): DecisionState {
  return state === 'pending' ? 'cancelled' : state;
}

function descriptionOf({ description, otherwise, question }: DecidedApproval, { asked }: WaitingContext): string {
  return markdownLine(question?.text ?? otherwise?.[asked.language] ?? description, longestDescription);
}

async function causeOf({ conversationId, requester }: DecidedApproval, seq: number, { tables }: WaitingContext) {
  const said = (await tables.saidBefore(conversationId, requester, seq))?.trim();
  return said === undefined || said === '' ? undefined : shortened(said, longestCause);
}

/** The calls that it was about. */
function callsOf({ callId, asked }: DecidedApproval): readonly string[] {
  return callId === undefined ? [] : [callId, ...(asked?.others ?? []).map((other) => other.callId)];
}

/** Of the calls that it was about. The answer to a question is none. */
function outcomesOf(row: DecidedApproval, calls: ReadonlyMap<string, CallOfApproval>): readonly DecidedOutcome[] {
  if (row.question !== undefined) return [];
  return callsOf(row)
    .flatMap((id) => calls.get(id) ?? [])
    .map(({ name: tool, outcome, duration }) => ({ tool, outcome, duration }));
}
