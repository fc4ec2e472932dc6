import type { PinnedFact } from '../agent/pinned-facts.ts';
import type { Origin } from '../approval/approval.ts';
import type { Grant } from '../approval/grants.ts';
import type { Conversation, OutboundMessage } from '../contract.ts';
import type {
  ChatMove,
  DeletionDraft,
  EditDraft,
  Edited,
  InboxStore,
  MessageDraft,
  Obeyed,
  StoredCommand,
  Withdrawn,
} from '../conversation/inbox.ts';
import { newId } from '../lib/ids.ts';
import { CommandEffects } from './command-effects.ts';
import type { Database, Statement } from './database.ts';
import { Row } from './row.ts';
import type { Tables } from './tables/tables.ts';

/** After so many messages of programs in a row, a person has to speak before another one is heard. */
const mostPrograms = 3;

/** What comes in, in SQLite. */
export class SqliteInboxStore implements InboxStore {
  readonly #database: Database;
  readonly #tables: Tables;
  readonly #effects: CommandEffects;
  readonly #owners: Statement;

  constructor(database: Database, tables: Tables) {
    this.#database = database;
    this.#tables = tables;
    this.#effects = new CommandEffects(database, tables);
    this.#owners = database.prepare('SELECT principal FROM owners ORDER BY claimed_at');
  }

  accept(message: MessageDraft, visible?: () => void): Promise<'accepted' | 'repeated' | 'unheard'> {
    const work = (): 'accepted' | 'repeated' | 'unheard' => {
      const { inbox, attachments, conversations, outbox } = this.#tables;
      const { origin, notice } = message;
      const { conversationId } = origin;
      if (!message.isPerson && inbox.programsInARow(conversationId) >= mostPrograms) return 'unheard';
      if (!inbox.addMessage(message)) return 'repeated';
      attachments.add(origin.key, message.attachments ?? []);
      conversations.see(conversationId, origin.conversation, { at: message.at, isOpen: true });
      conversations.seePerson(origin);
      if (notice !== undefined) outbox.add({ conversationId, message: notice }, message.at);
      return 'accepted';
    };
    return this.#database.write(work, 'full', (accepted) => {
      if (accepted === 'accepted') visible?.();
    });
  }

  decline(origin: Origin, message: OutboundMessage, at: number): Promise<boolean> {
    return this.#database.write(() => {
      const { inbox, conversations, outbox } = this.#tables;
      const { conversationId } = origin;
      if (!inbox.addObeyed(origin, 'declined', '', at)) return false;
      conversations.see(conversationId, origin.conversation, { at, isOpen: false });
      conversations.seePerson(origin);
      outbox.add({ conversationId, message }, at);
      return true;
    });
  }

  edit(edit: EditDraft): Promise<Edited> {
    const { origin, messageKey, text } = edit;
    return this.#database.write((): Edited => {
      const { inbox } = this.#tables;
      const before = inbox.find(messageKey);
      if (before === undefined || before.principal !== origin.principal || before.text === text) return 'ignored';
      const { sinceSeq, seenSeq } = this.#readUpTo(before.conversationId);
      if (before.seq > seenSeq) {
        inbox.renew(messageKey, text);
        return 'replaced';
      }
      if (before.seq <= sinceSeq) return 'ignored';
      inbox.addEdit(edit, before, seenSeq);
      return 'noted';
    });
  }

  withdraw({ origin, messageKey, at }: DeletionDraft): Promise<Withdrawn> {
    return this.#database.write((): Withdrawn => {
      const { inbox, attachments } = this.#tables;
      const before = inbox.find(messageKey);
      if (before === undefined || before.principal !== origin.principal) return 'ignored';
      const { sinceSeq, seenSeq } = this.#readUpTo(before.conversationId);
      if (before.seq > seenSeq) {
        inbox.withdraw(messageKey);
        attachments.remove(messageKey);
        return 'removed';
      }
      if (before.seq <= sinceSeq) return 'ignored';
      inbox.addDeletion(origin, messageKey, before, at);
      return 'noted';
    });
  }

  move({ from, conversationId, chatId, notice, at }: ChatMove): Promise<readonly string[]> {
    return this.#database.write(() => {
      const { conversations, outbox } = this.#tables;
      if (!conversations.move(conversationId, from, chatId) || notice === undefined) return [];
      const { to, markdown } = notice;
      const places = [...new Set(to.flatMap((principal) => conversations.directConversationsOf(principal)))];
      for (const place of places)
        outbox.add({ conversationId: place, message: { id: newId(20), kind: 'notice', markdown } }, at);
      return places;
    });
  }

  formerChats(conversation: Conversation): readonly string[] {
    return this.#tables.conversations.formerChats(conversation);
  }

  formerly(conversationId: string): string | undefined {
    return this.#tables.conversations.formerly(conversationId);
  }

  obey(command: StoredCommand): Promise<Obeyed> {
    return this.#database.write((): Obeyed => {
      const { inbox, conversations, outbox, audit } = this.#tables;
      const { origin, name, effect, at } = command;
      if (!inbox.addObeyed(origin, 'command', name, at)) return { status: 'repeated' };
      conversations.see(origin.conversationId, origin.conversation, { at, isOpen: false });
      conversations.seePerson(origin);
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

  async unfinished(): Promise<readonly string[]> {
    return this.#tables.conversations.open();
  }

  placeOf(conversationId: string): Conversation | undefined {
    return this.#tables.conversations.find(conversationId)?.conversation;
  }

  async modelOf(conversationId: string): Promise<string | undefined> {
    return this.#tables.conversations.find(conversationId)?.model;
  }

  async pinnedIn(conversationId: string): Promise<readonly PinnedFact[]> {
    return this.#tables.conversations.find(conversationId)?.pinned ?? [];
  }

  async latestPlaces(channel: string, most: number): Promise<readonly Conversation[]> {
    return this.#tables.conversations.latest(channel, most);
  }

  async owners(): Promise<readonly string[]> {
    return this.#owners.all().map((found) => new Row(found).text('principal'));
  }

  async grantsHere(conversationId: string, now: number): Promise<readonly Grant[]> {
    return this.#tables.grants.here(conversationId, now);
  }

  /** Up to where the conversation was read, and from where on it still is. */
  #readUpTo(conversationId: string): { readonly sinceSeq: number; readonly seenSeq: number } {
    const { turns, conversations } = this.#tables;
    const sinceSeq = conversations.find(conversationId)?.sinceSeq ?? 0;
    const newest = turns.newest(conversationId, 0, 1).at(-1)?.seenSeq ?? 0;
    return { sinceSeq, seenSeq: Math.max(sinceSeq, newest) };
  }
}
