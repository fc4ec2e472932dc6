import type { Effect } from '../../conversation/effects.ts';
import type { Origin, OutboxDraft } from '../../engine/message.ts';
import type { TrustSubject } from '../../feature-points.ts';
import { isJsonObject, parseJson } from '../../lib/json.ts';
import { languages, type Words } from '../../lib/words.ts';
import * as audit from '../../store/audit.ts';
import type { Transactions } from '../../store/database.ts';
import type { FeatureTables } from '../../store/migrate.ts';
import * as outbox from '../../store/outbox.ts';
import { type Eventual, flag, integer, oneOf, optionalText, type Row, type Sql, sqlIn, text } from '../../store/sql.ts';
import { type TrustChange, type TrustEntry, type TrustedState, type TrustState, trustKinds } from './trust-entry.ts';

/** What owners trust. */
export const trustTables: FeatureTables = {
  steps: [
    `
  -- External code and texts: the exact state that owners trust, and the one that they are asked about or have refused.
  -- trusted_by is NULL if the config vouches for it.
  CREATE TABLE trusted (
    kind TEXT NOT NULL, name TEXT NOT NULL, trusted_id TEXT UNIQUE, trusted_fingerprint TEXT, trusted_what TEXT,
    trusted_by TEXT, trusted_at INTEGER, asked_id TEXT UNIQUE, asked_fingerprint TEXT, asked_what TEXT,
    asked_at INTEGER, is_told INTEGER NOT NULL DEFAULT 0, is_refused INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (kind, name)
  ) STRICT, WITHOUT ROWID;
`,
  ],
};

/** External code and texts, and whether owners trust their current state. */
export interface TrustStore {
  /** What is not trusted is asked for from now on, in place of what was asked for under its name before. */
  review(review: TrustReview): Promise<'trusted' | 'asked'>;
  /** Sorted by kind and name. */
  all(): Promise<readonly TrustEntry[]>;
  /** The owners were told of these states, in these messages. */
  told(ids: readonly string[], notices: readonly OutboxDraft[], at: number): Promise<void>;
  /** Trusts the states that owners are asked about under these ids. Ignores other ids. */
  trust(ids: readonly string[]): Effect<readonly TrustChange[]>;
  /**
   * Withdraws trust from these states, or refuses them. A state can be trusted again under its id, unless owners are
   * asked about a newer one.
   */
  distrust(ids: readonly string[]): Effect<readonly TrustChange[]>;
}

export function createTrustStore(database: Transactions): TrustStore {
  const { sql } = database;
  return {
    review: async (review) =>
      // At most starts nothing has changed, so nothing is written.
      (await known(sql, review)) ??
      database.write(async (sql) => (await known(sql, review)) ?? (await note(sql, review)), 'relaxed'),
    all: async () => sql.list(toEntry, 'SELECT * FROM trusted ORDER BY kind, name'),
    told: (ids, notices, at) =>
      database.write(async (sql) => {
        await outbox.addAll(sql, notices, at);
        for (const id of ids) await sql.run('UPDATE trusted SET is_told = 1 WHERE asked_id = ?', id);
      }, 'relaxed'),
    trust: (ids) => ({ name: 'trust', apply: (doing) => trust(sqlIn(doing), ids, doing.origin, doing.at) }),
    distrust: (ids) => ({ name: 'distrust', apply: (doing) => distrust(sqlIn(doing), ids, doing.origin, doing.at) }),
  };
}

/** Something that is looked at, as it is now. */
export interface TrustReview {
  readonly subject: TrustSubject;
  /** What its state is called from now on, if that is a new one. */
  readonly id: string;
  /** What is seen first under its name is trusted without a question. */
  readonly isAdopted: boolean;
  readonly at: number;
}

type Named = Pick<TrustSubject, 'kind' | 'name'>;

const find = (sql: Sql, { kind, name }: Named): Eventual<TrustEntry | undefined> =>
  sql.find(toEntry, 'SELECT * FROM trusted WHERE kind = ? AND name = ?', kind, name);

async function known(sql: Sql, { subject }: TrustReview): Promise<'trusted' | 'asked' | undefined> {
  const found = await find(sql, subject);
  if (found?.asked?.fingerprint === subject.fingerprint) return 'asked';
  return found?.trusted?.fingerprint === subject.fingerprint && found.asked === undefined ? 'trusted' : undefined;
}

async function note(sql: Sql, { subject, id, isAdopted, at }: TrustReview): Promise<'trusted' | 'asked'> {
  const found = await find(sql, subject);
  const state = { id, fingerprint: subject.fingerprint, what: subject.what, at };
  if (found?.trusted?.fingerprint === subject.fingerprint) {
    // Back in its trusted state: the state in between needs no decision.
    await setAsked(sql, subject);
    await notedByItself(sql, 'trust-given', subject, at);
    return 'trusted';
  }
  if (found === undefined && isAdopted) {
    await setTrusted(sql, subject, state);
    await notedByItself(sql, 'trust-given', subject, at);
    return 'trusted';
  }
  await setAsked(sql, subject, state);
  // It has changed: what an owner trusted is gone, and this is off.
  if (found?.trusted !== undefined) await notedByItself(sql, 'trust-ended', subject, at);
  return 'asked';
}

/** What nobody has decided: the config vouches for it, or it is another than the one that was trusted. */
async function notedByItself(
  sql: Sql,
  kind: 'trust-given' | 'trust-ended',
  { kind: of, name, fingerprint }: TrustSubject,
  at: number,
): Promise<void> {
  await audit.add(sql, { at, kind, conversationId: '', actor: 'keyturn', detail: { kind: of, name, fingerprint } });
}

/** Trusts one state in place of any other, or none. */
const setTrusted = (sql: Sql, { kind, name }: Named, state: Partial<TrustedState> = {}): Eventual<number> =>
  sql.run(
    `INSERT INTO trusted (kind, name, trusted_id, trusted_fingerprint, trusted_what, trusted_by, trusted_at)
     VALUES (@kind, @name, @id, @fingerprint, @what, @by, @at)
     ON CONFLICT (kind, name) DO UPDATE SET trusted_id = @id, trusted_fingerprint = @fingerprint, trusted_what = @what,
       trusted_by = @by, trusted_at = @at`,
    { ...none, ...state, what: storedWords(state.what), kind, name },
  );

/** Asks owners about one state in place of any other, or about none. */
const setAsked = (sql: Sql, { kind, name }: Named, state: Partial<TrustState> = {}): Eventual<number> =>
  sql.run(
    `INSERT INTO trusted (kind, name, asked_id, asked_fingerprint, asked_what, asked_at)
     VALUES (@kind, @name, @id, @fingerprint, @what, @at)
     ON CONFLICT (kind, name) DO UPDATE SET asked_id = @id, asked_fingerprint = @fingerprint, asked_what = @what,
       asked_at = @at, is_told = 0, is_refused = 0`,
    { ...none, ...state, what: storedWords(state.what), kind, name },
  );

/** In every language, since it is not known who will read it. */
function storedWords(words: Words | undefined): string | null {
  if (words === undefined || typeof words === 'string') return words ?? null;
  return JSON.stringify(Object.fromEntries(languages.map((language) => [language, words(language)])));
}

/** Older rows have a text in English. */
function wordsFrom(stored: string): Words {
  const texts = parseJson(stored);
  if (!isJsonObject(texts)) return stored;
  return (language) => {
    const text = texts[language];
    return typeof text === 'string' ? text : stored;
  };
}

/** `by` is missing if the config vouches for it. */
const none = { id: null, fingerprint: null, what: null, by: null, at: null };

const refuse = (sql: Sql, { kind, name }: Named): Eventual<number> =>
  sql.run('UPDATE trusted SET is_refused = 1, is_told = 1 WHERE kind = ? AND name = ?', kind, name);

/** The entry with a state of this id. */
const ofId = (sql: Sql, id: string): Eventual<TrustEntry | undefined> =>
  sql.find(toEntry, 'SELECT * FROM trusted WHERE asked_id = @id OR trusted_id = @id', { id });

async function trust(sql: Sql, ids: readonly string[], origin: Origin, at: number): Promise<readonly TrustChange[]> {
  const changes: TrustChange[] = [];
  for (const id of ids) {
    const found = await ofId(sql, id);
    if (found?.asked?.id !== id) continue;
    const subject = subjectOf(found, found.asked);
    await setAsked(sql, subject);
    await setTrusted(sql, subject, { ...found.asked, at, by: origin.principal });
    changes.push(await noted(sql, { subject, id, became: 'trusted' }, origin, at));
  }
  return changes;
}

async function distrust(sql: Sql, ids: readonly string[], origin: Origin, at: number): Promise<readonly TrustChange[]> {
  const changes: TrustChange[] = [];
  for (const id of ids) {
    const change = await distrusted(sql, id, at);
    if (change !== undefined) changes.push(await noted(sql, change, origin, at));
  }
  return changes;
}

/** Withdraws trust from the state with this id, or refuses it. Undefined if there is none. */
async function distrusted(sql: Sql, id: string, at: number): Promise<TrustChange | undefined> {
  const found = await ofId(sql, id);
  if (found === undefined) return undefined;
  const { trusted, asked } = found;
  if (asked?.id === id) {
    await refuse(sql, found);
    return { subject: subjectOf(found, asked), id, became: 'refused' };
  }
  if (trusted === undefined) return undefined;
  await setTrusted(sql, found);
  if (asked === undefined) {
    await setAsked(sql, found, { ...trusted, at });
    await refuse(sql, found);
  }
  return { subject: subjectOf(found, trusted), id, became: 'distrusted' };
}

function subjectOf({ kind, name }: Named, state: TrustState): TrustSubject {
  return { kind, name, fingerprint: state.fingerprint, what: state.what };
}

async function noted(sql: Sql, change: TrustChange, origin: Origin, at: number): Promise<TrustChange> {
  const { kind, name, fingerprint } = change.subject;
  const became = change.became === 'trusted' ? 'trust-given' : 'trust-ended';
  await audit.addBy(sql, became, origin, at, { kind, name, fingerprint });
  return change;
}

const kindIn = oneOf(...trustKinds);

function toEntry(row: Row): TrustEntry {
  const state = (which: 'trusted' | 'asked') =>
    optionalText(row, `${which}_id`) === undefined
      ? undefined
      : {
          id: text(row, `${which}_id`),
          fingerprint: text(row, `${which}_fingerprint`),
          what: wordsFrom(text(row, `${which}_what`)),
          at: integer(row, `${which}_at`),
        };
  const [trusted, asked] = [state('trusted'), state('asked')];
  return {
    kind: kindIn(row, 'kind'),
    name: text(row, 'name'),
    trusted: trusted && { ...trusted, by: optionalText(row, 'trusted_by') },
    asked: asked && { ...asked, isTold: flag(row, 'is_told'), isRefused: flag(row, 'is_refused') },
  };
}
