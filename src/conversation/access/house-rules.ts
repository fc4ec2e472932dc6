import type { Conversation, InboundEvent, Sender } from '../../contract.ts';
import type { Command } from '../command.ts';
import { type Access, type AccessRules, accessOf, mayCommand, type PlaceRules, placeRules } from './access.ts';
import type { People } from './people.ts';

export interface HouseRulesDependencies {
  /** What the config says, by channel. */
  readonly rules: ReadonlyMap<string, AccessRules>;
  readonly people: People;
  /** The ids that a chat had before it was given this one. */
  readonly formerChats: (conversation: Conversation) => readonly string[];
}

/** Who may talk where, and who may command there: from the config, from the owners, and from whom they have let in. */
export class HouseRules {
  readonly #dependencies: HouseRulesDependencies;

  constructor(dependencies: HouseRulesDependencies) {
    this.#dependencies = dependencies;
  }

  accessOf(event: InboundEvent): Access {
    return accessOf(event, this.#rulesAt(event.conversation), this.#dependencies.people);
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
    const { people } = this.#dependencies;
    return mayCommand(command, event, { rules: this.#rulesAt(event.conversation), people });
  }

  isOwner(principal: string): boolean {
    return this.#dependencies.people.isOwner(principal);
  }

  /** Whether somebody may talk with us directly without having been let in with a code. */
  isNamed(principal: string): boolean {
    const [channel = '', ...id] = principal.split(':');
    const allowed = this.#dependencies.rules.get(channel)?.allowFrom ?? [];
    return this.isOwner(principal) || allowed.includes('*') || allowed.includes(id.join(':'));
  }

  /** The id by which the config names a group that has another id now; undefined where it knows that one, or neither. */
  outdatedId(from: Conversation, chatId: string): string | undefined {
    const groups = this.#dependencies.rules.get(from.channel)?.groups ?? {};
    if (Object.hasOwn(groups, chatId)) return undefined;
    const ids = [from.chatId, ...this.#dependencies.formerChats(from)];
    return ids.find((id) => Object.hasOwn(groups, id));
  }

  #rulesAt(conversation: Conversation): PlaceRules {
    const { rules, formerChats } = this.#dependencies;
    const ofChannel = rules.get(conversation.channel);
    if (ofChannel === undefined) return { allowFrom: [] };
    return placeRules(ofChannel, conversation, () => formerChats(conversation));
  }
}
