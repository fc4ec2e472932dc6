/*
 * Judging the calls of an answer. Each call is found, validated, shown to the operator's hooks, hashed, and judged by the
 * rules in `approval/verdict.ts` with the grants of its requester. An allowed call is ready, and the first ones begin with
 * the turn; a call that needs a decision awaits it, with a card; a refused call is done, with words for the model. Right
 * before it runs, a call is judged again: it must be the same call, and no rule may forbid it by then.
 */

import { asksFor } from '../approval/approval.ts';
import { isOwnText, mayAnswerStranger, wishOf } from '../approval/own-words.ts';
import type { RuledCall } from '../approval/rules/rule.ts';
import { callHash, isSameCall, judge, stricter, type Verdict } from '../approval/verdict.ts';
import { whyAllowed } from '../approval/why-allowed.ts';
import type { JsonObject, JsonValue } from '../lib/json.ts';
import { inlineCode, oneLine } from '../lib/plain-text.ts';
import type { AnswerPart } from '../models/language-model.ts';
import { hookedCall } from '../tools/operator-rules.ts';
import type { ToolSource } from '../tools/registry.ts';
import type { PreparedCall } from '../tools/tool.ts';
import type { CallResult, TurnPart } from '../transcript.ts';
import {
  alreadyAskedResult,
  alreadyAwaitingResult,
  changedResult,
  filesChangedResult,
  hookCancelledResult,
  hookSpoiledResult,
  notOfferedResult,
  refusedResult,
  tooOftenResult,
  unknownToolResult,
  unmadeToolResult,
} from '../words/model-words.ts';
import type { Approvals } from './decide.ts';
import type { RunScope, Runtime } from './feature.ts';
import type { CallDraft, JournalEntry } from './journal.ts';
import type { OutboxDraft } from './message.ts';
import { firstBatch, runnableCalls } from './next.ts';
import { type AskedPermission, doubtsOf, reasonOf } from './permission-card.ts';

/** A call as the model wrote it. */
interface ProposedCall {
  readonly id: string;
  readonly name: string;
  readonly arguments: JsonValue;
}

/** A valid call: what would run, and the hash that was judged. */
interface ValidCall extends Pick<AskedPermission, 'prepared' | 'hash' | 'bound' | 'ruled'> {
  readonly source: ToolSource;
  /** The tool's JSON Schema. */
  readonly parameters: JsonObject;
  /** The hook that changed the arguments, and to what. */
  readonly change?: { readonly by: string; readonly arguments: JsonValue };
}

interface Rejected {
  readonly call?: ValidCall;
  readonly result: CallResult;
}

export type Judgement =
  /** `grantId`: the grant that made asking unnecessary. */
  | ({ readonly type: 'run'; readonly call: ValidCall; readonly grantId?: string | undefined } & Pick<CallDraft, 'why'>)
  | ({ readonly type: 'ask'; readonly call: ValidCall } & Pick<AskedPermission, 'because' | 'reason' | 'doubts'> &
      Omit<Extract<Verdict, { type: 'ask' }>, 'type' | 'reason'>)
  /** `changed`: the bound files, at least one of which changed since the call was first judged. */
  | ({ readonly type: 'reject'; readonly changed?: string | undefined } & Rejected);

/** A call that is stored as begun. */
export interface BegunCall {
  readonly id: string;
  readonly runId: string;
  readonly prepared: PreparedCall;
}

/** The calls of an answer, judged. */
interface DraftedCalls {
  readonly parts: readonly TurnPart[];
  readonly calls: readonly CallDraft[];
  /** Notices beside the cards. */
  readonly messages: readonly OutboxDraft[];
  /** The calls that run first, in parallel. Storing the turn begins them, which saves commits. */
  readonly begun: readonly BegunCall[];
}

interface DraftedCall {
  readonly draft: CallDraft;
  readonly prepared?: PreparedCall;
  /** Set if it needs a decision. */
  readonly asks?: AskedPermission;
}

type CallPart = Extract<AnswerPart, { type: 'call' }>;

/** More calls in one answer are refused, as are more open cards in one conversation. */
const mostCalls = 16;
const mostWaiting = 10;
const tooManyCallsResult = `Not executed: at most ${mostCalls} calls are taken from one answer. Make the rest in your next one.`;
const tooManyWaitingResult = `Not executed: ${mostWaiting} calls wait for a person here, and no more are asked for before some of them are decided.`;

/** What judges the calls of a run, and where and for whom it works. */
export interface JudgeContext {
  readonly runtime: Runtime;
  readonly approvals: Approvals;
  readonly where: RunScope;
}

/** How the calls of one answer are drafted. */
interface Drafting {
  readonly runId: string;
  /** The id under which a call was shown while the model wrote it. */
  readonly takeId: (modelCallId: string) => string;
  readonly signal: AbortSignal;
}

/**
 * Turns an answer into what is stored of it: call ids, verdicts, and cards. Stores nothing; runs the hooks, and counts
 * against the rate limits. If the signal aborts, the result is to be discarded.
 */
export async function draftCalls(
  answerParts: readonly AnswerPart[],
  { runId, takeId, signal }: Drafting,
  run: JudgeContext,
): Promise<DraftedCalls> {
  const parts: TurnPart[] = [];
  const drafted: DraftedCall[] = [];
  for (const part of answerParts) {
    if (part.type !== 'call') {
      parts.push(part);
      continue;
    }
    const id = takeId(part.modelCallId);
    const judgement: Judgement =
      drafted.length < mostCalls
        ? await judgeCall({ ...part, id }, signal, run)
        : { type: 'reject', result: refused(tooManyCallsResult) };
    drafted.push(await draftCall({ id, part, judgement }, drafted, run));
    parts.push({ ...part, callId: id });
  }
  const { asked, messages } = await run.approvals.draftCards(drafted, run.where);
  const workable = runnableCalls(
    drafted,
    ({ draft }) => draft.state,
    () => false,
  );
  const first = firstBatch(workable, ({ draft }) => draft.category);
  return {
    parts,
    calls: drafted.map((call) =>
      first.includes(call) ? { ...call.draft, state: 'begun' } : { ...call.draft, ...asked.get(call.draft.id) },
    ),
    messages,
    begun: first.flatMap(({ draft: { id }, prepared }) => (prepared === undefined ? [] : [{ id, runId, prepared }])),
  };
}

/** A call of the answer with its judgement. */
interface JudgedPart {
  readonly id: string;
  readonly part: CallPart;
  readonly judgement: Judgement;
}

async function draftCall(
  { id, part, judgement }: JudgedPart,
  earlier: readonly DraftedCall[],
  { runtime, approvals, where }: JudgeContext,
): Promise<DraftedCall> {
  const { conversationId, sender } = where.scope;
  const fields = fieldsOf(id, part, judgement.call);
  switch (judgement.type) {
    case 'reject':
      return refusedCall(fields, judgement.result);
    case 'run': {
      const { prepared, hash } = judgement.call;
      const { question, toolName } = prepared;
      const { grantId, why } = judgement;
      if (question === undefined) return { draft: { ...fields, grantId, why, state: 'ready' }, prepared };
      // The run parks for an answer as it does for a permission.
      const isAsked = earlier.some(({ draft }) => draft.approval !== undefined);
      if (isAsked || (await approvals.isAsked(conversationId, sender.principal)))
        return refusedCall(fields, refused(alreadyAskedResult));
      const approval = await approvals.draftQuestion({ callId: id, toolName, hash, question }, where);
      return { draft: { ...fields, state: 'awaiting', approval } };
    }
    case 'ask': {
      const asked = earlier.flatMap(({ asks }) => asks ?? []);
      if (asked.some(({ hash }) => hash === judgement.call.hash))
        return refusedCall(fields, refused(alreadyAwaitingResult()));
      const waiting = await runtime.grants.pending(conversationId);
      if (asked.length + waiting.length >= mostWaiting) return refusedCall(fields, refused(tooManyWaitingResult));
      return { draft: { ...fields, state: 'awaiting' }, asks: askedOf(id, judgement) };
    }
  }
}

function refusedCall(fields: Omit<CallDraft, 'state'>, result: CallResult): DraftedCall {
  return { draft: { ...fields, state: 'done', result } };
}

/** Judges a new call, after the operator's hooks. A call that would run or be asked for counts against the rate limits. */
async function judgeCall(proposed: ProposedCall, signal: AbortSignal, run: JudgeContext): Promise<Judgement> {
  const found = await findHooked(proposed, signal, run);
  if ('result' in found) return { type: 'reject', ...found };

  const { grants, rateLimiter } = run.runtime;
  const { conversationId, sender } = run.where.scope;
  const pending = await grants.pending(conversationId);
  const waiting = pending.find((one) => asksFor(one, found.hash) && one.requester === sender.principal);
  if (waiting !== undefined) return { type: 'reject', call: found, result: refused(alreadyAwaitingResult(waiting.id)) };
  const judgement = await judgeFound(found, run);
  if (judgement.type === 'reject') return judgement;
  const tooOften = rateLimiter.take(found.prepared.toolName, sender.principal);
  if (tooOften !== undefined) return { type: 'reject', call: found, result: refused(tooOftenResult(tooOften)) };
  // Asking needs no permission.
  return judgement.type === 'ask' && found.prepared.question !== undefined ? { type: 'run', call: found } : judgement;
}

/**
 * Judges a stored call again, right before it runs. It must be the same call, and no rule may forbid it by now. An
 * approved call is asked for again only because of untrusted content that was read after its card was written. Hooks
 * do not see it again. `approved`: set if a person approved it, with what had been read when the card was written.
 */
export async function recheckCall(
  stored: ProposedCall & { readonly hash?: string },
  approved: Pick<NonNullable<JournalEntry['approval']>, 'readBefore' | 'reads'> | undefined,
  run: JudgeContext,
): Promise<Judgement> {
  const found = await findCall(stored, run);
  if ('result' in found) return { type: 'reject', result: found.result };
  if (stored.hash !== found.hash) {
    const isSame = stored.hash !== undefined && isSameCall(stored.hash, found.hash);
    const changed = isSame ? changedFiles(found) : undefined;
    const result = refused(changed === undefined ? changedResult : filesChangedResult(changed));
    return { type: 'reject', call: found, result, changed };
  }
  const judgement = await judgeFound(found, run);
  if (judgement.type !== 'ask' || approved === undefined) return judgement;
  const { readBefore = [], reads: before = 0 } = approved;
  const { tainted, sources, reads = 0 } = run.where.labels;
  const isNews =
    tainted && (sources.length === 0 || reads > before || sources.some((source) => !readBefore.includes(source)));
  return isNews && judgement.isTainted === true ? judgement : { type: 'run', call: found };
}

/**
 * Runs the matching hooks in order, each on the validated result of the ones before. Stops at the first that cancels
 * or breaks the call.
 */
async function findHooked(
  proposed: ProposedCall,
  signal: AbortSignal,
  run: JudgeContext,
): Promise<ValidCall | Rejected> {
  let call = await findCall(proposed, run);
  for (const hook of run.runtime.hooks.before) {
    if ('result' in call) return call;
    if (!hook.fits(call.prepared)) continue;
    const decision = await hook.decide(hookedCall(proposed.id, call, run.where.scope), signal);
    switch (decision.type) {
      case 'continue':
        break;
      case 'cancel':
        return { call, result: refused(hookCancelledResult(decision.reason)) };
      case 'modify': {
        const changed = await findCall({ ...proposed, arguments: decision.arguments }, run);
        if ('result' in changed) return { result: { ...changed.result, text: hookSpoiledResult(changed.result.text) } };
        call = { ...changed, change: { by: hook.name, arguments: decision.arguments } };
      }
    }
  }
  return call;
}

/** Finds the tool, and validates the arguments. */
async function findCall(proposed: ProposedCall, run: JudgeContext): Promise<ValidCall | Rejected> {
  const { registry, callTools, log } = run.runtime;
  const { scope } = run.where;
  const entry = await callTools.of(proposed.id, proposed.name, scope);
  if (entry === undefined) return { result: { outcome: 'error', text: await unknownTool(proposed.name, run) } };
  const preparation = await entry.tool.prepare(proposed.arguments);
  if (!preparation.valid) {
    const { message, cause } = preparation;
    if (cause !== undefined) log.error({ err: cause, tool: proposed.name }, 'a tool threw');
    return { result: { outcome: 'error', text: message } };
  }
  const { source } = entry;
  const prepared = preparation.call;
  const { toolName, category, arguments: args, fingerprint } = prepared;
  if (!registry.offers({ name: toolName, category }, scope)) return { result: refused(notOfferedResult(prepared)) };
  const bound = await prepared.binds?.(scope);
  const definition = await entry.tool.spec();
  const { workspace } = scope;
  const hash = callHash({ definition, source, arguments: args, workspace, fingerprint, bound });
  const ruled = async (): Promise<RuledCall | undefined> => {
    // What others say of their own calls is no ground for a rule.
    const target = source.type === 'builtin' ? await prepared.ruleTarget?.(scope) : undefined;
    return target && { tool: callHash({ definition, source, arguments: {}, workspace, fingerprint }), target };
  };
  return { prepared, hash, source, bound, ruled, parameters: definition.parameters };
}

async function unknownTool(name: string, { runtime, where }: JudgeContext): Promise<string> {
  const known = (await runtime.registry.definitions(where.scope)).map((tool) => tool.name);
  if (known.includes(name)) return unmadeToolResult(name);
  return unknownToolResult(name, known);
}

async function judgeFound(call: ValidCall, { runtime, approvals, where }: JudgeContext): Promise<Judgement> {
  const { settings, grants, clock } = runtime;
  const { labels, scope, mode } = where;
  const { principal } = scope.sender;
  const { prepared, hash } = call;
  const { toolName, category, facets, forbidden } = prepared;
  const now = clock.now();
  const given = await grants.grants(scope.conversationId, principal, now);
  const isRuled = given.some((grant) => grant.kind === 'rule' && grant.toolName === toolName);
  const allowOwnWords = settings.approval.allowOwnWords && approvals.isApprover(principal);
  const counts = labels.tainted || allowOwnWords;
  const wish = counts && category !== 'shell' ? wishOf(call, where) : undefined;
  const isOwn = wish?.isAskedFor === true && wish.strange.length === 0;
  const question = {
    toolName,
    category,
    facets,
    forbidden,
    hash,
    labels,
    now,
    isOwnWish: isOwn && !mayAnswerStranger(call, where),
    isOwnText: isOwn && isOwnText(prepared, where),
    isOwnFile: labels.tainted && category === 'filesystem_write' && (await isItsOwn(prepared, where, runtime)),
    settings: { ...settings.approval, mode: stricter(settings.approval.mode, mode), allowOwnWords },
    // A grant holds only while its giver is an approver.
    grants: given.filter(({ grantedBy }) => approvals.isApprover(grantedBy)),
    ruled: isRuled ? await call.ruled?.() : undefined,
  };
  const verdict = judge(question);
  switch (verdict.type) {
    case 'allow':
      return {
        type: 'run',
        call: verdict.grant?.kind === 'rule' ? { ...call, prepared: ruledCall(prepared) } : call,
        grantId: verdict.grant?.id,
        why: whyAllowed(question, verdict.grant),
      };
    case 'deny':
      return { type: 'reject', call, result: refused(refusedResult(verdict.reason)) };
    case 'ask': {
      const strange = verdict.isTainted === true && !isOwn ? wish : undefined;
      const { ownWords, calls } = where;
      const before = { toolName, ownWords, calls };
      const reason = reasonOf(verdict.reason, strange, before);
      return { ...verdict, call, because: verdict.reason, reason, doubts: doubtsOf(strange, before) };
    }
  }
}

/** The call as a rule lets it run: it is told so, and keeps to what the rule names. */
function ruledCall(prepared: PreparedCall): PreparedCall {
  return { ...prepared, execute: (context) => prepared.execute({ ...context, isRuled: true }) };
}

/** Whether the conversation itself wrote the one file that the call is for: see `FileWatch.isItsOwn`. */
async function isItsOwn(
  { facets: { targets = [] } }: PreparedCall,
  { scope, runsIn = scope.conversationId }: RunScope,
  { fileWatch }: Pick<Runtime, 'fileWatch'>,
): Promise<boolean> {
  const [path = ''] = targets.length === 1 ? targets : [];
  return fileWatch.isItsOwn(runsIn, scope.workspace, path);
}

function fieldsOf(id: string, part: CallPart, call: ValidCall | undefined): Omit<CallDraft, 'state'> {
  const { modelCallId, name } = part;
  return {
    id,
    modelCallId,
    name,
    arguments: call?.change === undefined ? part.arguments : call.change.arguments,
    changedBy: call?.change?.by,
    hash: call?.hash,
    category: call?.prepared.category,
  };
}

export function askedOf(callId: string, judgement: Extract<Judgement, { type: 'ask' }>): AskedPermission {
  const { call, because, reason, doubts, grantable, endedBy } = judgement;
  return { callId, ...call, because, reason, doubts, grantable, endedBy };
}

/** The bound files, as markdown. */
function changedFiles({ bound }: ValidCall): string {
  const paths = (bound?.files ?? []).map(({ path }) => inlineCode(oneLine(path, 80)));
  return paths.slice(0, 5).join(', ');
}

function refused(text: string): CallResult {
  return { outcome: 'refused', text };
}
