/*
 * The rules of approval, as pure functions: policy, mode, taint and grants decide about one call, and the first
 * matching rule wins. Nothing here asks a person, reads a store or reads the clock. `callHash` identifies what a person
 * approves.
 */

import { createHash } from 'node:crypto';
import { canonicalJson, type JsonObject } from '../lib/json.ts';
import type { Language } from '../lib/words.ts';
import { matchesAny, type ToolSource } from '../tools/registry.ts';
import { fileIn, partsOf, taintSource } from '../tools/taint-sources.ts';
import type { BoundFiles, CallFacets, ToolCategory } from '../tools/tool.ts';
import type { ToolDefinition } from '../transcript.ts';
import type { AskReason, Grant } from './approval.ts';
import { mayBeRuled, type RuledCall, scopeCovers } from './rules/rule.ts';
import { approvalWords } from './words.ts';

/** All inputs of a verdict. */
export interface Question {
  readonly toolName: string;
  readonly category: ToolCategory;
  /** See `callHash`. */
  readonly hash: string;
  readonly facets?: CallFacets;
  /** The message of the deny rule that forbids this call, if any. */
  readonly forbidden?: string;
  readonly labels: Labels;
  /** The person's own words ask for this call and contain all of it: see `own-wish.ts`. */
  readonly isOwnWish?: boolean;
  /** The person's own words also contain its whole text. */
  readonly isOwnText?: boolean;
  /** It writes only to a file that this conversation wrote, with approval, after it had read untrusted content. */
  readonly isOwnFile?: boolean;
  readonly grants: readonly Grant[];
  /** What a lasting rule about it would name. Asked for only if there is a rule about the tool. */
  readonly ruled?: RuledCall | undefined;
  readonly settings: ApprovalSettings;
  readonly now: number;
}

export type Verdict =
  | { readonly type: 'allow'; readonly grant?: Grant }
  /** The reason is for the model. No approval overrides it. */
  | { readonly type: 'deny'; readonly reason: string }
  /**
   * The reason is for the approver. `grantable`: a saved permission may be given. `isTainted`: asked because of
   * untrusted content, whatever allows the call otherwise.
   */
  | {
      readonly type: 'ask';
      readonly reason: AskReason;
      readonly grantable: boolean;
      readonly isTainted?: boolean;
      /** The source of its answers, if these taint, so that a permission for a while would end with the first of them. */
      readonly endedBy?: string | undefined;
    };

/** Judges one call. The first matching rule wins; only the question matters. */
export function judge(question: Question): Verdict {
  const { toolName, category, settings } = question;
  if (question.forbidden !== undefined) return { type: 'deny', reason: question.forbidden };
  if (!modePermits(settings.mode, category)) return { type: 'deny', reason: observerRefusal(toolName, category) };

  const taint = settings.taint === 'off' ? undefined : taintReason(question);
  if (taint !== undefined && settings.taint === 'deny')
    return { type: 'deny', reason: `Not allowed: ${approvalWords.en.reason(taint)}.` };
  if (taint !== undefined) return { type: 'ask', reason: taint, grantable: false, isTainted: true };

  if (category === 'destructive' && settings.policy !== 'always_allow') {
    return { type: 'ask', reason: { because: 'destructive' }, grantable: false };
  }
  if (question.facets?.unreadable === true && settings.policy !== 'always_allow') {
    return { type: 'ask', reason: { because: 'unreadable' }, grantable: false };
  }
  const reason = reasonToAsk(question);
  if (reason === undefined) return { type: 'allow' };
  const grant = matchingGrant(question.grants, question, question.now);
  if (grant !== undefined) return { type: 'allow', grant };
  return { type: 'ask', reason, grantable: true, endedBy: endOfWindow(question) };
}

/** Whose answer to this call would make the next one ask, whatever was permitted. */
function endOfWindow({ category, facets = {}, settings }: Question): string | undefined {
  const isEnded = settings.taint !== 'off' && (facets.trusted ?? false) === false && couldHarm(category, facets);
  return isEnded ? (facets.taintedBy ?? facets.brings) : undefined;
}

function reasonToAsk(question: Question): AskReason | undefined {
  const { toolName, category, settings, facets = {}, isOwnWish = false, isOwnText = false, labels } = question;
  if (settings.mode === 'autonomous') {
    if (settings.policy === 'always_allow') return undefined;
    if (matchesAny(settings.requireFor, toolName)) return { because: 'required', tool: toolName };
    return facets.unconfined === true ? { because: 'unconfined' } : undefined;
  }
  // An allow rule clears a call that is dangerous by kind, not one that `always_require` or `require_for` asks for.
  if (facets.allowedByRule === true && settings.policy === 'require_for_dangerous') return undefined;
  const isNamed = settings.policy !== 'require_for_dangerous' || matchesAny(settings.dangerousTools, toolName);
  const isFree = settings.allowOwnWords && isOwnWish && (isOwnText || !couldLeak(labels, settings));
  if (isFree && reachesOut(category) && !isNamed) return undefined;
  return policyReason(settings, toolName, category);
}

function observerRefusal(toolName: string, category: ToolCategory): string {
  return `${toolName} (${category}) is not available in observer mode, which only reads. The operator can change agent.mode.`;
}

/** When to ask: never · always · for the tools of `require_for` · for dangerous calls. */
export const approvalPolicies = [
  'always_allow',
  'always_require',
  'require_for_tools',
  'require_for_dangerous',
] as const;

export type ApprovalPolicy = (typeof approvalPolicies)[number];

/** How much the agent may do: read only · what the policy allows · also what the policy would ask for. */
export const agentModes = ['observer', 'assistant', 'autonomous'] as const;

export type AgentMode = (typeof agentModes)[number];

export function stricter(one: AgentMode, other: AgentMode | undefined): AgentMode {
  return other === undefined || agentModes.indexOf(one) <= agentModes.indexOf(other) ? one : other;
}

/** What to do about a call that could harm or leak after untrusted content was read. */
export const taintRules = ['ask', 'deny', 'off'] as const;

type TaintRule = (typeof taintRules)[number];

/** The operator's approval settings. Patterns are `*`, `prefix*`, `*suffix` or a whole name. */
export interface ApprovalSettings {
  readonly mode: AgentMode;
  readonly policy: ApprovalPolicy;
  readonly requireFor: readonly string[];
  readonly dangerousTools: readonly string[];
  readonly dangerousCategories: readonly ToolCategory[];
  /** Whether an approver's own wish suffices for a call that is dangerous only by category and only reaches out. */
  readonly allowOwnWords: boolean;
  readonly taint: TaintRule;
}

/** Why the policy alone, without mode, taint and grants, asks before this call; undefined if it does not. */
export function policyReason(
  { policy, requireFor, dangerousTools, dangerousCategories }: ApprovalSettings,
  toolName: string,
  category: ToolCategory,
): AskReason | undefined {
  switch (policy) {
    case 'always_allow':
      return undefined;
    case 'always_require':
      return { because: 'every-call' };
    case 'require_for_tools':
      return matchesAny(requireFor, toolName) ? { because: 'required', tool: toolName } : undefined;
    case 'require_for_dangerous':
      if (matchesAny(dangerousTools, toolName)) return { because: 'dangerous-tool', tool: toolName };
      return dangerousCategories.includes(category) ? { because: 'dangerous-category', category } : undefined;
  }
}

/** Whether the mode permits calls of this category. */
export function modePermits(mode: AgentMode, category: ToolCategory): boolean {
  if (mode !== 'observer') return true;
  return category === 'filesystem_read' || category === 'network_read' || category === 'memory';
}

/** What a conversation has read. Stored with it. A new conversation clears it; `/trust here` clears the taint. */
export interface Labels {
  /** Content that strangers may have written was read. */
  readonly tainted: boolean;
  /** Workspace files, memory or secrets were read. */
  readonly private: boolean;
  /** The sources of the untrusted content. */
  readonly sources: readonly string[];
  /** Counts the reads, because a known source may bring new content. */
  readonly reads?: number;
}

/** The source for this person's words in a group. It taints everybody's runs but their own. */
export function messagesOf(principal: string): string {
  return taintSource('messages', principal);
}

export function isOfPerson(source: string): boolean {
  return source.startsWith(messagesOf(''));
}

/** The labels for this person's run: their own words do not taint it. */
export function labelsFor(labels: Labels, principal: string): Labels {
  const sources = labels.sources.filter((source) => source !== messagesOf(principal));
  return sources.length === labels.sources.length ? labels : { ...labels, tainted: sources.length > 0, sources };
}

export const cleanLabels: Labels = { tainted: false, private: false, sources: [] };

/**
 * Why this call could harm or leak, given what was read. Undefined if it could not, or if the content cannot have
 * caused it: it only reaches out or keeps words, and the person's own words contain all that steers it.
 */
function taintReason({ labels, category, facets = {}, isOwnWish = false, isOwnFile }: Question): AskReason | undefined {
  // `sends` means that a memory tool keeps no other words than these.
  const isHarmless = reachesOut(category) || (category === 'memory' && facets.sends !== undefined);
  if (!labels.tainted || (isOwnWish && isHarmless)) return undefined;
  if (isOwnFile === true && !labels.private) return undefined;
  if (couldHarm(category, facets)) return { because: 'tainted', ...namedSources(labels.sources) };
  const isExit = category === 'network_read' && facets.trustedHost !== true && facets.outbound !== false;
  return labels.private && isExit ? { because: 'could-leak', ...namedSources(labels.sources) } : undefined;
}

/** Whether words shown to people could leak private content, by a link that somebody follows. */
export function couldLeak(
  { tainted, private: isPrivate }: Labels,
  { taint }: Pick<ApprovalSettings, 'taint'>,
): boolean {
  return tainted && isPrivate && taint !== 'off';
}

/** Whether the result of a call may be private to the person. */
export function readsPrivate(category: ToolCategory, facets: CallFacets = {}): boolean {
  return facets.private ?? (category === 'filesystem_read' || category === 'shell');
}

/** Whether a call only goes elsewhere and neither runs nor changes anything here. */
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

/** Only the newest sources are named. */
const mostNamed = 5;

/** The sources of untrusted content, as markdown. */
export function sourceWords(given: readonly string[], language: Language): string {
  return approvalWords[language].sources(namedSources(given));
}

function namedSources(given: readonly string[]) {
  const sources = distinct(given);
  return { sources: sources.slice(-mostNamed), more: Math.max(0, sources.length - mostNamed) };
}

/** Each source once. A file is named with those that it is of, and not at all if Keyturn itself has kept it for one. */
function distinct(sources: readonly string[]): readonly string[] {
  const named = new Set<string>();
  for (const source of sources) {
    const { path, within } = fileIn(source) ?? {};
    const inner = within === undefined ? [] : distinct(partsOf(within));
    const isOwnFile = path?.startsWith('.keyturn/') === true && inner.length > 0;
    const isTold = inner.length > 0 && inner.every((one) => named.has(one));
    const words = isOwnFile ? inner : [isTold ? (path ?? source) : source];
    for (const one of words) named.add(one);
  }
  return [...named];
}

/** The first grant that allows this call. `grants` are those of the requester in the conversation. */
export function matchingGrant(grants: readonly Grant[], call: MatchedCall, now: number): Grant | undefined {
  return grants.find((grant) => opens(grant, call, now));
}

type MatchedCall = Pick<Question, 'toolName' | 'hash' | 'facets' | 'ruled'> & Partial<Pick<Question, 'category'>>;

function opens(grant: Grant, { toolName, hash, facets, category, ruled }: MatchedCall, now: number): boolean {
  switch (grant.kind) {
    case 'window':
      return (
        grant.toolName === toolName &&
        // Setting the clock back must not extend a window.
        grant.createdAt <= now &&
        now < grant.expiresAt &&
        covers(grant.targets, coverOf(facets))
      );
    case 'always':
      return grant.hash === hash;
    case 'rule':
      return (
        grant.toolName === toolName &&
        category !== undefined &&
        mayBeRuled(category, facets) &&
        ruled?.tool === grant.tool &&
        scopeCovers(grant.scope, ruled.target)
      );
  }
}

/** What a window grant for this call covers: other calls of the tool need the same. */
export function coverOf({ covers: all, targets }: CallFacets = {}): readonly string[] | undefined {
  return all ?? targets;
}

/** Whether the granted targets cover the wanted ones. A tool that declares no targets is granted as a whole. */
function covers(given: readonly string[] | undefined, wanted: readonly string[] | undefined): boolean {
  if (given === undefined || wanted === undefined) return given === wanted;
  return wanted.length === 0 ? given.length === 0 : wanted.every((target) => given.includes(target));
}

/**
 * Identifies what a person approves. It changes with the tool, its source, definition and fingerprint, the arguments,
 * and the real path of the workspace (64 hex digits). A suffix after a dot covers the current content of bound files;
 * `-open` if the tool cannot name all of them.
 */
export function callHash(call: {
  readonly definition: ToolDefinition;
  readonly source: ToolSource;
  readonly arguments: JsonObject;
  readonly workspace: string;
  /** Covers what the tool does beyond its definition. */
  readonly fingerprint?: string;
  readonly bound?: BoundFiles | undefined;
}): string {
  const { definition, source, workspace, fingerprint, bound = { files: [], areAll: true } } = call;
  const text = canonicalJson({
    definition: { name: definition.name, description: definition.description, parameters: definition.parameters },
    source: { ...source },
    arguments: call.arguments,
    workspace,
    ...(fingerprint === undefined ? {} : { fingerprint }),
  });
  const files = bound.files.map(({ path, state }) => ({ path, state }));
  if (files.length === 0 && bound.areAll) return sha256(text);
  return `${sha256(text)}.${sha256(canonicalJson({ files })).slice(0, 32)}${bound.areAll ? '' : '-open'}`;
}

/** Whether both are the same call, ignoring the content of bound files. */
export function isSameCall(one: string, other: string): boolean {
  return one.split('.', 1)[0] === other.split('.', 1)[0];
}

/** Whether the hash covers all that would run. If not, the call cannot be allowed for good: it may change later. */
export function isWholeHash(hash: string): boolean {
  return !hash.endsWith('-open');
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

/** A permission for a while, as its button names it. `window`: in ms. */
export function windowMinutes(window: number): number {
  return Math.max(1, Math.round(window / 60_000));
}
