import type { Origin } from '../approval/approval.ts';
import type { Grant } from '../approval/grants.ts';
import type { Conversation, OutboundMessage } from '../contract.ts';
import type { EditDraft, Edited, InboxStore, MessageDraft, Obeyed, StoredCommand } from '../conversation/inbox.ts';
import { CommandEffects } from './command-effects.ts';
import type { Database, Statement } from './database.ts';
import { Row } from './row.ts';
import type { Tables } from './tables/tables.ts';

/** What comes in, in SQLite. */
export class SqliteInboxStore implements InboxStore {
  readonly #database: Database;
  readonly #tables: Tables;
  readonly #effects: CommandEffects;
  readonly #owners: Statement;
  readonly #refuse: Statement;

  constructor(database: Database, tables: Tables) {
    this.#database = database;
    this.#tables = tables;
    this.#effects = new CommandEffects(database, tables);
    this.#owners = database.prepare('SELECT principal FROM owners ORDER BY claimed_at');
    this.#refuse = database.prepare(
      `INSERT INTO refusals (principal, refused_at) VALUES (@principal, @at)
       ON CONFLICT (principal) DO UPDATE SET refused_at = @at WHERE refused_at <= @before`,
    );
  }

  accept(message: MessageDraft, visible?: () => void): Promise<'accepted' | 'repeated'> {
    const work = (): 'accepted' | 'repeated' => {
      const { inbox, conversations } = this.#tables;
      const { origin } = message;
      if (!inbox.addMessage(message)) return 'repeated';
      conversations.see(origin.conversationId, origin.conversation, true);
      conversations.seePerson(origin.conversationId, origin.principal, origin.name);
      return 'accepted';
    };
    return this.#database.write(work, 'full', (accepted) => {
      if (accepted === 'accepted') visible?.();
    });
  }

  edit({ origin, messageKey, text, at }: EditDraft): Promise<Edited> {
    return this.#database.write((): Edited => {
      const { inbox, turns, conversations } = this.#tables;
      const before = inbox.find(messageKey);
      if (before === undefined || before.principal !== origin.principal || before.text === text) return 'ignored';
      const sinceSeq = conversations.find(before.conversationId)?.sinceSeq ?? 0;
      const seenSeq = Math.max(sinceSeq, turns.newest(before.conversationId, 0, 1).at(-1)?.seenSeq ?? 0);
      if (before.seq > seenSeq) {
        inbox.renew(messageKey, text);
        return 'replaced';
      }
      if (before.seq <= sinceSeq) return 'ignored';
      return inbox.addEdit(origin, before.text, text, at) ? 'noted' : 'ignored';
    });
  }

  move(conversationId: string, chatId: string): Promise<void> {
    return this.#database.write(() => this.#tables.conversations.move(conversationId, chatId));
  }

  formerly(conversationId: string): string | undefined {
    return this.#tables.conversations.formerly(conversationId);
  }

  obey(command: StoredCommand): Promise<Obeyed> {
    return this.#database.write((): Obeyed => {
      const { inbox, conversations, outbox, audit } = this.#tables;
      const { origin, name, effect, at } = command;
      if (!inbox.addObeyed(origin, 'command', name, at)) return { status: 'repeated' };
      conversations.see(origin.conversationId, origin.conversation, false);
      conversations.seePerson(origin.conversationId, origin.principal, origin.name);
      const places: string[] = [];
      const result = this.#effects.apply(effect, origin, at, places);
      const answer = command.answer(result);
      if (answer !== undefined) outbox.add({ conversationId: origin.conversationId, message: answer }, at);
      audit.add({
        at,
        kind: 'command',
        conversationId: origin.conversationId,
        actor: origin.principal,
        detail: { name, effect: effect.type },
      });
      return { status: 'done', places, ...result };
    });
  }

  refuse(origin: Origin, message: OutboundMessage, at: number, again: number): Promise<boolean> {
    return this.#database.write(() => {
      const { conversations, outbox, audit } = this.#tables;
      if (this.#refuse.run({ principal: origin.principal, at, before: at - again }).changes === 0) return false;
      conversations.see(origin.conversationId, origin.conversation, false);
      outbox.add({ conversationId: origin.conversationId, message }, at);
      audit.add({
        at,
        kind: 'stranger-refused',
        conversationId: origin.conversationId,
        actor: origin.principal,
        detail: {},
      });
      return true;
    }, 'relaxed');
  }

  async unfinished(): Promise<readonly string[]> {
    return this.#tables.conversations.open();
  }

  placeOf(conversationId: string): Conversation | undefined {
    return this.#tables.conversations.find(conversationId)?.conversation;
  }

  async owners(): Promise<readonly string[]> {
    return this.#owners.all().map((found) => new Row(found).text('principal'));
  }

  async grantsHere(conversationId: string, now: number): Promise<readonly Grant[]> {
    return this.#tables.grants.here(conversationId, now);
  }
}
