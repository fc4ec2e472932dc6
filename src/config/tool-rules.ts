import { type ApprovalSettings, cleanLabels, judge, type Labels, type Verdict } from '../approval/verdict.ts';
import { isJsonObject } from '../lib/json.ts';
import { finderName } from '../tools/found-tools.ts';
import type { RateLimit } from '../tools/operator-rules.ts';
import { allows, type OfferRules } from '../tools/registry.ts';
import type { CallFacets, ToolCategory } from '../tools/tool.ts';
import type { Config } from './schema.ts';

/** The names of all builtin tools, on or off. All are in lower case. */
export function builtinNames({ tools }: Pick<Config, 'tools'>): readonly string[] {
  return Object.entries(tools).flatMap(([name, block]) => (isJsonObject(block) && 'enabled' in block ? [name] : []));
}

/** Whether the config switches a builtin tool off. */
export function isOff({ tools }: Config, name: string): boolean {
  const block: unknown = Object.hasOwn(tools, name) ? Reflect.get(tools, name) : undefined;
  return isJsonObject(block) && block.enabled === false;
}

/** Whether a builtin tool is on, and offered anywhere. */
export function isToolOn(config: Config, tool: { readonly name: string; readonly category: ToolCategory }): boolean {
  return !isOff(config, tool.name) && allows(offerRulesOf(config).everywhere, tool);
}

/** Lists of what is offered let `find_tools` pass: it shows only what they offer. Empty ones stay so. */
export function offerRulesOf({ tools: { disabled, only, per_chat } }: Config): OfferRules {
  const places = Object.entries(per_chat).map(([place, list]) => [place, { ...list, only: withFinder(list.only) }]);
  return { everywhere: { disabled, only: withFinder(only) }, places: Object.fromEntries(places) };
}

function withFinder(only: readonly string[]): readonly string[] {
  return only.length === 0 || only.includes('*') ? only : [...only, finderName];
}

/** The rate limits per person, by name patterns. */
export function rateLimitsOf({ tools }: Config): Readonly<Record<string, RateLimit>> {
  const limits = Object.entries(tools.rate_limits);
  return Object.fromEntries(limits.map(([pattern, { calls, per_secs }]) => [pattern, { calls, per: per_secs * 1000 }]));
}

export function approvalSettingsOf({ approval, agent, security }: Config): ApprovalSettings {
  return {
    mode: agent.mode,
    policy: approval.enabled ? approval.policy : 'always_allow',
    requireFor: approval.require_for,
    dangerousTools: approval.dangerous_tools,
    dangerousCategories: approval.dangerous_categories,
    allowOwnWords: approval.allow_own_words,
    taint: security.taint,
  };
}

/** A call whose verdict is wanted, before anybody makes it. */
export interface ProbedCall {
  readonly name: string;
  readonly category: ToolCategory;
  readonly facets?: CallFacets;
  readonly forbidden?: string | undefined;
}

/** The verdict on a call of a person without grants, in a conversation that has read this. */
export function verdictOn(
  config: Config,
  { name: toolName, ...call }: ProbedCall,
  labels: Labels = cleanLabels,
): Verdict['type'] {
  const settings = approvalSettingsOf(config);
  return judge({ toolName, ...call, hash: '', labels, grants: [], settings, now: 0 }).type;
}
