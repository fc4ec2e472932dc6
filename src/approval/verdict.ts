/*
 * The rules of approval, pure: policy, mode, taint and grants decide what becomes of one call, and the first rule that
 * fits decides. Nothing here asks a person, reads a store or knows the time of day. `callHash` names what a person
 * approves.
 */

import { createHash } from 'node:crypto';
import { canonicalJson, type JsonObject } from '../lib/json.ts';
import { inlineCode, oneLine } from '../lib/plain-text.ts';
import type { BoundFiles, CallFacets, ToolCategory } from '../tools/category.ts';
import { matchesAny } from '../tools/tool-pattern.ts';
import { lastingSource, type ToolSource } from '../tools/tool-source.ts';
import type { ToolDefinition } from '../transcript.ts';
import type { Grant } from './approval.ts';

/** All that a verdict depends on. */
export interface Question {
  readonly toolName: string;
  readonly category: ToolCategory;
  /** See `callHash`. */
  readonly hash: string;
  readonly facets?: CallFacets;
  /** The words of a deny rule that forbids this call, if one does. */
  readonly forbidden?: string;
  readonly labels: Labels;
  /** The person has written themselves all that steers this call: see `steeringValues`. */
  readonly isOwnWish?: boolean;
  /** All that it says stands in the person's own words, too. */
  readonly isOwnText?: boolean;
  /** It writes to a file alone that holds what a person has let the conversation write after it had read untrusted content. */
  readonly isOwnFile?: boolean;
  /** The requester's grants in this conversation. */
  readonly grants: readonly Grant[];
  readonly settings: ApprovalSettings;
  readonly now: number;
}

export type Verdict =
  | { readonly type: 'allow'; readonly grant?: Grant }
  /** The reason is for the model. No approval opens it. */
  | { readonly type: 'deny'; readonly reason: string }
  /**
   * The reason is for the approver. `grantable`: a standing permission may be given. `isTainted`: because of what was read,
   * whatever allows it otherwise.
   */
  | { readonly type: 'ask'; readonly reason: string; readonly grantable: boolean; readonly isTainted?: boolean };

/** Judges one call. The first rule that fits decides; nothing outside the question matters. */
export function judge(question: Question): Verdict {
  const { toolName, category, settings } = question;
  if (question.forbidden !== undefined) return { type: 'deny', reason: question.forbidden };
  if (!modePermits(settings.mode, category)) return { type: 'deny', reason: observerRefusal(toolName, category) };

  const taint = settings.taint === 'off' ? undefined : taintReason(question);
  if (taint !== undefined && settings.taint === 'deny') return { type: 'deny', reason: `Not allowed: ${taint}.` };
  if (taint !== undefined) return { type: 'ask', reason: taint, grantable: false, isTainted: true };

  if (category === 'destructive' && settings.policy !== 'always_allow') {
    return { type: 'ask', reason: 'it may destroy something for good', grantable: false };
  }
  if (question.facets?.unreadable === true && settings.policy !== 'always_allow') {
    const reason = 'what it runs cannot be read, and some commands are forbidden';
    return { type: 'ask', reason, grantable: false };
  }
  const reason = reasonToAsk(question);
  if (reason === undefined) return { type: 'allow' };
  const grant = matchingGrant(question.grants, question, question.now);
  return grant === undefined ? { type: 'ask', reason, grantable: true } : { type: 'allow', grant };
}

function reasonToAsk(question: Question): string | undefined {
  const { toolName, category, settings, facets = {}, isOwnWish = false, isOwnText = false, labels } = question;
  if (settings.mode === 'autonomous') {
    if (settings.policy === 'always_allow') return undefined;
    if (matchesAny(settings.requireFor, toolName)) return `\`require_for\` names ${toolName}`;
    return facets.unconfined === true ? 'nothing but your look at it keeps it in its bounds' : undefined;
  }
  // What is dangerous by its kind may be harmless in one case; what is named to be asked for always asks.
  if (facets.allowedByRule === true && settings.policy === 'require_for_dangerous') return undefined;
  const isNamed = settings.policy !== 'require_for_dangerous' || matchesAny(settings.dangerousTools, toolName);
  const isFree = settings.allowOwnWords && isOwnWish && (isOwnText || !couldLeak(labels, settings));
  if (isFree && reachesOut(category) && !isNamed) return undefined;
  return policyAsks(settings, toolName, category) ? policyReason(settings, toolName, category) : undefined;
}

function policyReason(settings: ApprovalSettings, toolName: string, category: ToolCategory): string {
  switch (settings.policy) {
    case 'always_allow':
    case 'always_require':
      return 'every call is asked for';
    case 'require_for_tools':
      return `\`require_for\` names ${toolName}`;
    case 'require_for_dangerous':
      return matchesAny(settings.dangerousTools, toolName)
        ? `${toolName} is a dangerous tool`
        : `its category, ${category}, is dangerous`;
  }
}

function observerRefusal(toolName: string, category: ToolCategory): string {
  return `Refused: ${toolName} (${category}) is not available in observer mode, which only reads. Nobody was asked. The operator can change agent.mode.`;
}

/** When to ask: never · always · for the tools of `require_for` · for what is dangerous. */
export const approvalPolicies = [
  'always_allow',
  'always_require',
  'require_for_tools',
  'require_for_dangerous',
] as const;

type ApprovalPolicy = (typeof approvalPolicies)[number];

/** How much the agent may do: read only · what the policy says · what the policy would ask, too. */
export const agentModes = ['observer', 'assistant', 'autonomous'] as const;

export type AgentMode = (typeof agentModes)[number];

/** The stricter of two modes. */
export function stricter(one: AgentMode, other: AgentMode | undefined): AgentMode {
  return other === undefined || agentModes.indexOf(one) <= agentModes.indexOf(other) ? one : other;
}

/** What to do about a call that could harm or leak after untrusted content was read. */
export const taintRules = ['ask', 'deny', 'off'] as const;

type TaintRule = (typeof taintRules)[number];

/** The operator's choices about approval. Patterns are `*`, `prefix*`, `*suffix` or a whole name. */
export interface ApprovalSettings {
  readonly mode: AgentMode;
  readonly policy: ApprovalPolicy;
  readonly requireFor: readonly string[];
  readonly dangerousTools: readonly string[];
  readonly dangerousCategories: readonly ToolCategory[];
  /** What is dangerous by its category alone, and only reaches out, does not ask where it is an approver's own wish. */
  readonly allowOwnWords: boolean;
  readonly taint: TaintRule;
}

/** Whether the policy alone, without mode, taint and grants, asks before this call. */
export function policyAsks(settings: ApprovalSettings, toolName: string, category: ToolCategory): boolean {
  switch (settings.policy) {
    case 'always_allow':
      return false;
    case 'always_require':
      return true;
    case 'require_for_tools':
      return matchesAny(settings.requireFor, toolName);
    case 'require_for_dangerous':
      return matchesAny(settings.dangerousTools, toolName) || settings.dangerousCategories.includes(category);
  }
}

/** Whether the mode lets a call of this category happen at all. */
export function modePermits(mode: AgentMode, category: ToolCategory): boolean {
  if (mode !== 'observer') return true;
  return category === 'filesystem_read' || category === 'network_read' || category === 'memory';
}

/** What a conversation has taken in. Stored with it; only a new conversation is clean again. */
export interface Labels {
  /** Content was read that strangers may have written. */
  readonly tainted: boolean;
  /** Workspace files, memory or secrets were read. */
  readonly private: boolean;
  /** Where the untrusted content came from. */
  readonly sources: readonly string[];
  /** How often some was read, so that nothing is taken for known because its source is. */
  readonly reads?: number;
}

/** The source that words of this person are in a group, for everybody but themselves. */
export function messagesOf(principal: string): string {
  return `messages of ${principal}`;
}

export function isOfPerson(source: string): boolean {
  return source.startsWith(messagesOf(''));
}

/** As they are for this person's run: nobody is misled by their own words. */
export function labelsFor(labels: Labels, principal: string): Labels {
  const sources = labels.sources.filter((source) => source !== messagesOf(principal));
  return sources.length === labels.sources.length ? labels : { ...labels, tainted: sources.length > 0, sources };
}

export const cleanLabels: Labels = { tainted: false, private: false, sources: [] };

/**
 * Why this call could do harm, or leak, with what the conversation has read. Undefined: it could not, or what has been read
 * cannot have made it up: it only reaches out, or keeps words, and all that steers it stands in the person's own words.
 */
function taintReason({ labels, category, facets = {}, isOwnWish = false, isOwnFile }: Question): string | undefined {
  // What is kept are the person's own words, where the tool says that it keeps no others.
  const isHarmless = reachesOut(category) || (category === 'memory' && facets.sends !== undefined);
  if (!labels.tainted || (isOwnWish && isHarmless)) return undefined;
  if (isOwnFile === true && !labels.private) return undefined;
  if (couldHarm(category, facets)) {
    return `this conversation has read content that others may have written${named(labels.sources)}`;
  }
  const isExit = category === 'network_read' && facets.trustedHost !== true && facets.outbound !== false;
  if (labels.private && isExit) {
    return `a request could carry out what was read here, and this conversation has also read content that others may have written${named(labels.sources)}`;
  }
  return undefined;
}

/** Whether words that are shown to people could carry out what is private, by a link that one of them presses. */
export function couldLeak(
  { tainted, private: isPrivate }: Labels,
  { taint }: Pick<ApprovalSettings, 'taint'>,
): boolean {
  return tainted && isPrivate && taint !== 'off';
}

/** Whether what a call answers may be the person's own, and not meant for others. */
export function readsPrivate(category: ToolCategory, facets: CallFacets = {}): boolean {
  return facets.private ?? (category === 'filesystem_read' || category === 'shell');
}

/** What a call does that goes to somewhere else, and to nothing that could run or change what is here. */
function reachesOut(category: ToolCategory): boolean {
  return category === 'network_read' || category === 'network_write' || category === 'messaging';
}

function couldHarm(category: ToolCategory, facets: CallFacets): boolean {
  switch (category) {
    case 'shell':
    case 'filesystem_write':
    case 'network_write':
    case 'hardware':
    case 'destructive':
      return true;
    case 'messaging':
      return facets.leavesConversation !== false;
    case 'memory':
      return facets.writesMemory === true;
    case 'filesystem_read':
      return facets.leavesConversation === true;
    case 'network_read':
      return false;
  }
}

/** So many sources are named, the newest. */
const mostNamed = 5;

/** Where untrusted content came from, as markdown. A stranger may have chosen what a source is called. */
export function sourceWords(sources: readonly string[]): string {
  const newest = sources.slice(-mostNamed).map((source) => inlineCode(oneLine(source, 200)));
  return `${newest.join(', ')}${sources.length > mostNamed ? ` and ${sources.length - mostNamed} more` : ''}`;
}

function named(sources: readonly string[]): string {
  return sources.length === 0 ? '' : ` (${sourceWords(sources)})`;
}

/** Which of the grants, if any, opens this call. The grants are those of the requester in the conversation. */
export function matchingGrant(
  grants: readonly Grant[],
  call: Pick<Question, 'toolName' | 'hash' | 'facets'>,
  now: number,
): Grant | undefined {
  return grants.find((grant) => opens(grant, call, now));
}

function opens(grant: Grant, { toolName, hash, facets }: Pick<Question, 'toolName' | 'hash' | 'facets'>, now: number) {
  switch (grant.kind) {
    case 'window':
      return (
        grant.toolName === toolName &&
        // A clock that was set back lengthens no window.
        grant.createdAt <= now &&
        now < grant.expiresAt &&
        covers(grant.targets, facets?.targets)
      );
    case 'always':
      return grant.hash === hash;
  }
}

/** Whether a permission for these targets is one for those: a tool without a word for targets is permitted as a whole. */
function covers(given: readonly string[] | undefined, wanted: readonly string[] | undefined): boolean {
  if (given === undefined || wanted === undefined) return given === wanted;
  return wanted.length === 0 ? given.length === 0 : wanted.every((target) => given.includes(target));
}

/**
 * What a person approves. Anything that would make it another call makes it another hash: the tool, where it comes from, how
 * it is defined and made, its arguments, the real path of the folder that it works in (64 hexadecimal digits), and behind a
 * dot the files that the tool says it is bound to, as they are; `-open` where it cannot name all of them.
 */
export function callHash(call: {
  readonly definition: ToolDefinition;
  readonly source: ToolSource;
  readonly arguments: JsonObject;
  readonly workspace: string;
  /** Of what the tool does beside what its definition says. */
  readonly fingerprint?: string;
  readonly bound?: BoundFiles | undefined;
}): string {
  const { definition, source, workspace, fingerprint, bound = { files: [], areAll: true } } = call;
  const text = canonicalJson({
    definition: { name: definition.name, description: definition.description, parameters: definition.parameters },
    source: lastingSource(source),
    arguments: call.arguments,
    workspace,
    ...(fingerprint === undefined ? {} : { fingerprint }),
  });
  const files = bound.files.map(({ path, state }) => ({ path, state }));
  if (files.length === 0 && bound.areAll) return sha256(text);
  return `${sha256(text)}.${sha256(canonicalJson({ files })).slice(0, 32)}${bound.areAll ? '' : '-open'}`;
}

/** Whether both are the same call, apart from what the files contain that it is bound to. */
export function isSameCall(one: string, other: string): boolean {
  return one.split('.', 1)[0] === other.split('.', 1)[0];
}

/** Whether the hash stands for all that would run. If not, nobody can allow the call for good: later it may be another. */
export function isWholeHash(hash: string): boolean {
  return !hash.endsWith('-open');
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
