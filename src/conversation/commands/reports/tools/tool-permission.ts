import { type ApprovalSettings, modePermits, policyReason } from '../../../../approval/verdict.ts';
import { approvalWords } from '../../../../approval/words.ts';
import { unmarked } from '../../../../lib/plain-text.ts';
import type { Language } from '../../../../lib/words.ts';
import type { RegisteredTool } from '../../../../tools/registry.ts';

/** Whether a tool asks, as the rules say it before anything was read, for a person. */
export interface ToolPermission {
  /** `off`: the mode does not permit it. */
  readonly permission: 'asks' | 'never' | 'off';
  /** Why it asks: half a sentence of plain text. What was read before may make others ask, too. */
  readonly reason: string | undefined;
}

export function permissionOf(
  { name, category }: Pick<RegisteredTool, 'name' | 'category'>,
  settings: ApprovalSettings,
  language: Language,
): ToolPermission {
  if (!modePermits(settings.mode, category)) return { permission: 'off', reason: undefined };
  const because =
    policyReason(settings, name, category) ??
    (category === 'destructive' && settings.policy !== 'always_allow'
      ? ({ because: 'destructive' } as const)
      : undefined);
  if (because === undefined) return { permission: 'never', reason: undefined };
  return { permission: 'asks', reason: unmarked(approvalWords[language].reason(because)) };
}
