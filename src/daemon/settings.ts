import { dirname } from 'node:path';
import { z } from 'zod';
import type { BrokerSettings } from '../approval/broker.ts';
import type { ApprovalSettings } from '../approval/policy.ts';
import type { Config } from '../config/schema.ts';
import type { AccessRules, GroupRules } from '../conversation/access/access.ts';
import type { PairingSettings } from '../conversation/access/doorkeeper.ts';
import type { AttachmentSettings } from '../conversation/attachments/attachments.ts';
import type { SenderSettings } from '../conversation/delivery/message-sender.ts';
import type { SchedulerSettings } from '../conversation/planning/scheduler.ts';
import type { StageSettings } from '../conversation/stage.ts';
import { isJsonObject } from '../lib/json.ts';
import type { MemorySettings } from '../tools/builtin/memory/memory-tools.ts';
import type { PlanningSettings } from '../tools/builtin/planning/planned-time.ts';
import type { ProcessBoundsOptions } from '../tools/guard/process/process-bounds.ts';
import { isOfferedSomewhere, type OfferRules } from '../tools/offer.ts';
import type { RateLimit } from '../tools/rate-limit.ts';

/** What it reads of a group's. */
const groupBlock = z.object({
  require_mention: z.boolean().default(true),
  follow_threads: z.boolean().default(true),
  allow_from: z.array(z.string()).default([]),
  commands_from: z.array(z.string()).default(['*']),
});

/** What the daemon reads of any channel's block; the rest is for the channel. */
const channelBlock = z.object({
  enabled: z.boolean(),
  allow_from: z.array(z.string()).default([]),
  groups: z.record(z.string(), groupBlock).default({}),
});

/** The channels that the config turns on, with who may talk there. */
export function enabledChannels(config: Config): ReadonlyMap<string, AccessRules> {
  const blocks = Object.entries(config.channels).map(([name, block]) => [name, channelBlock.parse(block)] as const);
  return new Map(
    blocks
      .filter(([, { enabled }]) => enabled)
      .map(([name, { allow_from, groups }]) => [
        name,
        {
          allowFrom: allow_from,
          groups: Object.fromEntries(Object.entries(groups).map(([id, group]) => [id, groupRulesOf(group)])),
        },
      ]),
  );
}

function groupRulesOf(group: z.output<typeof groupBlock>): GroupRules {
  const { require_mention, follow_threads, allow_from, commands_from } = group;
  // An owner may command everywhere: that only he may is a list without anybody else.
  const commandsFrom = commands_from.filter((id) => id !== 'owner');
  return { requireMention: require_mention, followThreads: follow_threads, allowFrom: allow_from, commandsFrom };
}

/** How strangers are given codes; undefined where they are not. */
export function pairingSettingsOf({ pairing }: Config): PairingSettings | undefined {
  return pairing.enabled ? { lifetime: pairing.code_secs * 1000, most: pairing.max_codes } : undefined;
}

export function approvalSettingsOf({ approval, agent, security }: Config): ApprovalSettings {
  return {
    mode: agent.mode,
    policy: approval.enabled ? approval.policy : 'always_allow',
    requireFor: approval.require_for,
    dangerousTools: approval.dangerous_tools,
    dangerousCategories: approval.dangerous_categories,
    taint: security.taint,
  };
}

export function brokerSettingsOf({ approval }: Config): BrokerSettings {
  return {
    timeout: approval.timeout_secs * 1000,
    window: approval.window_secs * 1000,
    forwardTo: approval.forward_to,
  };
}

export function deliverySettingsOf({ delivery }: Config): SenderSettings {
  return {
    firstPause: 500,
    longestPause: 30_000,
    ambiguousPause: delivery.ambiguous_retry_after_ms,
    maxMessages: delivery.max_messages,
    lateAfter: delivery.late_after_secs * 1000,
  };
}

export function stageSettingsOf({ delivery }: Config): StageSettings {
  return { editReplies: delivery.stream, toolCards: delivery.tool_cards };
}

export function attachmentSettingsOf({ attachments }: Config): AttachmentSettings {
  const { folder, max_bytes, timeout_secs } = attachments;
  return { folder, maxBytes: max_bytes, timeout: timeout_secs * 1000 };
}

/** The people who may decide, given the owners. */
export function approversOf({ approval }: Config, owners: readonly string[]): readonly string[] {
  return [...new Set(approval.approvers.flatMap((approver) => (approver === 'owner' ? owners : [approver])))];
}

export function planningSettingsOf(config: Config): PlanningSettings & SchedulerSettings {
  const { tools } = config;
  const { time_zone, max_entries, catch_up_secs } = tools.schedule;
  const isOn = (name: string): boolean =>
    !isOff(config, name) && isOfferedSomewhere(offerRulesOf(config), { name, category: 'memory' });
  return {
    timeZone: () => time_zone ?? Intl.DateTimeFormat().resolvedOptions().timeZone,
    maxEntries: max_entries,
    catchUp: catch_up_secs * 1000,
    types: [...(isOn('schedule') ? ['task' as const] : []), ...(isOn('remind') ? ['reminder' as const] : [])],
  };
}

export function memorySettingsOf({ tools }: Config): MemorySettings {
  const { max_entries, max_chars } = tools.memory_store;
  return { maxEntries: max_entries, maxChars: max_chars };
}

/** What commands are kept from, and what they may reach. */
export function boundsSettingsOf(
  { tools, data_dir, workspace }: Config,
  privatePaths: readonly string[],
): Omit<ProcessBoundsOptions, 'sandbox'> {
  const { sandbox, allowed_domains } = tools.shell;
  const brace = workspace.indexOf('{');
  // Where each conversation has a folder of its own, those of the others are hidden: all that stands in this one.
  const root = brace === -1 ? undefined : dirname(`${workspace.slice(0, brace)}x`);
  return {
    isRequired: sandbox === 'required',
    allowedDomains: allowed_domains,
    hidden: { privatePaths: [...privatePaths, data_dir], ...(root === undefined ? {} : { workspaceRoot: root }) },
  };
}

/** Whether the config switches a builtin tool off. */
export function isOff({ tools }: Config, name: string): boolean {
  const block: unknown = Object.hasOwn(tools, name)
    ? Object.entries(tools).find(([key]) => key === name)?.[1]
    : undefined;
  return isJsonObject(block) && block.enabled === false;
}

/** How often one person may have a tool called, by patterns of names. */
export function rateLimitsOf({ tools }: Config): Readonly<Record<string, RateLimit>> {
  const limits = Object.entries(tools.rate_limits);
  return Object.fromEntries(limits.map(([pattern, { calls, per_secs }]) => [pattern, { calls, per: per_secs * 1000 }]));
}

/** Which tools are to be had where. */
export function offerRulesOf({ tools: { disabled, only, per_chat: places } }: Config): OfferRules {
  return { everywhere: { disabled, only }, places };
}
