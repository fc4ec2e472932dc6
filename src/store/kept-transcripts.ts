/*
 * The settled part of the transcripts of live conversations: turns whose calls have all ended, with the messages that they
 * answer. No step of a run changes it, so what was read of it once is not read again for the next message. This is the only
 * place that knows when it is stale: triggers of the connection tell of each row that is changed or deleted, whichever
 * statement does it, and SQLite of what another program has written. What decides over rights stands in none of these
 * rows: labels, grants, pending approvals and spending are read each time.
 */

import type { Conversation } from '../contract.ts';
import type { JournalEntry } from '../engine/journal.ts';
import type { TranscriptEntry } from '../transcript.ts';
import type { UsedRations } from './rations.ts';

/** What a transcript is read for: another part is another transcript. */
export interface KeptFor {
  /** Nothing up to this turn is read. */
  readonly sinceTurn: number;
  readonly summaryId: number | undefined;
  readonly contextTokens: number;
}

/** All entries up to a turn. */
export interface KeptPart extends KeptFor {
  readonly entries: readonly TranscriptEntry[];
  /** The calls in them, in their order. */
  readonly calls: readonly JournalEntry[];
  readonly newest: { readonly id: number; readonly runId: string; readonly seenSeq: number };
  readonly used: UsedRations;
}

/** The connection that it watches. */
interface Watched {
  run(statement: string): unknown;
  number(statement: string): number;
  /** A function that statements may call. */
  define(name: string, work: (...values: unknown[]) => null): void;
  /** Within a write: what is read then may be rolled back. */
  readonly isWriting: boolean;
}

/** Where a conversation is, and who talks in it if it is direct. For whom a text is written follows from it, and no right. */
interface Place {
  readonly conversation?: Conversation | undefined;
  readonly person?: string | undefined;
}

/** Parts of few conversations, those that were read last, and no more than so many characters in all. */
const mostKept = 200;
const mostCharacters = 1_000_000;
const mostPlaces = 1000;

export class KeptTranscripts {
  readonly #sql: Watched;
  /** By conversation; the one that was read last is the last. */
  readonly #parts = new Map<string, KeptPart>();
  #characters = 0;
  /** By conversation, the oldest first. */
  readonly #places = new Map<string, Place>();
  /** What other programs had written when all this was read; undefined: nobody watches yet. */
  #version: number | undefined;

  constructor(sql: Watched) {
    this.#sql = sql;
  }

  /** The part of a conversation that was kept, if it is still what is stored. In a write, which may be rolled back, none is. */
  find(conversationId: string, { sinceTurn, summaryId, contextTokens }: KeptFor): KeptPart | undefined {
    if (this.#sql.isWriting) return undefined;
    this.#watch();
    const part = this.#parts.get(conversationId);
    if (part === undefined) return undefined;
    const isSame = part.sinceTurn === sinceTurn && part.summaryId === summaryId && part.contextTokens === contextTokens;
    this.drop(conversationId);
    if (!isSame) return undefined;
    this.keep(conversationId, part);
    return part;
  }

  /** Keeps what was read in the same transaction as `find` looked in, if that is no write. */
  keep(conversationId: string, part: KeptPart): void {
    if (this.#sql.isWriting) return;
    this.drop(conversationId);
    this.#parts.set(conversationId, part);
    this.#characters += charactersOf(part);
    for (const oldest of this.#parts.keys()) {
      if (this.#parts.size <= mostKept && this.#characters <= mostCharacters) return;
      this.drop(oldest);
    }
  }

  /** The conversation with this id, as it is kept or `read`. */
  conversation(id: string, read: () => Conversation | undefined): Conversation | undefined {
    const known = this.#places.get(id)?.conversation;
    if (known !== undefined) return known;
    const conversation = read();
    if (conversation !== undefined) this.#keepPlace(id, { conversation });
    return conversation;
  }

  /** Who talks in the direct conversation with this id, as it is kept or `read`. */
  person(id: string, read: () => string | undefined): string | undefined {
    const known = this.#places.get(id)?.person;
    if (known !== undefined) return known;
    const person = read();
    if (person !== undefined) this.#keepPlace(id, { person });
    return person;
  }

  #keepPlace(id: string, found: Place): void {
    if (this.#sql.isWriting) return;
    if (this.#version === undefined) this.#watch();
    this.#places.set(id, { ...this.#places.get(id), ...found });
    const [oldest] = this.#places.keys();
    if (this.#places.size > mostPlaces && oldest !== undefined) this.#places.delete(oldest);
  }

  /** Forgets what was kept of a conversation. */
  drop(conversationId: string): void {
    const part = this.#parts.get(conversationId);
    if (part === undefined) return;
    this.#parts.delete(conversationId);
    this.#characters -= charactersOf(part);
  }

  /** Another program's commits change the version; those of this connection run the triggers. */
  #watch(): void {
    if (this.#version === undefined) this.#begin();
    const version = this.#sql.number('PRAGMA data_version');
    if (version !== this.#version) {
      for (const id of [...this.#parts.keys()]) this.drop(id);
      this.#places.clear();
    }
    this.#version = version;
  }

  #begin(): void {
    this.#sql.define('kept_turn', (conversationId, turn) =>
      this.#changed(conversationId, ({ newest }) => Number(turn) <= newest.id),
    );
    this.#sql.define('kept_message', (conversationId, seq) =>
      this.#changed(conversationId, ({ newest }) => Number(seq) <= newest.seenSeq),
    );
    this.#sql.define('kept_chat', (conversationId) => {
      this.#places.delete(String(conversationId));
      return this.#changed(conversationId, () => true);
    });
    this.#sql.define('kept_calls', (conversationId) => this.#changed(conversationId, () => true));
    for (const trigger of triggers) this.#sql.run(trigger);
  }

  #changed(conversationId: unknown, isKept: (part: KeptPart) => boolean): null {
    const id = String(conversationId);
    const part = this.#parts.get(id);
    if (part !== undefined && isKept(part)) this.drop(id);
    return null;
  }
}

function charactersOf({ used }: KeptPart): number {
  return used.turns.characters + used.calls.characters + used.messages.characters;
}

/** Of each table that a part is read from, what changes rows of it. New turns and messages stand behind it. */
const triggers: readonly string[] = [
  on('AFTER UPDATE', 'turns', 'kept_turn(OLD.conversation_id, OLD.id)'),
  on('AFTER DELETE', 'turns', 'kept_turn(OLD.conversation_id, OLD.id)'),
  on('AFTER INSERT', 'calls', 'kept_turn(NEW.conversation_id, NEW.turn_id)'),
  on('AFTER UPDATE', 'calls', 'kept_turn(OLD.conversation_id, OLD.turn_id)'),
  on('AFTER DELETE', 'calls', 'kept_turn(OLD.conversation_id, OLD.turn_id)'),
  on('AFTER UPDATE', 'inbox', 'kept_message(OLD.conversation_id, min(OLD.seq, NEW.seq))'),
  on('AFTER DELETE', 'inbox', 'kept_message(OLD.conversation_id, OLD.seq)'),
  on('AFTER INSERT', 'attachments', ofMessage('NEW')),
  on('AFTER UPDATE', 'attachments', ofMessage('OLD')),
  on('AFTER DELETE', 'attachments', ofMessage('OLD')),
  on('AFTER UPDATE', 'approvals', `${ofApproval()} ${ifOther('state', 'decided_at', 'asked')}`),
  on('AFTER DELETE', 'approvals', ofApproval()),
  on('AFTER INSERT', 'participants', 'kept_chat(NEW.conversation_id)'),
  on('AFTER UPDATE', 'participants', `kept_chat(OLD.conversation_id) ${ifOther('name', 'principal')}`),
  on('AFTER DELETE', 'participants', 'kept_chat(OLD.conversation_id)'),
  on('AFTER DELETE', 'conversations', 'kept_chat(OLD.id)'),
  // Its title, above all: a message writes the same again.
  on('AFTER UPDATE', 'conversations', `kept_chat(OLD.id) ${ifOther(...placeColumns())}`),
];

function placeColumns(): readonly string[] {
  return ['id', 'channel', 'tenant', 'chat_id', 'thread_id', 'kind', 'title'];
}

function ifOther(...columns: readonly string[]): string {
  return `WHERE ${columns.map((column) => `OLD.${column} IS NOT NEW.${column}`).join(' OR ')}`;
}

function on(change: string, table: string, work: string): string {
  const name = `kept_${table}_${change.split(' ')[1]}`;
  return `CREATE TEMP TRIGGER ${name} ${change} ON ${table} BEGIN SELECT ${work}; END`;
}

function ofMessage(row: 'OLD' | 'NEW'): string {
  return `kept_message(conversation_id, seq) FROM inbox WHERE key = ${row}.inbox_key`;
}

/** Its calls may be those of a sub-run. */
function ofApproval(): string {
  return 'kept_calls(OLD.conversation_id), kept_calls(OLD.runs_in)';
}
