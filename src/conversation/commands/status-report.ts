import type { Approval, Grant } from '../../approval/approval.ts';
import { targetWords } from '../../approval/cards.ts';
import { type Labels, sourceWords } from '../../approval/verdict.ts';
import { durationWords } from '../../lib/duration.ts';
import { clockTime } from '../../lib/local-time.ts';
import { escapeMarkdown, inlineCode, markdownLine, oneLine } from '../../lib/plain-text.ts';
import type { RegisteredTool } from '../../tools/registry.ts';
import type { ToolStatistics } from '../../tools/statistics.ts';
import { describeSource } from '../../tools/tool-source.ts';
import type { ChannelState } from '../health/health-board.ts';

/** Messages that platforms have refused for good. */
interface Refusals {
  readonly count: number;
  /** The newest of them: when it was written, where it was to be shown, and why it is not. */
  readonly newest: { readonly at: number; readonly conversationId: string; readonly reason: string };
}

/** A message that waits for somebody to say: try again, or drop it. */
interface ParkedMessage {
  /** What it is called where somebody types. */
  readonly stubId: string;
  readonly conversationId: string;
  readonly at: number;
  readonly reason: string;
}

/** Messages that could not be sent up to now, and are tried again. */
interface Unsent {
  readonly count: number;
  /** The one that has failed for longest. */
  readonly oldest: { readonly since: number; readonly conversationId: string; readonly reason: string };
}

/** What is known of messages that could not be sent. */
export interface OutboxReports {
  /** All messages that wait for a person, the newest first. */
  parked(): Promise<readonly ParkedMessage[]>;
  /** What is tried again and again on these channels; undefined if nothing is. */
  unsent(channels: readonly string[]): Promise<Unsent | undefined>;
  /** What was refused for good since then, and is shown nowhere; undefined if nothing was. */
  refusedSince(at: number): Promise<Refusals | undefined>;
}

/** What `/status` tells, as facts. */
export interface StatusFacts {
  readonly model: string;
  readonly mode: string;
  readonly policy: string;
  readonly upSince: number;
  readonly channels: readonly ChannelFacts[];
  /** What the conversation has read. */
  readonly labels: Labels;
  readonly waiting: readonly Approval[];
  /** Strangers who ask to be let in. */
  readonly asking: number;
  /** What features say of themselves, a paragraph each. */
  readonly more: readonly string[];
  readonly working: boolean;
  /** For owners only: it tells of the machine. */
  readonly workspace?: string;
  /** For owners only: what keeps commands in their bounds, as plain text. */
  readonly shell?: string;
  /** For owners only: what is wrong, a line of plain text each. */
  readonly troubles: readonly string[];
  /** For owners only: what could not be shown in the last day. */
  readonly refused?: Refusals;
  /** For owners only: what is tried again and again. */
  readonly unsent?: Unsent;
  /** What waits for somebody to try it again or drop it: here, or anywhere for owners. */
  readonly parked: readonly ParkedMessage[];
}

/** `saysAgain`: while it is connected it says so again and again. */
export type ChannelFacts = ChannelState & { readonly saysAgain: boolean };

export function statusReport(facts: StatusFacts, now: number): string {
  const channels = facts.channels.map((channel) => `- ${channel.name}: ${healthWords(channel, now)}`);
  const waiting = facts.waiting.map(
    (approval) =>
      `- ${inlineCode(approval.id)}: ${markdownLine(approval.description, 200)}, ${approval.shownAt === undefined ? 'not shown yet' : `until ${clockTime(approval.expiresAt)}`}`,
  );
  return [
    `**Keyturn** is up for ${durationWords(now - facts.upSince)}${facts.working ? ', and is working on something here' : ''}.`,
    [
      `- Model: ${escapeMarkdown(facts.model)}`,
      `- Mode: ${facts.mode}; approval: ${facts.policy}`,
      ...(facts.shell === undefined ? [] : [`- Shell: ${escapeMarkdown(facts.shell)}`]),
      ...(facts.workspace === undefined ? [] : [`- Workspace: ${inlineCode(facts.workspace)}`]),
    ].join('\n'),
    ...(facts.labels.tainted ? [taintWords(facts.labels)] : []),
    ['Channels:', ...channels].join('\n'),
    waiting.length === 0
      ? 'Nothing waits for a decision here.'
      : ['Waiting for a decision here:', ...waiting].join('\n'),
    ...(facts.asking === 0 ? [] : [askingWords(facts.asking)]),
    ...facts.more,
    ...facts.troubles.map((trouble) => `⚠️ ${escapeMarkdown(oneLine(trouble, 700))}`),
    ...(facts.parked.length === 0 ? [] : [parkedWords(facts.parked)]),
    ...(facts.unsent === undefined ? [] : [unsentWords(facts.unsent)]),
    ...(facts.refused === undefined ? [] : [refusedWords(facts.refused)]),
  ].join('\n\n');
}

function taintWords({ sources, private: isPrivate }: Labels): string {
  const also = isPrivate ? ', and also what is yours' : '';
  return `🔓 Content that others may have written was read here (${sourceWords(sources)})${also}: what could do harm or carry something out asks. \`/new\` ends that, and an owner's \`/trust here\`.`;
}

function parkedWords(parked: readonly ParkedMessage[]): string {
  const lines = parked
    .slice(0, 10)
    .map(
      ({ stubId, conversationId, at, reason }) =>
        `- ${inlineCode(stubId)}, in ${inlineCode(conversationId)} since ${clockTime(at)}: ${escapeMarkdown(oneLine(reason, 200))}`,
    );
  const more = parked.length > lines.length ? [`- and ${parked.length - lines.length} more`] : [];
  return ['⚠️ Could not be shown, and waits for `/retry ID` or `/drop ID`:', ...lines, ...more].join('\n');
}

function unsentWords({ count, oldest }: Unsent): string {
  const messages = count === 1 ? 'A message can' : `${count} messages can`;
  const where = `in ${inlineCode(oldest.conversationId)} since ${clockTime(oldest.since)}`;
  const reason = escapeMarkdown(oneLine(oldest.reason, 500));
  return `⏳ ${messages} not be sent for now, and I try again at least every 15 minutes. The first, ${where}: ${reason}`;
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

export function grantsReport(grants: readonly Grant[], approvals: { isApprover(principal: string): boolean }): string {
  if (grants.length === 0)
    return 'No standing permissions here. The buttons *15 min* and *Always* of a card give them.';
  return [
    'Standing permissions here:',
    ...grants.map((grant) => {
      const rests = approvals.isApprover(grant.grantedBy)
        ? ''
        : `. Not in force: ${inlineCode(grant.grantedBy)}, who gave it, may no longer decide`;
      return `${grantLine(grant)}${rests}`;
    }),
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

/** `more`: the commands of matters that have some of their own, a line each. */
export function helpText(more: readonly string[]): string {
  return [
    '**Keyturn** answers with a language model and acts through tools. Before it does anything dangerous it asks here, and waits.',
    [
      '- `/approve ID`, `/deny ID reason`: decide about what waits',
      '- `/stop`: end what is going on here, and call off what waits',
      '- `/new`: begin a new conversation',
      '- `/grants`, `/revoke ID`: standing permissions',
      '- `/retry ID`, `/drop ID`: what could not be shown',
      '- `/usage`: what the models took today',
      ...more.map((line) => `- ${line}`),
      '- `/status`, `/tools`, `/help`',
    ].join('\n'),
  ].join('\n\n');
}

function grantLine(grant: Grant): string {
  const what = markdownLine(grant.description, 200);
  switch (grant.kind) {
    case 'window':
      return `- ${inlineCode(grant.id)}: every call of ${inlineCode(grant.toolName)}${targetWords(grant.targets)} for ${escapeMarkdown(grant.requester)}, until ${clockTime(grant.expiresAt)}`;
    case 'always':
      return `- ${inlineCode(grant.id)}: always ${what} for ${escapeMarkdown(grant.requester)}`;
  }
}

function healthWords({ health, since, heardAt, retryAt, saysAgain }: ChannelFacts, now: number): string {
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
      return retryAt === undefined
        ? `off (${escapeMarkdown(health.reason)}), ${held}`
        : `refused (${escapeMarkdown(health.reason)}), ${held}, tried again in ${durationWords(Math.max(0, retryAt - now))}`;
  }
}
