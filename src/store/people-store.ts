import type { CodeHolder, GivenCode, Hint, Knock, PairedPerson, PeopleStore } from '../conversation/people-store.ts';
import type { Database } from './database.ts';
import type { Tables } from './tables/tables.ts';

/** A place where nobody was heard does not count among those that are talked in. */
const never = 0;

/** Who may talk, and who asks for it, in SQLite. */
export class SqlitePeopleStore implements PeopleStore {
  readonly #database: Database;
  readonly #tables: Tables;

  constructor(database: Database, tables: Tables) {
    this.#database = database;
    this.#tables = tables;
  }

  async paired(): Promise<readonly PairedPerson[]> {
    return this.#tables.people.paired();
  }

  async codeHolders(now: number): Promise<readonly CodeHolder[]> {
    return this.#tables.people.codes(now).map(({ principal, name, expiresAt }) => ({ principal, name, expiresAt }));
  }

  dropCodes(principals: readonly string[]): Promise<void> {
    return this.#database.write(() => {
      for (const principal of principals) this.#tables.people.removeCode(principal);
    }, 'relaxed');
  }

  knock({ origin, offer, words, at, again }: Knock): Promise<'silent' | 'refused' | 'given-code'> {
    return this.#database.write(() => {
      const { people, conversations, outbox, audit } = this.#tables;
      const { principal, conversationId } = origin;
      if (offer !== undefined) people.removeLateCodes(at);
      if (!people.mayHint(principal, at, again)) return 'silent';
      const given = offer === undefined ? undefined : this.#give(origin, offer, at);
      conversations.see(conversationId, origin.conversation, { at: never, isOpen: false });
      outbox.add({ conversationId, message: words(given) }, at);
      const kind = given === undefined ? 'stranger-refused' : 'code-given';
      audit.add({ at, kind, conversationId, actor: principal, detail: {} });
      return given === undefined ? 'refused' : 'given-code';
    }, 'relaxed');
  }

  hint({ subject, origin, message, at, again }: Hint): Promise<boolean> {
    return this.#database.write(() => {
      const { people, conversations, outbox } = this.#tables;
      if (!people.mayHint(subject, at, again)) return false;
      conversations.see(origin.conversationId, origin.conversation, { at: never, isOpen: false });
      outbox.add({ conversationId: origin.conversationId, message }, at);
      return true;
    }, 'relaxed');
  }

  /** His code if he has one that is good, else a new one; undefined if as many as may be are open. */
  #give(origin: Knock['origin'], offer: NonNullable<Knock['offer']>, at: number): GivenCode | undefined {
    const { people } = this.#tables;
    const open = people.codes(at);
    const own = open.find(({ principal }) => principal === origin.principal);
    if (own !== undefined) return own;
    const { code, expiresAt, most } = offer;
    // Two that read alike would let in the wrong one.
    if (open.length >= most || open.some((other) => other.code === code)) return undefined;
    const { principal, name, conversationId } = origin;
    people.addCode({ principal, name, conversationId, code, expiresAt }, at);
    return { code, expiresAt };
  }
}
