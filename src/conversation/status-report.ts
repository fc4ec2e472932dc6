import type { Approval } from '../approval/approval.ts';
import { clockTime } from '../approval/card.ts';
import type { Grant } from '../approval/grants.ts';
import type { ChannelHealth } from '../contract.ts';
import { escapeMarkdown, inlineCode, oneLine } from '../lib/plain-text.ts';
import type { RegisteredTool } from '../tools/registry.ts';
import type { ToolStatistics } from '../tools/statistics.ts';

/** What `/status` tells, as facts. */
export interface StatusFacts {
  readonly model: string;
  readonly mode: string;
  readonly policy: string;
  readonly upSince: number;
  readonly channels: readonly { readonly name: string; readonly health: ChannelHealth; readonly since: number }[];
  readonly waiting: readonly Approval[];
  readonly working: boolean;
  readonly workspace: string;
}

export function statusReport(facts: StatusFacts, now: number): string {
  const channels = facts.channels.map(
    ({ name, health, since }) => `- ${name}: ${healthWords(health)}, for ${ago(now - since)}`,
  );
  const waiting = facts.waiting.map(
    (approval) =>
      `- ${inlineCode(approval.id)}: ${oneLine(approval.description, 200)}, until ${clockTime(approval.expiresAt)}`,
  );
  return [
    `**Keyturn** is up for ${ago(now - facts.upSince)}${facts.working ? ', and is working on something here' : ''}.`,
    [
      `- Model: ${escapeMarkdown(facts.model)}`,
      `- Mode: ${facts.mode}; approval: ${facts.policy}`,
      `- Workspace: ${inlineCode(facts.workspace)}`,
    ].join('\n'),
    ['Channels:', ...channels].join('\n'),
    waiting.length === 0
      ? 'Nothing waits for a decision here.'
      : ['Waiting for a decision here:', ...waiting].join('\n'),
  ].join('\n\n');
}

export function grantsReport(grants: readonly Grant[]): string {
  if (grants.length === 0)
    return 'No standing permissions here. The buttons *15 min* and *Always* of a card give them.';
  return [
    'Standing permissions here:',
    ...grants.map(grantLine),
    '',
    'End one with `/revoke ID`, or all with `/revoke all`.',
  ].join('\n');
}

export function toolsReport(tools: readonly ToolLine[]): string {
  const lines = tools.map(({ tool, asks, statistics }) => {
    const permission =
      asks === 'never' ? 'never asks' : asks === 'always' ? 'asks first' : 'not available in this mode';
    const used =
      statistics === undefined
        ? ''
        : `; used ${statistics.count}×, ${statistics.failure} failed, ${Math.round(statistics.averageDuration)} ms on average`;
    return `- ${inlineCode(tool.name)} (${tool.source.type}, ${tool.category}): ${permission}${used}`;
  });
  return ['Tools here:', ...lines].join('\n');
}

export interface ToolLine {
  readonly tool: RegisteredTool;
  readonly asks: 'always' | 'never' | 'refused';
  readonly statistics?: ToolStatistics;
}

export const helpText = [
  '**Keyturn** answers with a language model and acts through tools. Before it does anything dangerous it asks here, and waits.',
  [
    '- `/approve ID`, `/deny ID reason`: decide about what waits',
    '- `/stop`: end what is going on here, and call off what waits',
    '- `/new`: begin a new conversation',
    '- `/grants`, `/revoke ID`: standing permissions',
    '- `/status`, `/tools`, `/help`',
  ].join('\n'),
].join('\n\n');

function grantLine(grant: Grant): string {
  const what = oneLine(grant.description, 200);
  switch (grant.kind) {
    case 'window':
      return `- ${inlineCode(grant.id)}: every call of ${inlineCode(grant.toolName)} for ${escapeMarkdown(grant.requester)}, until ${clockTime(grant.expiresAt)}`;
    case 'always':
      return `- ${inlineCode(grant.id)}: always ${what} for ${escapeMarkdown(grant.requester)}`;
  }
}

function healthWords(health: ChannelHealth): string {
  switch (health.status) {
    case 'connecting':
      return 'connecting';
    case 'connected':
      return health.account === undefined ? 'connected' : `connected as ${escapeMarkdown(health.account)}`;
    case 'failing':
      return `not reachable (${escapeMarkdown(health.reason)})`;
    case 'dead':
      return `off (${escapeMarkdown(health.reason)})`;
  }
}

/** A duration for people: `3 min`, `2 h 5 min`. */
function ago(milliseconds: number): string {
  const minutes = Math.floor(milliseconds / 60_000);
  if (minutes < 1) return `${Math.floor(milliseconds / 1000)} s`;
  if (minutes < 60) return `${minutes} min`;
  const hours = Math.floor(minutes / 60);
  return hours < 48 ? `${hours} h ${minutes % 60} min` : `${Math.floor(hours / 24)} days`;
}
