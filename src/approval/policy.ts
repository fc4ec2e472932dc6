import type { ToolCategory } from '../tools/category.ts';
import { matchesAny } from '../tools/tool-pattern.ts';

/** When to ask: never · always · for the tools of `require_for` · for what is dangerous. */
export const approvalPolicies = [
  'always_allow',
  'always_require',
  'require_for_tools',
  'require_for_dangerous',
] as const;
export type ApprovalPolicy = (typeof approvalPolicies)[number];

/** How much the agent may do: read only · what the policy says · what the policy would ask, too. */
export const agentModes = ['observer', 'assistant', 'autonomous'] as const;
export type AgentMode = (typeof agentModes)[number];

/** What to do about a call that could harm or leak after untrusted content was read. */
export const taintRules = ['ask', 'deny', 'off'] as const;
export type TaintRule = (typeof taintRules)[number];

/** The operator's choices about approval. Patterns are `*`, `prefix*`, `*suffix` or a whole name. */
export interface ApprovalSettings {
  readonly mode: AgentMode;
  readonly policy: ApprovalPolicy;
  readonly requireFor: readonly string[];
  readonly dangerousTools: readonly string[];
  readonly dangerousCategories: readonly ToolCategory[];
  readonly taint: TaintRule;
}

/** Whether the policy alone, without mode, taint and grants, asks before this call. */
export function policyAsks(settings: ApprovalSettings, toolName: string, category: ToolCategory): boolean {
  switch (settings.policy) {
    case 'always_allow':
      return false;
    case 'always_require':
      return true;
    case 'require_for_tools':
      return matchesAny(settings.requireFor, toolName);
    case 'require_for_dangerous':
      return matchesAny(settings.dangerousTools, toolName) || settings.dangerousCategories.includes(category);
  }
}

/** Whether the mode lets a call of this category happen at all. */
export function modePermits(mode: AgentMode, category: ToolCategory): boolean {
  if (mode !== 'observer') return true;
  return category === 'filesystem_read' || category === 'network_read' || category === 'memory';
}
