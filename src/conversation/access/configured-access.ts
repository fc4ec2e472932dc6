import { type Conversation, type InboundEvent, partsOf, type Sender } from '../../contract.ts';
import type { Command } from '../../engine/message.ts';
import type { Access, AccessPolicy } from '../../engine/receive.ts';
import { type AccessRules, accessOf, type KnownPeople, mayCommand, type PlaceRules, placeRules } from './access.ts';
import type { AccountsOf } from './accounts.ts';
import type { People } from './people.ts';

export interface ConfiguredAccessDependencies {
  /** What the config says, by channel. */
  readonly rules: () => ReadonlyMap<string, AccessRules>;
  readonly people: People;
  readonly accountsOf: AccountsOf;
  /** The ids that a chat had before it was given this one. */
  readonly formerChats: (conversation: Conversation) => readonly string[];
}

/** Who may talk where, and who may command there: from the config, from the owners, and from whom they have let in. */
export class ConfiguredAccess implements AccessPolicy {
  readonly #dependencies: ConfiguredAccessDependencies;
  readonly #known: KnownPeople;

  constructor(dependencies: ConfiguredAccessDependencies) {
    this.#dependencies = dependencies;
    const { people, accountsOf } = dependencies;
    this.#known = {
      isOwner: (principal) => people.isOwner(principal),
      isPaired: (principal) => people.isPaired(principal),
      isListed: (principal) => this.#allowed(principal).includes(partsOf(principal).senderId),
      accountsOf,
    };
  }

  accessOf(event: InboundEvent): Access {
    return accessOf(event, this.#rulesAt(event.conversation), this.#known);
  }

  /** Whether somebody who calls us there would be heard. */
  isWelcome(sender: Sender, conversation: Conversation): boolean {
    const call: InboundEvent = { type: 'message', key: '', conversation, sender, text: '', addressed: true, sentAt: 0 };
    return this.accessOf(call).type === 'welcome';
  }

  /** Whether no mention is needed in a thread of that group which we have taken part in. */
  followsThreads(conversation: Conversation): boolean {
    return this.#rulesAt(conversation).group?.followThreads === true;
  }

  mayCommand(command: Command, event: InboundEvent): boolean {
    return mayCommand(command, event, { rules: this.#rulesAt(event.conversation), people: this.#known });
  }

  isOwner(principal: string): boolean {
    return this.#dependencies.people.isOwner(principal);
  }

  /** Whether somebody may talk with us directly without having been let in with a code. */
  isNamed(principal: string): boolean {
    return this.isOwner(principal) || this.#known.isListed(principal) || this.#allowed(principal).includes('*');
  }

  /** Whether this very account was let in: as an owner, by its id in the config, or with a code. */
  isLetIn(principal: string): boolean {
    const { isOwner, isListed, isPaired } = this.#known;
    return [isOwner, isListed, isPaired].some((may) => may(principal));
  }

  /** Whether they were let in with another account of theirs. */
  isLinkedIn(principal: string): boolean {
    const others = this.#known.accountsOf(principal).filter((account) => account !== principal);
    return others.some((account) => this.isLetIn(account));
  }

  /** Whether somebody may talk with us directly, for whatever reason. */
  mayTalk(principal: string): boolean {
    return this.isNamed(principal) || this.isLetIn(principal) || this.isLinkedIn(principal);
  }

  /** The id by which the config names a group that has another id now; undefined where it knows that one, or neither. */
  outdatedId(from: Conversation, chatId: string): string | undefined {
    const groups = this.#dependencies.rules().get(from.channel)?.groups ?? {};
    if (Object.hasOwn(groups, chatId)) return undefined;
    const ids = [from.chatId, ...this.#dependencies.formerChats(from)];
    return ids.find((id) => Object.hasOwn(groups, id));
  }

  #allowed(principal: string): readonly string[] {
    return this.#dependencies.rules().get(partsOf(principal).channel)?.allowFrom ?? [];
  }

  #rulesAt(conversation: Conversation): PlaceRules {
    const { rules, formerChats } = this.#dependencies;
    const ofChannel = rules().get(conversation.channel);
    if (ofChannel === undefined) return { allowFrom: [] };
    return placeRules(ofChannel, conversation, () => formerChats(conversation));
  }
}
