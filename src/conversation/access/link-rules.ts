import { withoutDevices } from '../devices/device-accounts.ts';
import type { AccountsOf } from './accounts.ts';
import {
  alreadyElsewhere,
  alreadyTogether,
  cannotLetIn,
  fromTheOther,
  full,
  ownCode,
  wrongCode,
} from './link-words.ts';

export interface LinkRulesDependencies {
  readonly accountsOf: AccountsOf;
  readonly isOwner: (principal: string) => boolean;
  readonly isApprover: (principal: string) => boolean;
  /** Whether he may talk directly. */
  readonly mayTalk: (principal: string) => boolean;
  /** Whether he may because he himself was meant, and not since everybody may. */
  readonly isLetIn: (principal: string) => boolean;
  /** The owners who can be reached. */
  readonly owners: () => readonly string[];
}

/** More than anybody has: a person is not a way to let a crowd in. */
const mostAccounts = 10;

/** Which accounts may be linked. `maker` has asked for the code, `joining` has typed it. */
export class LinkRules {
  readonly #dependencies: LinkRulesDependencies;

  constructor(dependencies: LinkRulesDependencies) {
    this.#dependencies = dependencies;
  }

  isOwner(principal: string): boolean {
    return this.#dependencies.isOwner(principal);
  }

  /** Whether a link with this account lets another one in. */
  letsIn(maker: string): boolean {
    const { accountsOf, isLetIn } = this.#dependencies;
    return accountsOf(maker).some(isLetIn);
  }

  /** Why the two are not linked, in words for whoever has typed the code; undefined where they may be. */
  objection(maker: string, joining: string): string | undefined {
    const { accountsOf, mayTalk } = this.#dependencies;
    if (maker === joining) return ownCode;
    const own = accountsOf(joining);
    if (own.includes(maker)) return alreadyTogether;
    if (withoutDevices(own).length > 1) return alreadyElsewhere;
    if (!mayTalk(maker)) return wrongCode;
    if (withoutDevices(accountsOf(maker)).length >= mostAccounts) return full;
    if (this.#mayMore(joining, maker)) return fromTheOther;
    return mayTalk(joining) || this.letsIn(maker) ? undefined : cannotLetIn;
  }

  /** The owners who are to know of it: where somebody else lets a stranger in. */
  toldOf(maker: string, joining: string): readonly string[] {
    const { isOwner, mayTalk, owners } = this.#dependencies;
    return isOwner(maker) || mayTalk(joining) ? [] : owners();
  }

  /** Rights go from whoever shows a code to whoever uses it: nobody is talked into giving his away by typing something. */
  #mayMore(one: string, other: string): boolean {
    const { isOwner, isApprover } = this.#dependencies;
    return [isOwner, isApprover].some((may) => may(one) && !may(other));
  }
}
