import type { Approval } from '../../approval/approval.ts';
import type { Grant } from '../../approval/grants.ts';
import { durationWords } from '../../lib/duration.ts';
import { clockTime } from '../../lib/local-time.ts';
import { escapeMarkdown, inlineCode, markdownLine, oneLine } from '../../lib/plain-text.ts';
import type { RegisteredTool } from '../../tools/registry.ts';
import type { ToolStatistics } from '../../tools/statistics.ts';
import { describeSource } from '../../tools/tool-source.ts';
import type { ChannelState } from '../health/health-board.ts';
import type { Refusals } from '../outbox.ts';

/** What `/status` tells, as facts. */
export interface StatusFacts {
  readonly model: string;
  readonly mode: string;
  readonly policy: string;
  readonly upSince: number;
  readonly channels: readonly ChannelFacts[];
  readonly waiting: readonly Approval[];
  /** Strangers who ask to be let in. */
  readonly asking: number;
  /** What others have written and no owner has decided about. */
  readonly untrusted: number;
  readonly working: boolean;
  /** For owners only: it tells of the machine. */
  readonly workspace?: string;
  /** For owners only: what keeps commands in their bounds, as plain text. */
  readonly shell?: string;
  /** For owners only: what is wrong with what brings tools, a line of plain text each. */
  readonly troubles: readonly string[];
  /** For owners only: what could not be shown in the last day. */
  readonly refused?: Refusals;
}

/** `saysAgain`: while it is connected it says so again and again. */
export type ChannelFacts = ChannelState & { readonly saysAgain: boolean };

export function statusReport(facts: StatusFacts, now: number): string {
  const channels = facts.channels.map((channel) => `- ${channel.name}: ${healthWords(channel, now)}`);
  const waiting = facts.waiting.map(
    (approval) =>
      `- ${inlineCode(approval.id)}: ${markdownLine(approval.description, 200)}, until ${clockTime(approval.expiresAt)}`,
  );
  return [
    `**Keyturn** is up for ${durationWords(now - facts.upSince)}${facts.working ? ', and is working on something here' : ''}.`,
    [
      `- Model: ${escapeMarkdown(facts.model)}`,
      `- Mode: ${facts.mode}; approval: ${facts.policy}`,
      ...(facts.shell === undefined ? [] : [`- Shell: ${escapeMarkdown(facts.shell)}`]),
      ...(facts.workspace === undefined ? [] : [`- Workspace: ${inlineCode(facts.workspace)}`]),
    ].join('\n'),
    ['Channels:', ...channels].join('\n'),
    waiting.length === 0
      ? 'Nothing waits for a decision here.'
      : ['Waiting for a decision here:', ...waiting].join('\n'),
    ...(facts.asking === 0 ? [] : [askingWords(facts.asking)]),
    ...(facts.untrusted === 0 ? [] : [untrustedWords(facts.untrusted)]),
    ...facts.troubles.map((trouble) => `⚠️ ${escapeMarkdown(oneLine(trouble, 700))}`),
    ...(facts.refused === undefined ? [] : [refusedWords(facts.refused)]),
  ].join('\n\n');
}

function refusedWords({ count, newest }: Refusals): string {
  const messages = count === 1 ? 'A message could' : `${count} messages could`;
  const where = `in ${inlineCode(newest.conversationId)} at ${clockTime(newest.at)}`;
  const reason = escapeMarkdown(oneLine(newest.reason, 500));
  return `⚠️ ${messages} not be shown in the last day. The newest, ${where}: ${reason}`;
}

function askingWords(count: number): string {
  return `${count === 1 ? 'A stranger asks' : `${count} strangers ask`} to be let in: \`/people\`.`;
}

function untrustedWords(count: number): string {
  return `${count === 1 ? 'One thing that others have written waits' : `${count} things that others have written wait`} to be trusted: \`/trust\`.`;
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

export function toolsReport(tools: readonly ToolFacts[]): string {
  const lines = tools.map(({ tool, asks, statistics }) => {
    const permission =
      asks === 'never' ? 'never asks' : asks === 'always' ? 'asks first' : 'not available in this mode';
    const used =
      statistics === undefined
        ? ''
        : `; used ${statistics.count}×, ${statistics.failure} failed${statistics.isFailing ? ' (⚠️ keeps failing)' : ''}, ${Math.round(statistics.averageDuration)} ms on average`;
    const source = escapeMarkdown(describeSource(tool.source));
    return `- ${inlineCode(tool.name)} (${source}, ${tool.category}): ${permission}${used}`;
  });
  return ['Tools here:', ...lines].join('\n');
}

export interface ToolFacts {
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
    '- `/model`, `/model NAME`: the model that answers here',
    "- `/context`, `/compact`: what fills the model's window, and a summary that makes room",
    '- `/pin TEXT`, `/pins`, `/unpin N`: facts that I keep in mind here, also in a new conversation',
    '- `/usage`: what the models took today',
    '- `/link`, `/links`, `/unlink ID`: accounts of yours on several platforms, as one person',
    '- `/pair CODE`, `/people`, `/unpair ID`: who may talk with me, for owners',
    '- `/device NAME`, `/devices`: phones, browsers and scripts of yours',
    '- `/trust ID`, `/distrust ID`: what others have written, for owners',
    '- `/composed`: tools that were made of words',
    '- `/status`, `/tools`, `/help`',
  ].join('\n'),
].join('\n\n');

function grantLine(grant: Grant): string {
  const what = markdownLine(grant.description, 200);
  switch (grant.kind) {
    case 'window':
      return `- ${inlineCode(grant.id)}: every call of ${inlineCode(grant.toolName)} for ${escapeMarkdown(grant.requester)}, until ${clockTime(grant.expiresAt)}`;
    case 'always':
      return `- ${inlineCode(grant.id)}: always ${what} for ${escapeMarkdown(grant.requester)}`;
  }
}

function healthWords({ health, since, heardAt, saysAgain }: ChannelFacts, now: number): string {
  const held = `for ${durationWords(now - since)}`;
  switch (health.status) {
    case 'connecting':
      return `connecting, ${held}`;
    case 'connected': {
      const account = health.account === undefined ? '' : ` as ${escapeMarkdown(health.account)}`;
      const heard = saysAgain ? `, last heard from ${durationWords(now - heardAt)} ago` : '';
      return `connected${account}, ${held}${heard}`;
    }
    case 'failing':
      return `not reachable (${escapeMarkdown(health.reason)}), ${held}`;
    case 'dead':
      return `off (${escapeMarkdown(health.reason)}), ${held}`;
  }
}
