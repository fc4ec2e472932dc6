import type { Approval, Grant } from '../../approval/approval.ts';
import { describeApproval, targetWords } from '../../approval/cards.ts';
import {
  type ApprovalSettings,
  type Labels,
  modePermits,
  policyReason,
  sourceWords,
  stricter,
} from '../../approval/verdict.ts';
import { approvalSettingsOf } from '../../config/tool-rules.ts';
import type { Button, ChannelAdapter, MessageKind } from '../../contract.ts';
import type { HeldChat } from '../../engine/feature.ts';
import type { ApprovalStore, Spent } from '../../engine/journal.ts';
import type { Origin } from '../../engine/message.ts';
import type { RunQueue } from '../../engine/wake.ts';
import { proxyWords } from '../../lib/network/proxy-settings.ts';
import { escapeMarkdown, inlineCode, markdownLine, oneLine } from '../../lib/plain-text.ts';
import { clockTime, durationWords, type Reader } from '../../lib/time-words.ts';
import { type Words, wordsIn } from '../../lib/words.ts';
import type { ModelState } from '../../models/model-health.ts';
import type { Models } from '../../models/open-models.ts';
import {
  type BudgetLimits,
  moneyWords,
  type SpendingEntry,
  type SpendingLimits,
  type SpendingStore,
  tokenWords,
} from '../../runs/run-budget.ts';
import type { ToolRunner } from '../../tools/runner.ts';
import type { ToolScope } from '../../tools/tool.ts';
import { listedButtons } from '../../words/stub.ts';
import { stubWords } from '../../words/words.ts';
import { chatKey, type ModelChoice, modelIn } from '../access/chat-settings.ts';
import type { PeopleStore } from '../access/pairing.ts';
import type { ConversationCore } from '../conversation-core.ts';
import type { ChannelState } from '../health/health-board.ts';
import type { InboxStore } from '../inbox.ts';
import { abilityWords } from './ability-words.ts';
import { toolList } from './tool-list.ts';

interface ReportParts extends ConversationCore {
  readonly approvals: Pick<ApprovalStore, 'pending'>;
  readonly isApprover: (principal: string) => boolean;
  readonly inbox: Pick<InboxStore, 'modelOf'> & { labelsOf(conversationId: string): Promise<Labels> };
  readonly outbox: OutboxReports;
  readonly people: Pick<PeopleStore, 'codeHolders'>;
  readonly spending: Pick<SpendingStore, 'entriesOf'>;
  readonly limits: BudgetLimits;
  /** The day of an instant, as budgets count. */
  readonly dayOf: (at: number) => string;
  readonly runner: ToolRunner;
  /** The features' reports, a paragraph each. */
  readonly more: (origin: Origin) => Promise<readonly string[]>;
  /** The features' words about tools that are missing, a paragraph each. */
  readonly missingTools: (origin: Origin) => readonly string[];
  /** Warnings for owners, a line of plain text each. */
  readonly troubles: () => readonly Words[];
  readonly queue: Pick<RunQueue, 'isBusy'>;
  readonly models: Models;
}

export type Reports = ReturnType<typeof createReports>;

/** So many undelivered messages are listed, and so many have buttons: platforms take few rows. */
const mostListed = 10;
const mostButtons = 4;

/** Buttons retry and drop messages that were not delivered. */
export interface StatusReport {
  readonly markdown: string;
  readonly buttons: readonly (readonly Button[])[];
}

function modelWords({ answeredAt, fault }: ModelState, reader: Reader): string {
  if (fault !== undefined)
    return `: since ${clockTime(fault.since, reader)}: ${oneLine(fault.wordsIn(reader.language), 400)}`;
  return answeredAt === undefined ? '' : `, answered ${clockTime(answeredAt, reader)}`;
}

/** The rules of approval in a chat. */
function settingsIn(chat: HeldChat | undefined, config: ReportParts['config']): ApprovalSettings {
  const settings = approvalSettingsOf(config);
  return { ...settings, mode: stricter(settings.mode, chat?.mode) };
}

/** Who has chosen the model. */
function choiceWords(choice: ModelChoice | undefined): string {
  return choice === undefined ? '' : choiceNames[choice.by];
}

const choiceNames = {
  people: ' (chosen here by /model)',
  chat: ' (set for this chat)',
  nobody: ' (the one that was chosen here is no longer in the config)',
} as const;

/** What the config says of the chat; not its words. */
function chatLine(chat: HeldChat): string {
  const parts = [
    ...(chat.agent === undefined ? [] : [agentWords(chat.agent)]),
    ...(chat.prompt === '' ? [] : ['instructions of its own']),
    ...(chat.model === undefined ? [] : ['a model of its own']),
  ];
  return `- This chat: ${parts.length === 0 ? 'nothing of its own' : parts.join(', ')} (${chatKey(chat)})`;
}

function agentWords({ name, isGone }: NonNullable<HeldChat['agent']>): string {
  return `the agent ${inlineCode(name)}${isGone ? ', which is not in the config, so no tools' : ''}`;
}

/** The answers to `/status`, `/tools` and `/usage`. */
export function createReports(parts: ReportParts) {
  const { config, clock } = parts;
  const { isOwner } = parts.owners;
  const upSince = clock.now();
  return {
    async status(origin: Origin): Promise<StatusReport> {
      const { conversation, conversationId, principal } = origin;
      const { outbox, health, queue } = parts;
      const chat = parts.chats.of(conversation);
      const { mode, policy } = settingsIn(chat, config);
      const now = clock.now();
      const reader = parts.readers.forAnswer(origin);
      // Details of the machine are for owners.
      const forOwner = isOwner(principal);
      const undelivered = (await outbox.undeliveredMessages()).filter(
        (one) => forOwner || one.conversationId === conversationId,
      );
      const channels = health.all().filter(({ name }) => forOwner || name === conversation.channel);
      const labels = await parts.inbox.labelsOf(conversationId);
      const pending = await parts.approvals.pending();
      const waiting = pending.filter((one) => [one.conversationId, ...one.places].includes(conversationId));
      // In a group, others would read of it.
      const mayKnow = parts.isApprover(principal) && conversation.kind === 'direct';
      const elsewhere = pending.filter((one) => mayKnow && one.type !== 'question' && !waiting.includes(one));
      const asking = forOwner ? (await parts.people.codeHolders(now)).length : 0;
      const choice = modelIn(conversation, await parts.inbox.modelOf(conversationId), parts);
      const answering = parts.models.of(choice?.name);
      const known = abilityWords(answering);
      const model = `${answering.label}${choiceWords(choice)}${modelWords(parts.models.stateOf(choice?.name), reader)}`;
      const proxies = proxyWords(parts.network.settings);
      const machine = [
        ...(proxies === undefined ? [] : [`- Proxy: ${escapeMarkdown(proxies)}`]),
        `- Shell: ${escapeMarkdown(boundsWords(parts))}`,
        `- Workspace: ${inlineCode(parts.workspaceOf(conversation, principal))}`,
      ];
      const markdown = [
        `**Keyturn** is up for ${durationWords(now - upSince)}${queue.isBusy(conversationId) ? ', and is working on something here' : ''}.`,
        [
          `- Model: ${escapeMarkdown(model)}`,
          ...(chat === undefined ? [] : [chatLine(chat)]),
          ...(known === '' ? [] : [`  - ${escapeMarkdown(known)}`]),
          `- Mode: ${mode}; approval: ${policy}`,
          ...(forOwner ? machine : []),
        ].join('\n'),
        labels.tainted ? taintWords(labels) : [],
        ['Channels:', ...channels.map((one) => channelLine(one, parts.adapters.get(one.name), now))].join('\n'),
        waiting.length === 0
          ? 'Nothing waits for a decision here.'
          : ['Waiting for a decision here:', ...waiting.map((one) => waitingLine(one, reader))].join('\n'),
        elsewhere.length === 0 ? [] : elsewhereWords(elsewhere, reader),
        asking === 0 ? [] : askingWords(asking),
        await parts.more(origin),
        forOwner
          ? parts.troubles().map((trouble) => `⚠️ ${escapeMarkdown(oneLine(wordsIn(reader.language, trouble), 700))}`)
          : [],
        undelivered.length === 0 ? [] : undeliveredWords(undelivered, parts.adapters, reader),
      ]
        .flat()
        .join('\n\n');
      // At a terminal, buttons are a question that takes what is typed next.
      const hasButtons = parts.adapters.get(conversation.channel)?.capabilities.history === true;
      const stubIds = hasButtons ? undelivered.flatMap(({ stubId }) => stubId ?? []) : [];
      return { markdown, buttons: listedButtons(stubIds.slice(0, mostButtons), reader.language) };
    },

    /** Today's usage: in the conversation, of the person and, for owners, of everybody. */
    async usage({ conversationId, principal }: Origin): Promise<string> {
      const { spending, limits, dayOf, accounts: known } = parts;
      const entries = await spending.entriesOf(dayOf(clock.now()));
      const accounts = known.accountsOf(principal);
      const here = entries.filter((entry) => entry.conversationId === conversationId);
      const own = entries.filter((entry) => accounts.includes(entry.principal));
      return [
        `Used today (${limits.timeZone}):`,
        ...section('In this conversation', here, {}, limits),
        ...section('For you', own, limits.perPerson, limits),
        ...(isOwner(principal) ? section('Everyone', entries, limits.perDay, limits) : []),
        ...runLine(limits.perRun, limits),
      ].join('\n');
    },

    tools(origin: Origin): string {
      const tools = parts.registry.list(placeOf(origin, parts.workspaceOf));
      const settings = settingsIn(parts.chats.of(origin.conversation), config);
      return [toolList(tools, settings, parts), ...parts.missingTools(origin)].join('\n\n');
    },
  };
}

/** What confines shell commands, in one line of plain text. */
export function boundsWords({ config, sandbox }: Pick<ReportParts, 'config' | 'sandbox'>): string {
  const settings = approvalSettingsOf(config);
  if (!modePermits(settings.mode, 'shell')) return `no command runs in the mode ${settings.mode}`;
  if (sandbox.holds) return 'in a sandbox (bubblewrap)';
  if (config.tools.shell.sandbox === 'required')
    return `no command runs: the config demands a sandbox, and there is none (${sandbox.reason})`;
  const rest = asksWithout(settings)
    ? 'every command waits for your approval'
    : 'AND THE RULES ASK NOBODY: commands may do all that this user may';
  const outliving = sandbox.wrapper === undefined ? '; what a command starts and hides may outlive it' : '';
  return `no sandbox (${sandbox.reason}): ${rest}${outliving}`;
}

/** As `judge` decides for a call that nothing confines. */
function asksWithout(settings: ApprovalSettings): boolean {
  if (settings.mode === 'autonomous') return settings.policy !== 'always_allow';
  return policyReason(settings, 'shell', 'shell') !== undefined;
}

/** The place of a command, as tools see it. */
export function placeOf(
  { conversation, conversationId, principal, name }: Origin,
  workspaceOf: ConversationCore['workspaceOf'],
): ToolScope {
  const { title: _title, ...place } = conversation;
  const workspace = workspaceOf(conversation, principal);
  return { ...place, conversationId, workspace, sender: { principal, name } };
}

function waitingLine(approval: Approval, reader: Reader, where = ''): string {
  const { id, shownAt, expiresAt } = approval;
  const until = shownAt === undefined ? 'not shown yet' : `until ${clockTime(expiresAt, reader)}`;
  return `- ${inlineCode(id)}: ${describeApproval(approval, reader.language, 200)}, ${until}${where}`;
}

/** What waits in other chats. It is decided where its card stands. */
function elsewhereWords(approvals: readonly Approval[], reader: Reader): string {
  const lines = approvals.slice(0, 10).map((approval) => {
    const asked = approval.places.map((place) => inlineCode(place)).join(', ');
    return waitingLine(approval, reader, asked === '' ? ', with nobody who could decide' : `, asked in ${asked}`);
  });
  const more = approvals.length > lines.length ? [`- and ${approvals.length - lines.length} more`] : [];
  return ['Waiting for a decision elsewhere:', ...lines, ...more].join('\n');
}

/** A message that was not delivered, and about which something will still happen. */
interface UndeliveredMessage {
  /** The id that people type to retry and to drop it. Undefined while it is retried without having a stub. */
  readonly stubId?: string;
  readonly kind: MessageKind;
  readonly conversationId: string;
  readonly channel: string;
  /** When its text was written. */
  readonly at: number;
  readonly reason: string;
  /**
   * `asks`: its stub is in the chat · `held`: its stub is shown when the chat takes messages again · `retried`: without
   * an end.
   */
  readonly fate: 'asks' | 'held' | 'retried';
}

/** Queries for messages that could not be sent. */
export interface OutboxReports {
  /** Each message that was not delivered, once, the newest first. What is over is not among them. */
  undeliveredMessages(): Promise<readonly UndeliveredMessage[]>;
}

function taintWords({ sources, private: isPrivate }: Labels): string {
  const also = isPrivate ? ', and also what is yours' : '';
  return `🔓 Content that others may have written was read here (${sourceWords(sources, 'en')})${also}: what could do harm or carry something out asks. \`/new\` ends that, and an owner's \`/trust here\`.`;
}

function undeliveredWords(
  undelivered: readonly UndeliveredMessage[],
  running: ReportParts['adapters'],
  reader: Reader,
): string {
  const lines = undelivered.slice(0, mostListed).map((one) => {
    const { stubId, kind, conversationId, at, reason } = one;
    const commands = stubId === undefined ? '' : ` ${inlineCode(`/retry ${stubId}`)}, ${inlineCode(`/drop ${stubId}`)}`;
    const why = reason === '' ? '' : ` (${escapeMarkdown(oneLine(reason, 200))})`;
    return `- ${stubWords.en.kind(kind)} of ${clockTime(at, reader)} in ${inlineCode(conversationId)} ${fateWords(one, running)}${why}.${commands}`;
  });
  const more = undelivered.length > lines.length ? [`- and ${undelivered.length - lines.length} more`] : [];
  return ['⚠️ Not delivered:', ...lines, ...more].join('\n');
}

function fateWords({ fate, channel }: UndeliveredMessage, running: ReportParts['adapters']): string {
  switch (fate) {
    case 'asks':
      return 'waits for a decision';
    case 'held':
      return 'is offered there when that chat takes messages again';
    case 'retried':
      return running.has(channel) ? 'is tried again, at least every 15 minutes' : `is sent when ${channel} is on again`;
  }
}

function askingWords(count: number): string {
  return `${count === 1 ? 'A stranger asks' : `${count} strangers ask`} to be let in: \`/people\`.`;
}

export function grantsReport(
  grants: readonly Grant[],
  approvals: { isApprover(principal: string): boolean },
  reader: Reader,
): string {
  if (grants.length === 0)
    return 'No saved permissions in this chat. The buttons *15 min* and *Always* of a card save one.';
  return [
    'Saved permissions in this chat:',
    ...grants.map((grant) => {
      const { grantedBy } = grant;
      if (approvals.isApprover(grantedBy)) return grantLine(grant, reader);
      return `${grantLine(grant, reader)}. Not in force: ${inlineCode(grantedBy)}, who gave it, may no longer decide`;
    }),
    '',
    'End one with `/revoke ID`, or all with `/revoke all`.',
  ].join('\n');
}

function grantLine(grant: Grant, reader: Reader): string {
  const [id, requester] = [inlineCode(grant.id), escapeMarkdown(grant.requester)];
  switch (grant.kind) {
    case 'window':
      return `- ${id}: every call of ${targetWords(grant.toolName, grant.targets, reader.language)} for ${requester}, until ${clockTime(grant.expiresAt, reader)}`;
    case 'always':
      return `- ${id}: always ${markdownLine(grant.description, 200)} for ${requester}`;
  }
}

function channelLine(
  { name, health, since, heardAt, retryAt }: ChannelState,
  adapter: ChannelAdapter | undefined,
  now: number,
): string {
  const line = (state: string, more = ''): string => `- ${name}: ${state}, for ${durationWords(now - since)}${more}`;
  switch (health.status) {
    case 'connecting':
      return line('connecting');
    case 'connected': {
      const account = health.account === undefined ? '' : ` as ${escapeMarkdown(health.account)}`;
      const saysAgain = adapter?.capabilities.heartbeat !== undefined;
      return line(`connected${account}`, saysAgain ? `, last heard from ${durationWords(now - heardAt)} ago` : '');
    }
    case 'failing':
      return line(`not reachable (${escapeMarkdown(health.reason)})`);
    case 'dead':
      return retryAt === undefined
        ? line(`off (${escapeMarkdown(health.reason)})`)
        : line(
            `refused (${escapeMarkdown(health.reason)})`,
            `, tried again in ${durationWords(Math.max(0, retryAt - now))}`,
          );
  }
}

type Money = Pick<BudgetLimits, 'currency'>;

function section(
  title: string,
  entries: readonly SpendingEntry[],
  limits: SpendingLimits,
  money: Money,
): readonly string[] {
  const models = [...Map.groupBy(entries, ({ model }) => model)].toSorted(([one], [other]) => (one < other ? -1 : 1));
  const all = `- ${title}: ${words(sum(entries), limits, money)}`;
  if (models.length === 1) return models.map(([only]) => `${all} (${escapeMarkdown(only)})`);
  return [all, ...models.map(([model, spent]) => `  - ${escapeMarkdown(model)}: ${words(sum(spent), {}, money)}`)];
}

function runLine({ tokens, cost }: SpendingLimits, money: Money): readonly string[] {
  const bounds = [
    tokens === undefined ? [] : `${tokenWords(tokens)} tokens`,
    cost === undefined ? [] : moneyWords(cost, money),
  ].flat();
  return bounds.length === 0 ? [] : ['', `Answering one message may take ${bounds.join(' and ')} before I ask.`];
}

/** Mentions money only if some was spent or is limited. */
function words({ tokens, cost }: Spent, limits: SpendingLimits, currency: Money): string {
  const ofTokens = limits.tokens === undefined ? '' : ` of ${tokenWords(limits.tokens)}`;
  const ofMoney = limits.cost === undefined ? '' : ` of ${moneyWords(limits.cost, currency)}`;
  const money = cost === 0 && limits.cost === undefined ? '' : `, ${moneyWords(cost, currency)}${ofMoney}`;
  return `${tokenWords(tokens)}${ofTokens} tokens${money}`;
}

function sum(entries: readonly Spent[]): Spent {
  const of = (key: 'tokens' | 'cost'): number => entries.reduce((total, entry) => total + entry[key], 0);
  return { tokens: of('tokens'), cost: of('cost') };
}
