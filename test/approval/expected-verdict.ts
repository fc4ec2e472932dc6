import type { ApprovalSettings, Labels } from '../../src/approval/verdict.ts';
import type { ToolCategory } from '../../src/tools/tool.ts';

/** A case of the table. */
export interface Case {
  readonly settings: ApprovalSettings;
  readonly category: ToolCategory;
  /** The tool is named in `dangerous_tools`, or in `require_for`. */
  readonly isNamedDangerous: boolean;
  readonly isRequired: boolean;
  readonly labels: Labels;
  /** The person has written all that steers the call. */
  readonly isOwnWish: boolean;
  readonly hasGrant: boolean;
}

export type Expected = 'allow' | 'deny' | 'ask' | 'ask without grants';

const observed: readonly ToolCategory[] = ['filesystem_read', 'network_read', 'memory'];
/** What asks in a tainted conversation, whatever was allowed before. */
const harmful: readonly ToolCategory[] = [
  'shell',
  'network_write',
  'messaging',
  'filesystem_write',
  'hardware',
  'destructive',
];

/**
 * The verdict as the words of the design have it, written again without a look at the code: refusals first, then taint,
 * then what is destructive, then the policy and the grants.
 */
export function expectedVerdict({ settings, category, labels, isOwnWish, hasGrant, ...named }: Case): Expected {
  const { mode, policy, taint } = settings;
  if (mode === 'observer' && !observed.includes(category)) return 'deny';

  const isWished = isOwnWish && (category.startsWith('network_') || category === 'messaging');
  const leaks = labels.private && category === 'network_read';
  const couldCarryOut = taint !== 'off' && labels.tainted && labels.private;
  const isTaintedCall = labels.tainted && !isWished && (harmful.includes(category) || leaks);
  if (isTaintedCall && taint === 'deny') return 'deny';
  if (isTaintedCall && taint === 'ask') return 'ask without grants';

  if (category === 'destructive' && policy !== 'always_allow') return 'ask without grants';
  const asks = {
    always_allow: false,
    always_require: mode !== 'autonomous' || named.isRequired,
    require_for_tools: named.isRequired,
    require_for_dangerous:
      mode === 'autonomous'
        ? named.isRequired
        : named.isNamedDangerous ||
          (settings.dangerousCategories.includes(category) && !(settings.allowOwnWords && isWished && !couldCarryOut)),
  };
  if (!asks[policy]) return 'allow';
  return hasGrant ? 'allow' : 'ask';
}
