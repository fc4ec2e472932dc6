import { withoutDevices } from '../../conversation/devices/device.ts';
import type { FeatureCore } from '../../feature-points.ts';
import { alreadyElsewhere, alreadyTogether, cannotLetIn, fromTheOther, full, ownCode, wrongCode } from './words.ts';

/** More than one person needs: linking must not let a crowd in. */
const mostAccounts = 10;

/** Which accounts may be linked. `maker` requested the code, `joining` typed it. */
export function linkRules({ accounts: { accountsOf }, rules, approvals, reachableOwners }: FeatureCore) {
  return { letsIn, objection, toldOf };

  function letsIn(maker: string): boolean {
    return accountsOf(maker).some((account) => rules.isLetIn(account));
  }

  /** Why the two may not be linked, in words for the person who typed the code; undefined if they may. */
  function objection(maker: string, joining: string): string | undefined {
    if (maker === joining) return ownCode;
    const own = accountsOf(joining);
    if (own.includes(maker)) return alreadyTogether;
    if (withoutDevices(own).length > 1) return alreadyElsewhere;
    if (!rules.mayTalk(maker)) return wrongCode;
    if (withoutDevices(accountsOf(maker)).length >= mostAccounts) return full;
    if (mayMore(joining, maker)) return fromTheOther;
    return rules.mayTalk(joining) || letsIn(maker) ? undefined : cannotLetIn;
  }

  /** The owners to notify, if somebody who is no owner lets a stranger in. */
  function toldOf(maker: string, joining: string): readonly string[] {
    return rules.isOwner(maker) || rules.mayTalk(joining) ? [] : reachableOwners();
  }

  /** Rights pass only from a code's maker to its user: nobody can be tricked into giving theirs away. */
  function mayMore(one: string, other: string): boolean {
    if (rules.isOwner(one) && !rules.isOwner(other)) return true;
    return approvals.isApprover(one) && !approvals.isApprover(other);
  }
}
