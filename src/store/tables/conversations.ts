import type { PinnedFact } from '../../agent/pinned-facts.ts';
import type { SpentOfRun } from '../../agent/spending-store.ts';
import type { SubRun } from '../../agent/sub-run.ts';
import type { Origin } from '../../approval/approval.ts';
import type { Labels } from '../../approval/taint.ts';
import { type Conversation, conversationId } from '../../contract.ts';
import type { Database, Statement } from '../database.ts';
import { Row } from '../row.ts';

/** A conversation as its row has it. */
export interface ConversationRow {
  readonly id: string;
  readonly conversation: Conversation;
  readonly sinceSeq: number;
  readonly sinceTurn: number;
  readonly labels: Labels;
  readonly isOpen: boolean;
  /** The model that somebody has chosen there. */
  readonly model?: string;
  readonly pinned: readonly PinnedFact[];
  /** What the run that is not over has taken until now. */
  readonly spent: SpentOfRun;
  /** The run that has asked to go on beyond one of its bounds. */
  readonly askingRun?: string;
  /** The summary of its oldest part. */
  readonly summaryId?: number;
  /** Who has asked for a summary. */
  readonly summaryFor?: string;
  /** Set where a run has begun it, and nobody talks in it. */
  readonly subRun?: SubRun;
}

const threadsOfChat = 10;

/** The places that were ever talked in, and who has talked there. Its methods belong inside a write. */
export class ConversationsTable {
  readonly #insert: Statement;
  readonly #addParticipant: Statement;
  readonly #find: Statement;
  readonly #setOpen: Statement;
  readonly #settle: Statement;
  readonly #beginAnew: Statement;
  readonly #chooseModel: Statement;
  readonly #spend: Statement;
  readonly #ask: Statement;
  readonly #open: Statement;
  readonly #latest: Statement;
  readonly #participants: Statement;
  readonly #direct: Statement;
  readonly #move: Statement;
  readonly #rename: Statement;
  readonly #moves: Statement;
  /** New names of conversations, to their old ones. There are few, and each message asks for them. */
  readonly #formerNames: Map<string, string>;

  constructor(database: Database) {
    this.#insert = database.prepare(
      `INSERT INTO conversations (id, channel, tenant, chat_id, thread_id, kind, title, seen_at, is_open) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
       ON CONFLICT (id) DO UPDATE SET title = coalesce(excluded.title, title), seen_at = max(seen_at, excluded.seen_at), is_open = max(is_open, excluded.is_open)`,
    );
    this.#addParticipant = database.prepare(
      `INSERT INTO participants (conversation_id, principal, name, roles) VALUES (?, ?, ?, ?)
       ON CONFLICT (conversation_id, principal) DO UPDATE SET name = excluded.name, roles = excluded.roles
         WHERE name <> excluded.name OR roles <> excluded.roles`,
    );
    this.#find = database.prepare('SELECT * FROM conversations WHERE id = ?');
    this.#setOpen = database.prepare('UPDATE conversations SET is_open = 1 WHERE id = ?');
    this.#settle = database.prepare(
      `UPDATE conversations SET is_open = 0, asking_run = NULL WHERE id = @id AND summary_for IS NULL AND sub_run IS NULL
         AND NOT EXISTS (SELECT 1 FROM inbox WHERE conversation_id = @id AND seq > @seenSeq AND kind IN ('message', 'event') AND wants_answer = 1)
         AND NOT EXISTS (SELECT 1 FROM calls WHERE conversation_id = @id AND state <> 'done')`,
    );
    this.#beginAnew = database.prepare(
      `UPDATE conversations SET tainted = 0, private = 0, taint_sources = '[]', summary_id = NULL, summary_for = NULL,
         since_seq = ?, since_turn = (SELECT coalesce(max(id), 0) FROM turns)
       WHERE id = ?`,
    );
    this.#move = database.prepare(
      `INSERT INTO moves (id, conversation_id) VALUES (?, ?)
       ON CONFLICT (id) DO UPDATE SET conversation_id = excluded.conversation_id WHERE conversation_id <> excluded.conversation_id`,
    );
    this.#rename = database.prepare('UPDATE conversations SET chat_id = ? WHERE id = ?');
    this.#moves = database.prepare('SELECT id, conversation_id FROM moves');
    this.#formerNames = new Map(
      this.#moves.all().map((found) => {
        const row = new Row(found);
        return [row.text('id'), row.text('conversation_id')] as const;
      }),
    );
    this.#chooseModel = database.prepare('UPDATE conversations SET model = ? WHERE id = ?');
    this.#spend = database.prepare(
      `UPDATE conversations SET spent_tokens = iif(spent_run IS @run, spent_tokens, 0) + @tokens,
         spent_cost = iif(spent_run IS @run, spent_cost, 0) + @cost, spent_run = @run WHERE id = @id`,
    );
    this.#ask = database.prepare('UPDATE conversations SET asking_run = ? WHERE id = ?');
    this.#open = database.prepare('SELECT id FROM conversations WHERE is_open = 1');
    this.#latest = database.prepare(
      `SELECT * FROM (
         SELECT *, row_number() OVER (PARTITION BY tenant, chat_id ORDER BY seen_at DESC) AS place
         FROM conversations WHERE channel = ? AND seen_at > 0)
       WHERE place <= ${threadsOfChat} ORDER BY seen_at DESC LIMIT ?`,
    );
    this.#participants = database.prepare('SELECT principal FROM participants WHERE conversation_id = ?');
    // A session of a device is a window that somebody opens, not a place to reach him in.
    this.#direct = database.prepare(
      `SELECT conversations.id AS id FROM participants JOIN conversations ON conversations.id = participants.conversation_id
       WHERE participants.principal = ? AND conversations.kind = 'direct' AND conversations.channel <> 'device'`,
    );
  }

  /** Makes sure that the place is known. */
  see(id: string, conversation: Conversation, { at, isOpen }: { readonly at: number; readonly isOpen: boolean }): void {
    const { channel, tenant, chatId, threadId, kind, title } = conversation;
    this.#insert.run(id, channel, tenant ?? null, chatId, threadId ?? null, kind, title ?? null, at, isOpen ? 1 : 0);
  }

  seePerson({ conversationId: id, principal, name, roles = [] }: Origin): void {
    this.#addParticipant.run(id, principal, name, JSON.stringify(roles));
  }

  find(id: string): ConversationRow | undefined {
    const found = this.#find.get(id);
    if (found === undefined) return undefined;
    const row = new Row(found);
    const model = row.optionalText('model');
    const summaryId = row.optionalInteger('summary_id');
    const askingRun = row.optionalText('asking_run');
    const summaryFor = row.optionalText('summary_for');
    return {
      id,
      conversation: toConversation(row),
      sinceSeq: row.integer('since_seq'),
      sinceTurn: row.integer('since_turn'),
      isOpen: row.flag('is_open'),
      ...(summaryId === undefined ? {} : { summaryId }),
      ...(summaryFor === undefined ? {} : { summaryFor }),
      labels: {
        tainted: row.flag('tainted'),
        private: row.flag('private'),
        sources: row.json<readonly string[]>('taint_sources'),
      },
      ...(model === undefined ? {} : { model }),
      pinned: row.json<readonly PinnedFact[]>('pinned'),
      spent: {
        runId: row.optionalText('spent_run') ?? 'none',
        tokens: row.integer('spent_tokens'),
        cost: row.integer('spent_cost'),
      },
      ...(askingRun === undefined ? {} : { askingRun }),
      ...(row.optionalText('sub_run') === undefined ? {} : { subRun: row.json<SubRun>('sub_run') }),
    };
  }

  /** Goes on in a chat with another id, whether it was seen before or not. False if that was known. */
  move(id: string, from: Conversation, chatId: string): boolean {
    const newName = conversationId({ ...from, chatId });
    if (newName === id) return false;
    this.#rename.run(chatId, id);
    this.#formerNames.set(newName, id);
    return this.#move.run(newName, id).changes === 1;
  }

  /** The ids that a chat had before it was given this one, the first of them first. */
  formerChats({ threadId: _thread, ...chat }: Conversation): readonly string[] {
    const name = conversationId(chat);
    const first = this.#formerNames.get(name);
    if (first === undefined) return [];
    const later = [...this.#formerNames].filter(([other, id]) => id === first && other !== name);
    return [first, ...later.map(([other]) => other)].map(chatIdOf);
  }

  /** The older conversation that goes on under this name. */
  formerly(name: string): string | undefined {
    return this.#formerNames.get(name);
  }

  /** Something is left to do there. */
  setOpen(id: string): void {
    this.#setOpen.run(id);
  }

  /** Nothing is left to do there, unless something newer than what was seen came in, or a call is open. */
  settle(id: string, seenSeq: number): void {
    this.#settle.run({ id, seenSeq });
  }

  /** Nothing up to there is read any more, and the labels are gone with it. */
  beginAnew(id: string, seenSeq: number): void {
    this.#beginAnew.run(seenSeq, id);
  }

  /** Which model answers there from now on; the default, if none is named. */
  chooseModel(id: string, name: string | undefined): void {
    this.#chooseModel.run(name ?? null, id);
  }

  /** Adds to what the run has taken; of an earlier one nothing is kept. */
  spend(id: string, run: string, { tokens, cost }: { readonly tokens: number; readonly cost: number }): void {
    this.#spend.run({ id, run, tokens, cost });
  }

  /** The run has asked to go on. */
  ask(id: string, runId: string): void {
    this.#ask.run(runId, id);
  }

  open(): readonly string[] {
    return this.#open.all().map((found) => new Row(found).text('id'));
  }

  /**
   * The places of a channel that were talked in, the latest first, that many at most, and not more than ten of a chat: its
   * threads must not push out all others. Looks at all of them.
   */
  latest(channel: string, most: number): readonly Conversation[] {
    return this.#latest.all(channel, most).map((found) => toConversation(new Row(found)));
  }

  participants(id: string): readonly string[] {
    return this.#participants.all(id).map((found) => new Row(found).text('principal'));
  }

  directConversationsOf(principal: string): readonly string[] {
    return this.#direct.all(principal).map((found) => new Row(found).text('id'));
  }
}

/** The chat of a conversation without a thread, from its name. */
function chatIdOf(name: string): string {
  return decodeURIComponent(name.slice(name.lastIndexOf(':') + 1));
}

/** The place that a row of `conversations`, or a join with it, speaks of. */
export function toConversation(row: Row): Conversation {
  const [tenant, threadId, title] = [
    row.optionalText('tenant'),
    row.optionalText('thread_id'),
    row.optionalText('title'),
  ];
  return {
    channel: row.text('channel'),
    chatId: row.text('chat_id'),
    kind: row.word('kind', ['direct', 'group']),
    ...(tenant === undefined ? {} : { tenant }),
    ...(threadId === undefined ? {} : { threadId }),
    ...(title === undefined ? {} : { title }),
  };
}
