import { type ApprovalSettings, type Labels, modePermits, policyAsks } from '../../approval/verdict.ts';
import type { Conversation } from '../../contract.ts';
import type { ApprovalStore, Spent } from '../../engine/journal.ts';
import type { Origin } from '../../engine/message.ts';
import type { Clock } from '../../lib/clock.ts';
import { escapeMarkdown } from '../../lib/plain-text.ts';
import {
  type BudgetLimits,
  moneyWords,
  type SpendingEntry,
  type SpendingLimits,
  type SpendingStore,
  tokenWords,
} from '../../runs/budget/bounds.ts';
import type { SandboxState } from '../../tools/guard/process/process-bounds.ts';
import type { ToolRegistry } from '../../tools/registry.ts';
import type { ToolRunner } from '../../tools/runner.ts';
import type { HealthBoard } from '../health/health-board.ts';
import { boundsWords } from './bounds-words.ts';
import { type OutboxReports, statusReport, toolsReport } from './status-report.ts';

export interface ReportDependencies {
  readonly approvals: Pick<ApprovalStore, 'pending'>;
  readonly outbox: OutboxReports;
  readonly spending: Pick<SpendingStore, 'entriesOf'>;
  readonly limits: BudgetLimits;
  /** The day of an instant, as budgets count them. */
  readonly dayOf: (at: number) => string;
  readonly registry: ToolRegistry;
  readonly runner: ToolRunner;
  readonly health: HealthBoard;
  /** Whether the channel says again and again that it is connected. */
  readonly saysAgain: (channel: string) => boolean;
  /** How many strangers ask to be let in, as far as it is for this person to know. */
  readonly asking: (origin: Origin) => Promise<number>;
  /** What features say of themselves, a paragraph each. */
  readonly more: (origin: Origin) => Promise<readonly string[]>;
  /** What an owner should know, a line of plain text each. */
  readonly troubles: () => readonly string[];
  readonly settings: ApprovalSettings;
  readonly sandbox: SandboxState;
  /** Without a sandbox no command runs. */
  readonly isSandboxRequired: boolean;
  readonly workspaceOf: (conversation: Conversation, sender?: string) => string;
  readonly isWorking: (conversationId: string) => boolean;
  readonly isOwner: (principal: string) => boolean;
  /** All accounts of the person. */
  readonly accountsOf: (principal: string) => readonly string[];
  /** What answers in the conversation, as the operator calls it. */
  readonly modelOf: (origin: Origin) => Promise<string>;
  readonly labelsOf: (conversationId: string) => Promise<Labels>;
  readonly clock: Clock;
}

/** In milliseconds. */
const day = 86_400_000;

/** What `/status`, `/tools` and `/usage` answer. */
export class Reports {
  readonly #dependencies: ReportDependencies;
  readonly #upSince: number;

  constructor(dependencies: ReportDependencies) {
    this.#dependencies = dependencies;
    this.#upSince = dependencies.clock.now();
  }

  async status(origin: Origin): Promise<string> {
    const { approvals, outbox, health, saysAgain, asking, settings, workspaceOf, isWorking, isOwner, modelOf, clock } =
      this.#dependencies;
    const { sandbox, isSandboxRequired: isRequired, more } = this.#dependencies;
    const forOwner = isOwner(origin.principal);
    const refused = forOwner ? await outbox.refusedSince(clock.now() - day) : undefined;
    const parked = await outbox.parked();
    const channels = health.all().filter(({ name }) => forOwner || name === origin.conversation.channel);
    // What waits for a channel that is off is not tried again before that is on.
    const unsent = forOwner ? await outbox.unsent(channels.map(({ name }) => name)) : undefined;
    const facts = {
      model: await modelOf(origin),
      mode: settings.mode,
      policy: settings.policy,
      upSince: this.#upSince,
      channels: channels.map((channel) => ({ ...channel, saysAgain: saysAgain(channel.name) })),
      labels: await this.#dependencies.labelsOf(origin.conversationId),
      waiting: await approvals.pending(origin.conversationId),
      asking: await asking(origin),
      more: await more(origin),
      working: isWorking(origin.conversationId),
      refused,
      unsent,
      parked: parked.filter(({ conversationId }) => forOwner || conversationId === origin.conversationId),
      troubles: forOwner ? this.#dependencies.troubles() : [],
      ...(forOwner
        ? {
            workspace: workspaceOf(origin.conversation, origin.principal),
            shell: boundsWords({ settings, sandbox, isRequired }),
          }
        : {}),
    };
    return statusReport(facts, clock.now());
  }

  async usage({ conversationId, principal }: Origin): Promise<string> {
    const { spending, limits, dayOf, isOwner, accountsOf, clock } = this.#dependencies;
    const entries = await spending.entriesOf(dayOf(clock.now()));
    return usageReport(entries, {
      conversationId,
      accounts: accountsOf(principal),
      isOwner: isOwner(principal),
      limits,
    });
  }

  async tools(origin: Origin): Promise<string> {
    const { registry, runner, settings, workspaceOf } = this.#dependencies;
    const { conversation, conversationId, principal, name } = origin;
    const scope = {
      ...conversation,
      conversationId,
      workspace: workspaceOf(conversation, principal),
      sender: { principal, name },
    };
    const lines = registry.list(scope).map((tool) => {
      const statistics = runner.statisticsOf(tool.name);
      const asks = policyAsks(settings, tool.name, tool.category) || tool.category === 'destructive';
      const permission = modePermits(settings.mode, tool.category) ? (asks ? 'always' : 'never') : 'refused';
      return { tool, asks: permission, statistics } as const;
    });
    return toolsReport(lines);
  }
}

/** What `/usage` tells, as facts. */
export interface UsageFacts {
  readonly conversationId: string;
  /** Of the person who asks. */
  readonly accounts: readonly string[];
  /** Only owners are told what others have spent. */
  readonly isOwner: boolean;
  readonly limits: BudgetLimits;
}

/** What was spent on a day: in the conversation, for the person, and where an owner asks, by all. */
function usageReport(entries: readonly SpendingEntry[], facts: UsageFacts): string {
  const { conversationId, accounts, isOwner, limits } = facts;
  const here = entries.filter((entry) => entry.conversationId === conversationId);
  const own = entries.filter((entry) => accounts.includes(entry.principal));
  return [
    'Used today:',
    ...section('In this conversation', here, {}),
    ...section('For you', own, limits.perPerson),
    ...(isOwner ? section('For all', entries, limits.perDay) : []),
    ...runLine(limits.perRun),
  ].join('\n');
}

function section(title: string, entries: readonly SpendingEntry[], limits: SpendingLimits): readonly string[] {
  const models = [...Map.groupBy(entries, ({ model }) => model)].toSorted(([one], [other]) => (one < other ? -1 : 1));
  const lines =
    models.length < 2 ? [] : models.map(([model, spent]) => `  - ${escapeMarkdown(model)}: ${words(sum(spent))}`);
  const [only] = models;
  const by = models.length === 1 && only !== undefined ? ` (${escapeMarkdown(only[0])})` : '';
  return [`- ${title}: ${words(sum(entries), limits)}${by}`, ...lines];
}

function runLine({ tokens, cost }: SpendingLimits): readonly string[] {
  const bounds = [
    ...(tokens === undefined ? [] : [`${tokenWords(tokens)} tokens`]),
    ...(cost === undefined ? [] : [moneyWords(cost)]),
  ];
  return bounds.length === 0 ? [] : ['', `Answering one message may take ${bounds.join(' and ')} before I ask.`];
}

/** Money is spoken of where there is some. */
function words({ tokens, cost }: Spent, limits: SpendingLimits = {}): string {
  const ofTokens = limits.tokens === undefined ? '' : ` of ${tokenWords(limits.tokens)}`;
  const ofMoney = limits.cost === undefined ? '' : ` of ${moneyWords(limits.cost)}`;
  const money = cost === 0 && limits.cost === undefined ? '' : `, ${moneyWords(cost)}${ofMoney} in money`;
  return `${tokenWords(tokens)}${ofTokens} tokens${money}`;
}

function sum(entries: readonly Spent[]): Spent {
  const of = (key: 'tokens' | 'cost'): number => entries.reduce((total, entry) => total + entry[key], 0);
  return { tokens: of('tokens'), cost: of('cost') };
}
