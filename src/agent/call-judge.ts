import type { ApprovalStore } from '../approval/approval.ts';
import { callHash } from '../approval/call-hash.ts';
import {
  alreadyAwaitingResult,
  changedResult,
  notOfferedResult,
  refusedResult,
  tooOftenResult,
} from '../approval/call-results.ts';
import type { AgentMode, ApprovalSettings } from '../approval/policy.ts';
import type { Labels } from '../approval/taint.ts';
import { judge, type Verdict } from '../approval/verdict.ts';
import type { Clock } from '../lib/clock.ts';
import type { CallHooks } from '../tools/call-hooks.ts';
import type { RateLimiter } from '../tools/rate-limit.ts';
import type { ToolRegistry } from '../tools/registry.ts';
import type { SubRunWorker } from '../tools/sub-run-request.ts';
import type { ToolScope } from '../tools/tool.ts';
import type { CallResult } from '../transcript.ts';
import type { CallTools } from './call-tools.ts';
import { stricter } from './sub-run.ts';
import { throughHooks } from './through-hooks.ts';
import type { FoundCall, ProposedCall, ValidCall } from './valid-call.ts';

export type Judgement =
  /** The grant that opens it, if it would have been asked for. */
  | { readonly type: 'run'; readonly call: ValidCall; readonly grantId?: string }
  | { readonly type: 'ask'; readonly call: ValidCall; readonly reason: string; readonly grantable: boolean }
  | { readonly type: 'reject'; readonly call?: ValidCall; readonly result: CallResult };

export interface JudgeDependencies {
  readonly registry: ToolRegistry;
  readonly callTools: CallTools;
  readonly approvals: Pick<ApprovalStore, 'grants' | 'pending'>;
  readonly settings: ApprovalSettings;
  readonly rateLimiter: Pick<RateLimiter, 'take'>;
  readonly hooks: Pick<CallHooks, 'before'>;
  readonly clock: Clock;
}

/** Where a call is judged: for whom, and what the conversation has read. */
export interface Surroundings {
  /** What people call the conversation, for whoever decides elsewhere. */
  readonly place: string;
  readonly scope: ToolScope;
  readonly labels: Labels;
  /** The sub-run that calls, where that is not the conversation of the scope, in which people are asked. */
  readonly runsIn?: string;
  /** Who works there: on the sub-run, and before him on those that it stands in. */
  readonly workers?: readonly SubRunWorker[];
  /** Stricter than the config's, where an agent's is. */
  readonly mode?: AgentMode;
  /** The model that answers there, if it is not the default. */
  readonly model?: string;
}

/** Decides what may become of a call. Touches nothing outside but by hooks, and changes nothing but the count of calls. */
export class CallJudge {
  readonly #dependencies: JudgeDependencies;

  constructor(dependencies: JudgeDependencies) {
    this.#dependencies = dependencies;
  }

  /**
   * Judges a call that the model has just made, as the operator's hooks let it be. What would run or be asked for counts
   * against the limits. When the signal aborts, nothing of the judgement counts.
   */
  async judge(proposed: ProposedCall, where: Surroundings, signal: AbortSignal): Promise<Judgement> {
    const found = await this.#findHooked(proposed, where.scope, signal);
    if ('result' in found) return { type: 'reject', ...found };

    const waiting = await this.#waiting(found.hash, where.scope);
    if (waiting !== undefined) return { type: 'reject', call: found, result: refused(alreadyAwaitingResult(waiting)) };
    const judgement = asJudgement(found, await this.#verdict(found, where));
    if (judgement.type === 'reject') return judgement;
    const { principal } = where.scope.sender;
    const tooOften = this.#dependencies.rateLimiter.take(found.prepared.toolName, principal);
    if (tooOften !== undefined) return { type: 'reject', call: found, result: refused(tooOftenResult(tooOften)) };
    // To ask whether one may ask would be silly.
    return judgement.type === 'ask' && found.prepared.question !== undefined ? { type: 'run', call: found } : judgement;
  }

  /**
   * Judges a stored call again, right before it runs. What a person approved is not asked for twice, but it has to be
   * the very same call, and no rule may forbid it by now. Hooks have seen it when it was made, and do not see it again.
   */
  async recheck(
    stored: ProposedCall & { readonly hash?: string; readonly approved: boolean },
    where: Surroundings,
  ): Promise<Judgement> {
    const found = await this.#find(stored, where.scope);
    if ('result' in found) return { type: 'reject', result: found.result };
    if (stored.hash !== found.hash) return { type: 'reject', call: found, result: refused(changedResult()) };
    const judgement = asJudgement(found, await this.#verdict(found, where));
    return judgement.type === 'ask' && stored.approved ? { type: 'run', call: found } : judgement;
  }

  async #findHooked(
    proposed: ProposedCall,
    scope: ToolScope,
    signal: AbortSignal,
  ): Promise<ValidCall | { readonly call?: ValidCall; readonly result: CallResult }> {
    const find = (call: ProposedCall): Promise<FoundCall | { readonly result: CallResult }> => this.#find(call, scope);
    const found = await find(proposed);
    const hooks = this.#dependencies.hooks.before;
    if ('result' in found || hooks.length === 0) return found;
    return throughHooks(proposed, found, { hooks, scope, signal, find });
  }

  async #find(proposed: ProposedCall, scope: ToolScope): Promise<FoundCall | { readonly result: CallResult }> {
    const entry = await this.#dependencies.callTools.of(proposed.id, proposed.name, scope);
    if (entry === undefined)
      return { result: { outcome: 'error', text: await this.#unknownTool(proposed.name, scope) } };
    const preparation = await entry.tool.prepare(proposed.arguments);
    if (!preparation.valid) return { result: { outcome: 'error', text: preparation.message } };
    const prepared = preparation.call;
    if (!this.#dependencies.registry.offers({ name: prepared.toolName, category: prepared.category }, scope)) {
      return { result: refused(notOfferedResult(prepared)) };
    }
    const hash = callHash({
      definition: await entry.tool.spec(),
      source: entry.source,
      arguments: prepared.arguments,
      workspace: scope.workspace,
      ...(prepared.fingerprint === undefined ? {} : { fingerprint: prepared.fingerprint }),
    });
    return { prepared, hash, source: entry.source };
  }

  async #verdict({ prepared, hash }: ValidCall, { scope, labels, mode }: Surroundings): Promise<Verdict> {
    const { approvals, settings, clock } = this.#dependencies;
    const now = clock.now();
    return judge({
      toolName: prepared.toolName,
      category: prepared.category,
      facets: prepared.facets,
      ...(prepared.forbidden === undefined ? {} : { forbidden: prepared.forbidden }),
      hash,
      labels,
      settings: mode === undefined ? settings : { ...settings, mode: stricter(settings.mode, mode) },
      now,
      grants: await approvals.grants(scope.conversationId, scope.sender.principal, now),
    });
  }

  async #waiting(hash: string, { conversationId, sender }: ToolScope): Promise<string | undefined> {
    const pending = await this.#dependencies.approvals.pending(conversationId);
    return pending.find((approval) => approval.hash === hash && approval.requester === sender.principal)?.id;
  }

  async #unknownTool(name: string, scope: ToolScope): Promise<string> {
    const known = await this.#dependencies.registry.definitions(scope);
    return `There is no tool ${JSON.stringify(name.slice(0, 64))} here. Available: ${known.map((tool) => tool.name).join(', ')}.`;
  }
}

function asJudgement(call: ValidCall, verdict: Verdict): Judgement {
  switch (verdict.type) {
    case 'allow':
      return { type: 'run', call, ...(verdict.grant === undefined ? {} : { grantId: verdict.grant.id }) };
    case 'ask':
      return { type: 'ask', call, reason: verdict.reason, grantable: verdict.grantable };
    case 'deny':
      return { type: 'reject', call, result: refused(refusedResult(verdict.reason)) };
  }
}

function refused(text: string): CallResult {
  return { outcome: 'refused', text };
}
