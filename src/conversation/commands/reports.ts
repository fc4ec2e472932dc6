import type { BudgetLimits } from '../../agent/reached-bound.ts';
import type { SpendingStore } from '../../agent/spending-store.ts';
import type { ApprovalStore, Origin } from '../../approval/approval.ts';
import { boundsWords } from '../../approval/bounds-words.ts';
import { type ApprovalSettings, modePermits, policyAsks } from '../../approval/policy.ts';
import type { Conversation } from '../../contract.ts';
import type { Clock } from '../../lib/clock.ts';
import type { SandboxState } from '../../tools/guard/process/sandbox-trial.ts';
import type { ToolRegistry } from '../../tools/registry.ts';
import type { ToolRunner } from '../../tools/runner.ts';
import type { HealthBoard } from '../health/health-board.ts';
import type { OutboxStore } from '../outbox.ts';
import { statusReport, toolsReport } from './status-report.ts';
import { usageReport } from './usage-report.ts';

export interface ReportDependencies {
  readonly approvals: Pick<ApprovalStore, 'pending'>;
  readonly outbox: Pick<OutboxStore, 'refusedSince'>;
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
  /** How much waits to be trusted, as far as it is for this person to know. */
  readonly untrusted: (origin: Origin) => Promise<number>;
  /** What an owner should know of what brings tools, a line of plain text each. */
  readonly troubles: () => readonly string[];
  readonly settings: ApprovalSettings;
  readonly sandbox: SandboxState;
  /** Without a sandbox no command runs. */
  readonly isSandboxRequired: boolean;
  readonly workspaceOf: (conversation: Conversation) => string;
  readonly isWorking: (conversationId: string) => boolean;
  readonly isOwner: (principal: string) => boolean;
  /** All accounts of the person. */
  readonly accountsOf: (principal: string) => readonly string[];
  /** What answers in the conversation, as the operator calls it. */
  readonly modelOf: (origin: Origin) => Promise<string>;
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
    const { sandbox, isSandboxRequired: isRequired, untrusted } = this.#dependencies;
    const forOwner = isOwner(origin.principal);
    const refused = forOwner ? await outbox.refusedSince(clock.now() - day) : undefined;
    const channels = health.all().filter(({ name }) => forOwner || name === origin.conversation.channel);
    const facts = {
      model: await modelOf(origin),
      mode: settings.mode,
      policy: settings.policy,
      upSince: this.#upSince,
      channels: channels.map((channel) => ({ ...channel, saysAgain: saysAgain(channel.name) })),
      waiting: await approvals.pending(origin.conversationId),
      asking: await asking(origin),
      untrusted: await untrusted(origin),
      working: isWorking(origin.conversationId),
      ...(refused === undefined ? {} : { refused }),
      troubles: forOwner ? this.#dependencies.troubles() : [],
      ...(forOwner
        ? { workspace: workspaceOf(origin.conversation), shell: boundsWords({ settings, sandbox, isRequired }) }
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
      workspace: workspaceOf(conversation),
      sender: { principal, name },
    };
    const lines = registry.list(scope).map((tool) => {
      const [statistics] = runner.stats(tool.name);
      const asks = policyAsks(settings, tool.name, tool.category) || tool.category === 'destructive';
      const permission = modePermits(settings.mode, tool.category) ? (asks ? 'always' : 'never') : 'refused';
      return { tool, asks: permission, ...(statistics === undefined ? {} : { statistics }) } as const;
    });
    return toolsReport(lines);
  }
}
