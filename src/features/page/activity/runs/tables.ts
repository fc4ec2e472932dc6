/* The runs that a person may see, read a window of turns at a time: no request reads all that there ever was. */

import type { Transactions } from '../../../../store/database.ts';
import { findPlace, type ListedRun, listedRun, type RunPlace } from '../../../../store/run-story.ts';
import { columns, optional, type Row, type Sql } from '../../../../store/sql.ts';
import { titleIn } from '../../tables.ts';
import { type Seer, seenBy } from '../seer.ts';

/** What the listed runs have in common. Undefined: anything. */
export interface RunFilter {
  /** All accounts of the person whose runs they are. */
  readonly people: readonly string[] | undefined;
  readonly channel: string | undefined;
  readonly tool: string | undefined;
  readonly end: 'answered' | 'open' | 'closed' | undefined;
  /** Of one of its calls. */
  readonly callOutcome: string | undefined;
  /** A person was asked for one of its calls. */
  readonly wasAsked: boolean;
  readonly from: number | undefined;
  readonly to: number | undefined;
}

/** A run, by its newest turn. */
export interface FoundRun extends RunPlace {
  readonly turnId: number;
}

/** What began a run. */
export interface Beginning {
  readonly text: string;
  readonly at: number;
}

/** A conversation, as people know it. */
export interface PlaceRow {
  readonly conversationId: string;
  readonly channel: string;
  readonly kind: string;
  readonly title: string | undefined;
}

/** So many turns before this one. */
export interface WantedRuns {
  readonly before: number;
  readonly size: number;
  readonly filter: RunFilter;
  readonly seer: Seer;
}

/** A window of turns. */
export interface RunWindow {
  /** How far back it reaches: its oldest turn. */
  readonly from: number;
  /** The runs whose newest turn is in it, the newest first. */
  readonly runs: readonly FoundRun[];
}

/** A run with all that lists show of it, as of one moment. */
export interface KnownRun extends ListedRun {
  readonly place: PlaceRow | undefined;
  readonly beginning: Beginning | undefined;
  readonly troubles: number;
  /** What its person calls themselves there, or else anywhere. */
  readonly personName: string | undefined;
}

/** Reads only. */
export interface RunListStore {
  /** Undefined: there are no turns before. */
  window(wanted: WantedRuns): Promise<RunWindow | undefined>;
  /** The run with this id, or in which this call or approval is; undefined if this person may not see it. */
  visible(id: string, seer: Seer): Promise<FoundRun | undefined>;
  known(place: RunPlace): Promise<KnownRun | undefined>;
  /** The conversation, or the one at the top if it is that of a sub-run. */
  placeOf(conversationId: string): Promise<PlaceRow | undefined>;
  /** What the person calls themselves there, or else anywhere. */
  nameOf(principal: string, conversationId?: string): Promise<string | undefined>;
  /** Whose runs are among the newest turns, and which tools were called in them. */
  newestPrincipals(seer: Seer): Promise<readonly string[]>;
  newestTools(seer: Seer): Promise<readonly string[]>;
  /** The texts of a run: what began it, what the model said, and what calls were given and answered. */
  textsOf(place: RunPlace): Promise<readonly string[]>;
}

export function createRunListStore(database: Pick<Transactions, 'sql' | 'read'>): RunListStore {
  const { sql } = database;
  return {
    window: (wanted) => database.read((sql) => windowOf(sql, wanted)),
    visible: (id, seer) => database.read(async (sql) => visible(sql, id, seer)),
    known: (place) => database.read((sql) => knownRun(sql, place)),
    placeOf: (conversationId) => database.read(async (sql) => placeIn(sql, conversationId)),
    nameOf: (principal, conversationId) => database.read(async (sql) => nameIn(sql, principal, conversationId)),
    newestPrincipals: async (seer) => sql.texts(newestPrincipals, { window: newest, ...seenBy(seer) }),
    newestTools: async (seer) => sql.texts(newestTools, { window: newest, ...seenBy(seer) }),
    textsOf: ({ conversationId, runId }) =>
      database.read(async (sql) => [
        ...(await sql.texts(firstMessage, runId)),
        ...(await sql.texts(saidInRun, conversationId, runId)),
        ...(await sql.texts(callsInRun, conversationId, runId)),
      ]),
  };
}

const toOldest = columns({ id: optional((row, column) => Number(row[column])) });
const oldestOfWindow =
  'SELECT min(id) AS id FROM (SELECT id FROM turns WHERE id < @before ORDER BY id DESC LIMIT @window)';

/** Whether the turn is of a run that the person may see. */
const isSeen = `(@isOwner = 1 OR looked.principal IN (SELECT value FROM json_each(@accounts))
  OR coalesce((SELECT root_id FROM conversations WHERE conversations.id = looked.conversation_id), looked.conversation_id) IN (SELECT value FROM json_each(@sessions)))`;
const isNewestOfRun = `NOT EXISTS (SELECT 1 FROM turns AS later WHERE later.conversation_id = looked.conversation_id
  AND later.run_id = looked.run_id AND later.id > looked.id)`;
const isOpen = `(conversations.is_open = 1 AND looked.id = (SELECT max(id) FROM turns AS other WHERE other.conversation_id = looked.conversation_id))`;
const callsOfLooked = `FROM turns AS one JOIN calls ON calls.conversation_id = one.conversation_id AND calls.turn_id = one.id
  WHERE one.conversation_id = looked.conversation_id AND one.run_id = looked.run_id`;

const runsOfWindow = `SELECT looked.id AS turn_id, looked.conversation_id, looked.run_id
  FROM turns AS looked LEFT JOIN conversations ON conversations.id = looked.conversation_id
  WHERE looked.id < @before AND looked.id >= @oldest AND ${isSeen} AND ${isNewestOfRun}
    AND (@people IS NULL OR looked.principal IN (SELECT value FROM json_each(@people)))
    AND (@channel IS NULL OR @channel = (SELECT top.channel FROM conversations AS top WHERE top.id = coalesce(conversations.root_id, conversations.id)))
    AND (@from IS NULL OR looked.created_at >= @from) AND (@to IS NULL OR looked.created_at < @to)
    AND (@end IS NULL OR @end = iif(${isOpen}, 'open', iif(looked.kind = 'closing' AND looked.reason IS NOT 'completed', 'closed', 'answered')))
    AND (@tool IS NULL OR EXISTS (SELECT 1 ${callsOfLooked} AND calls.name = @tool))
    AND (@outcome IS NULL OR EXISTS (SELECT 1 ${callsOfLooked} AND calls.outcome = @outcome))
    AND (@wasAsked = 0 OR EXISTS (SELECT 1 ${callsOfLooked} AND calls.approval_id IS NOT NULL))
  ORDER BY looked.id DESC`;

const visibleRun = `SELECT looked.id AS turn_id, looked.conversation_id, looked.run_id FROM turns AS looked
  WHERE looked.conversation_id = @conversationId AND looked.run_id = @runId AND ${isSeen} ORDER BY looked.id DESC LIMIT 1`;

const toFound: (row: Row) => FoundRun = columns({ turnId: 'integer', conversationId: 'text', runId: 'text' });

/** A run is called after the sequence of what began it. */
const firstMessage = `SELECT coalesce(edited_text, text) AS text, received_at AS at FROM inbox WHERE seq = CAST(substr(?, 4) AS INTEGER)`;
const toBeginning: (row: Row) => Beginning = columns({ text: 'text', at: 'integer' });

const troubles = `SELECT count(*) FROM turns AS one JOIN calls ON calls.conversation_id = one.conversation_id AND calls.turn_id = one.id
  WHERE one.conversation_id = ? AND one.run_id = ? AND calls.outcome IN ('error', 'denied', 'refused', 'expired', 'unknown')`;

const placeOfConversation = `SELECT top.id AS conversation_id, top.channel, top.kind, top.title FROM conversations
  JOIN conversations AS top ON top.id = coalesce(conversations.root_id, conversations.id) WHERE conversations.id = ?`;

async function placeIn(sql: Sql, conversationId: string): Promise<PlaceRow | undefined> {
  const place = await sql.find(toPlace, placeOfConversation, conversationId);
  return place && { ...place, title: await titleIn(sql, { ...place, id: place.conversationId }) };
}

const toPlace: (row: Row) => PlaceRow = columns({
  conversationId: 'text',
  channel: 'text',
  kind: 'text',
  title: 'text?',
});

async function knownRun(sql: Sql, place: RunPlace): Promise<KnownRun | undefined> {
  const { conversationId, runId } = place;
  const listed = await listedRun(sql, place);
  if (listed === undefined) return undefined;
  const top = await placeIn(sql, conversationId);
  return {
    ...listed,
    place: top,
    beginning: await sql.find(toBeginning, firstMessage, listed.id),
    troubles: await sql.number(troubles, conversationId, runId),
    personName: await nameIn(sql, listed.principal, top?.conversationId ?? conversationId),
  };
}

async function nameIn(sql: Sql, principal: string, conversationId: string | undefined): Promise<string | undefined> {
  const there = conversationId === undefined ? undefined : await sql.find(toName, nameThere, conversationId, principal);
  return (there ?? (await sql.find(toName, nameAnywhere, principal)))?.name;
}

const nameThere = 'SELECT name FROM participants WHERE conversation_id = ? AND principal = ?';
const nameAnywhere = 'SELECT name FROM participants WHERE principal = ? LIMIT 1';
const toName = columns({ name: 'text' });

const saidInRun = `SELECT part.value ->> 'text' FROM turns, json_each(turns.parts) AS part
  WHERE turns.conversation_id = ? AND turns.run_id = ? AND part.value ->> 'type' = 'text' ORDER BY turns.id LIMIT 500`;
const callsInRun = `SELECT concat(calls.name, char(10), calls.arguments, char(10), calls.result) FROM turns
    JOIN calls ON calls.conversation_id = turns.conversation_id AND calls.turn_id = turns.id
  WHERE turns.conversation_id = ? AND turns.run_id = ? ORDER BY calls.turn_id, calls.position LIMIT 500`;

/** So many turns are looked through for what can be chosen. */
const newest = 3_000;
const newestTurns = `(SELECT id, conversation_id, principal FROM turns WHERE id <= (SELECT max(id) FROM turns) ORDER BY id DESC LIMIT @window) AS looked`;
const newestPrincipals = `SELECT DISTINCT looked.principal FROM ${newestTurns} WHERE ${isSeen}`;
const newestTools = `SELECT DISTINCT calls.name FROM ${newestTurns}
  JOIN calls ON calls.conversation_id = looked.conversation_id AND calls.turn_id = looked.id WHERE ${isSeen} ORDER BY calls.name`;

async function windowOf(sql: Sql, { before, size, filter, seer }: WantedRuns): Promise<RunWindow | undefined> {
  const oldest = (await sql.find(toOldest, oldestOfWindow, { before, window: size }))?.id;
  if (oldest === undefined) return undefined;
  const { people, channel, tool, end, callOutcome, wasAsked, from, to } = filter;
  const runs = await sql.list(toFound, runsOfWindow, {
    ...seenBy(seer),
    before,
    oldest,
    people: people && JSON.stringify(people),
    channel,
    tool,
    end,
    outcome: callOutcome,
    wasAsked: Number(wasAsked),
    from,
    to,
  });
  return { from: oldest, runs };
}

async function visible(sql: Sql, id: string, seer: Seer): Promise<FoundRun | undefined> {
  const place = await findPlace(sql, id);
  return (
    place &&
    (await sql.find(toFound, visibleRun, { conversationId: place.conversationId, runId: place.runId, ...seenBy(seer) }))
  );
}
