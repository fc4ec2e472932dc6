/*
 * The card that asks for a call, or for neighbouring calls of one answer that no grant could open: what it says of each, in
 * the language of every conversation that it stands in.
 */

import type { AskedCall, AskReason, PermissionApproval } from '../approval/approval.ts';
import { cardButtons } from '../approval/asking/card-buttons.ts';
import { dangerOf } from '../approval/asking/danger.ts';
import { type CardContent, longestDescription, requestCard } from '../approval/asking/request-card.ts';
import { cardWords } from '../approval/asking/words.ts';
import { forwardedNotice, unreachableNotice } from '../approval/cards.ts';
import { mayBeRuled, type RuledCall } from '../approval/rules/rule.ts';
import { coverOf } from '../approval/verdict.ts';
import { approvalWords } from '../approval/words.ts';
import { cardParts } from '../lib/card-parts.ts';
import type { JsonObject, JsonValue } from '../lib/json.ts';
import { escapeMarkdown, fenced, inlineCode, markdownLine, oneLine, reveal } from '../lib/plain-text.ts';
import { type InLanguage, type Language, wordsIn } from '../lib/words.ts';
import type { Wish } from '../tools/own-wish.ts';
import { isSaid, readWords } from '../tools/said-values.ts';
import type { BoundFiles, CallFacets, PreparedCall } from '../tools/tool.ts';
import { unreachableResult } from '../words/model-words.ts';
import type { Core, RunScope } from './feature.ts';
import type { ApprovalDraft, CallDraft } from './journal.ts';
import { type OutboxDraft, quietNoticeIn } from './message.ts';
import { conversationsToAskIn } from './open-cards.ts';
import { cardsOf, describedIn, newApproval, plainIn, type RequestParts } from './request.ts';
import { whyWords } from './why-asked.ts';
import { engineWords } from './words.ts';

/** A call of an answer, judged. */
export interface AskingCall {
  readonly draft: Pick<CallDraft, 'state'>;
  /** Set if it needs a decision. */
  readonly asks?: AskedPermission;
}

export interface DraftedCards {
  readonly asked: ReadonlyMap<string, Partial<CallDraft>>;
  /** Notices beside the cards. */
  readonly messages: readonly OutboxDraft[];
}

interface DraftedCard {
  readonly calls: JointCalls;
  readonly draft: ApprovalDraft<PermissionApproval>;
}

/** What everybody reads of a card of several calls is no longer, in characters: more is not looked through. */
const longestJointCard = 3000;

/** What drafts the approval of calls that share a card, and who reads along. */
interface CardDrafting extends Pick<Core, 'readerIn'> {
  readonly permission: (asked: JointCalls) => Promise<ApprovalDraft<PermissionApproval>>;
}

/** See `Approvals`. */
export async function draftCards(
  drafted: readonly AskingCall[],
  { scope: { conversationId } }: RunScope,
  { permission, readerIn }: CardDrafting,
): Promise<DraftedCards> {
  const { language } = readerIn(conversationId);
  const asked = new Map<string, Partial<CallDraft>>();
  const messages: OutboxDraft[] = [];
  const cards = await Promise.all(onOneCard(drafted).map((calls) => draftCard(calls, permission)));
  for (const { calls, draft } of cards.flat()) {
    if (draft.approval.cardConversationIds.length > 0) {
      asked.set(draft.approval.callId, { approval: draft });
      continue;
    }
    const result = { outcome: 'refused', text: unreachableResult } as const;
    for (const { callId } of calls) asked.set(callId, { state: 'done', result });
    messages.push(quietNoticeIn(conversationId, unreachableNotice(draft.approval, language)));
  }
  return { asked, messages };
}

/** Drafts one card for the calls; one for each if that would be too long. */
async function draftCard(calls: JointCalls, permission: CardDrafting['permission']): Promise<readonly DraftedCard[]> {
  const draft = await permission(calls);
  const isTooLong = draft.cards.some(({ message }) => cardParts(message.markdown).shown.length > longestJointCard);
  if (calls.length === 1 || !isTooLong) return [{ calls, draft }];
  return (await Promise.all(calls.map((call) => draftCard([call], permission)))).flat();
}

/** Groups the calls by card. Another card or a question between them begins a new one. */
function onOneCard(drafted: readonly AskingCall[]): readonly JointCalls[] {
  const groups: [AskedPermission, ...AskedPermission[]][] = [];
  let isOpen = false;
  for (const { draft, asks } of drafted) {
    if (draft.state !== 'awaiting') continue;
    const last = groups.at(-1);
    // One yes for all would hide what is dangerous among them.
    const isJoint = asks?.grantable === false && dangerIn(asks) === undefined;
    if (asks !== undefined && isJoint && isOpen && last !== undefined) last.push(asks);
    else if (asks !== undefined) groups.push([asks]);
    isOpen = isJoint;
  }
  return groups;
}

/** What the person of a run wrote, and the calls that its model reads. */
interface SaidBefore extends Pick<RunScope, 'ownWords' | 'calls'> {
  readonly toolName: string;
}

/** More values are only counted. */
const mostOrigins = 3;

/**
 * Why a call is asked for. With `wish`, also what of it the person did not write, and where that comes from; without the last
 * full stop.
 */
export function reasonOf(
  reason: AskReason,
  wish: Pick<Wish, 'strange'> | undefined,
  { toolName, ownWords, calls }: SaidBefore,
): InLanguage {
  const reasonIn: InLanguage = (language) => approvalWords[language].reason(reason);
  if (wish === undefined) return reasonIn;
  const tool = inlineCode(toolName);
  if (wish.strange.length === 0)
    return (language) => engineWords[language].notAskedFor({ reason: reasonIn(language), tool });
  const { values, more } = strangeValues(wish, { toolName, ownWords, calls });
  return (language) => engineWords[language].strange({ reason: reasonIn(language), values, more });
}

/** What of a call the person did not write, each a clause of markdown. Empty without `wish`. */
export function doubtsOf(wish: Pick<Wish, 'strange'> | undefined, said: SaidBefore): AskedPermission['doubts'] {
  if (wish === undefined) return () => [];
  const tool = inlineCode(said.toolName);
  if (wish.strange.length === 0) return (language) => [engineWords[language].doubtWish(tool)];
  const { values, more } = strangeValues(wish, said);
  return (language) => {
    const { doubtValue, doubtMore } = engineWords[language];
    return [...values.map(doubtValue), ...(more > 0 ? [doubtMore(more)] : [])];
  };
}

function strangeValues({ strange }: Pick<Wish, 'strange'>, { ownWords, calls }: SaidBefore) {
  const said = readWords(ownWords().join('\n'));
  const values = strange.slice(0, mostOrigins).map((value) => {
    const from = calls.findLast(({ result }) => result?.text.includes(value))?.name;
    return {
      value: inlineCode(oneLine(value, 80)),
      tool: from === undefined ? undefined : inlineCode(from),
      isSaidElsewhere: isSaid(said, value),
    };
  });
  return { values, more: strange.length - values.length };
}

export interface AskedPermission {
  readonly callId: string;
  readonly prepared: PreparedCall;
  readonly hash: string;
  readonly bound?: BoundFiles;
  readonly because: AskReason;
  /** The rule in words, and what the person did not write. */
  readonly reason: InLanguage;
  /** What of it the person did not write: clauses of markdown. */
  readonly doubts: (language: Language) => readonly string[];
  readonly grantable: boolean;
  /** See `Verdict`. */
  readonly endedBy?: string | undefined;
  /** What a lasting rule about it would name. */
  readonly ruled?: () => Promise<RuledCall | undefined>;
}

export type JointCalls = readonly [AskedPermission, ...AskedPermission[]];

/** Asks for one call, or for several calls of one answer on one card. `cardConversationIds` is empty if nobody can decide. */
export async function draftPermission(
  calls: JointCalls,
  where: RunScope,
  parts: RequestParts,
): Promise<ApprovalDraft<PermissionApproval>> {
  const [first, ...others] = calls;
  const { conversationId } = where.scope;
  const { callId, prepared, hash, grantable, endedBy } = first;
  // Before the look at who may decide: the card follows what changes from then on, once it is shown.
  const fields = newApproval(where, parts.settings.timeout, parts);
  const cardConversationIds = await conversationsToAskIn(conversationId, parts);
  const own = parts.readerIn(conversationId).language;
  const isHere = cardConversationIds.includes(conversationId);
  const contents = await contentsIn([own, ...cardConversationIds.map((id) => parts.readerIn(id).language)], calls, {
    ...parts,
    where,
    isHere,
  });
  const contentIn = (language: Language): Contents => contents.get(language) ?? contents.own;
  const [content] = contents.own;
  const asked =
    others.length === 0 ? { ...askedFor(content), ...scopeOf(prepared.facets) } : together(contents.own, others);
  const describe = (language: Language): string => descriptionOf(calls, language, where);
  const { ruled, offer } = others.length === 0 ? await ruleFor(first, fields, parts) : {};
  const approval: PermissionApproval = {
    ...fields,
    type: 'permission',
    callId,
    toolName: [...new Set(calls.map((one) => one.prepared.toolName))].join(', '),
    ...describedIn(own, describe),
    hash,
    grantable: grantable && others.length === 0,
    cardConversationIds,
    ruled,
    asked: {
      ...asked,
      because: [...new Set(calls.map(({ because }) => because.because))],
      danger: dangerIn(first),
      offer,
      readBefore: where.labels.sources,
      reads: where.labels.reads,
    },
  };
  const window = endedBy === undefined ? parts.settings.window : undefined;
  const cards = cardsOf(approval, parts, (reader) => {
    const { language } = reader;
    const [shown, ...rest] = contentIn(language);
    return {
      markdown: requestCard(approval, reader, shown, ...rest),
      buttons: cardButtons(approval, { language, window }),
      elsewhere: forwardedNotice(approval, language),
    };
  });
  return { approval, cards };
}

/** What a permission for a while would cover, and what people call it. */
function scopeOf(facets: CallFacets): Pick<AskedCall, 'targets' | 'targetName'> {
  const { covers, targetName } = facets;
  return { targets: coverOf(facets), targetName: covers === undefined ? targetName : undefined };
}

/** What a rule about the call would name, and the rule that its card offers. */
async function ruleFor(
  { prepared, grantable, ruled: findRuled }: AskedPermission,
  { conversationId, requester }: Pick<PermissionApproval, 'conversationId' | 'requester'>,
  { ruleOffers }: RequestParts,
): Promise<Pick<PermissionApproval, 'ruled'> & Pick<AskedCall, 'offer'>> {
  const { toolName, category, facets } = prepared;
  const ruled = mayBeRuled(category, facets) ? await findRuled?.() : undefined;
  if (ruled === undefined || !grantable) return { ruled };
  return { ruled, offer: await ruleOffers?.offerFor({ ...ruled, conversationId, requester, toolName }) };
}

type Contents = readonly [CardContent, ...CardContent[]];

interface ContentParts extends Pick<RequestParts, 'redact'> {
  readonly where: RunScope;
  /** The card stands in the conversation that asks. */
  readonly isHere: boolean;
}

/** What the cards say, in each of these languages. `own`: in the first of them. */
async function contentsIn(
  [own, ...others]: readonly [Language, ...Language[]],
  [first, ...rest]: JointCalls,
  parts: ContentParts,
) {
  const inOne = async (language: Language): Promise<Contents> => [
    await contentOf(first, language, parts),
    ...(await Promise.all(rest.map((one) => contentOf(one, language, parts)))),
  ];
  const contents = new Map<Language, Contents>();
  for (const language of new Set(others)) if (language !== own) contents.set(language, await inOne(language));
  return { own: await inOne(own), get: (language: Language) => contents.get(language) };
}

/** What the calls will do, numbered as on the card if they are several. */
function descriptionOf(calls: JointCalls, language: Language, where: RunScope): string {
  const descriptions = calls.map(({ prepared }) => plainIn(where)(prepared.describe(language)));
  const [only = '', ...others] = descriptions;
  if (others.length === 0) return only;
  const share = Math.floor(longestDescription / calls.length) - '(1) ; '.length;
  return approvalWords[language].severalParts(
    descriptions.map((one, index) => `(${index + 1}) ${markdownLine(one, share)}`),
  );
}

const askedFor = ({ category, arguments: args, reason }: CardContent) => ({ category, arguments: args, reason });

/** What is asked for several calls. */
function together(contents: Contents, others: readonly AskedPermission[]) {
  const calls = contents.map((one) => ({ tool: one.displayName, ...askedFor(one) }));
  return {
    category: (contents.find(({ category }) => category === 'destructive') ?? contents[0]).category,
    arguments: { calls },
    reason: [...new Set(contents.map(({ reason }) => reason))].join('; '),
    others: others.map(({ callId, hash }) => ({ callId, hash })),
  };
}

async function contentOf(asked: AskedPermission, language: Language, parts: ContentParts): Promise<CardContent> {
  const { prepared, bound, because, reason: reasonIn, endedBy } = asked;
  const { redact, where, isHere } = parts;
  const worker = where.workers.at(-1)?.name;
  const { displayName, category, arguments: args } = prepared;
  const preview = await prepared.preview(where.scope);
  const withoutLinks = plainIn(where);
  const reason = reasonIn(language);
  const forwardedFrom = isHere ? undefined : where.titleIn(language);
  const isRequester = isHere && where.scope.kind === 'direct';
  // The preview of a file shows lines around the change, which may hold secrets.
  const change = preview === undefined ? undefined : redact(wordsIn(language, preview));
  const description = withoutLinks(prepared.describe(language));
  return {
    description: prepared.body === undefined ? description : wordsIn(language, prepared.body.title),
    displayName: wordsIn(language, displayName),
    category,
    arguments: args,
    reason: worker === undefined ? reason : approvalWords[language].calledBy({ reason, worker: inlineCode(worker) }),
    why: whyWords(where, because, { language, isRequester, forwardedFrom, redact }),
    danger: dangerIn(asked),
    risks: risksOf(asked, language),
    body: change ?? bodyOf(prepared, prepared.describe(language)),
    files: bound?.files,
    endedBy,
    forwardedFrom,
    withoutLinks,
  };
}

function dangerIn({ because: { because }, prepared: { category, facets } }: AskedPermission) {
  return dangerOf({ because, category, irreversible: facets.irreversible });
}

/** What speaks against a call, the worst first. */
function risksOf({ prepared, bound, because, doubts }: AskedPermission, language: Language): readonly string[] {
  const words = cardWords[language];
  const effects = wordsIn(language, prepared.effect ?? '')
    .split('\n')
    .filter((effect) => effect.trim() !== '');
  const files = bound?.files ?? [];
  const named = files.map(({ path, note }) => ({ path: inlineCode(oneLine(path, 60)), note: wordsIn(language, note) }));
  const there = files.filter(({ isMissing = false }) => !isMissing).map(({ path }) => inlineCode(oneLine(path, 60)));
  const runs = there.slice(0, 2);
  return [
    ...doubts(language),
    ...effects.slice(0, 1),
    ...(because.because === 'unconfined' ? [words.noSandbox] : []),
    ...(because.because === 'unreadable' ? [words.unreadable] : []),
    ...effects.slice(1),
    ...(prepared.category === 'shell' || files.length === 0
      ? []
      : named
          .slice(0, 1)
          .map(({ path, note }) => words.leadsElsewhere({ path, note: escapeMarkdown(oneLine(note, 120)) }))),
    ...(prepared.category === 'shell' && runs.length > 0
      ? [words.onlyAsIs({ files: runs, more: there.length - runs.length })]
      : []),
  ];
}

/** What must be read of a call besides its description, as a block: its own text, or its arguments. */
function bodyOf({ body, arguments: args, namesAll = false }: PreparedCall, description: string): string | undefined {
  if (body !== undefined) return fenced(reveal(body.text), body.language ?? '');
  const told = Object.values(args).every((value) => isTold(value, description, namesAll));
  return told ? undefined : fenced(argumentLines(args));
}

/** Whether the description says all of an argument. */
function isTold(value: JsonValue, description: string, namesAll: boolean): boolean {
  if (value === null || value === '') return true;
  if (namesAll && typeof value !== 'object') return typeof value !== 'string' || isWhole(value, description);
  if (namesAll && value !== null) return Object.values(value).every((one) => isTold(one, description, true));
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return description.includes(inlineCode(text)) && oneLine(text, 80) === text;
}

function isWhole(text: string, description: string): boolean {
  return description.includes(oneLine(text, Number.POSITIVE_INFINITY));
}

/** A line an argument. One of several lines is indented, so that no line of it is taken for another argument. */
function argumentLines(args: JsonObject): string {
  const lines = Object.entries(args).map(([key, value]) => {
    const text = reveal(typeof value === 'string' ? value : JSON.stringify(value));
    return `${oneLine(key, 60)}: ${text.includes('\n') ? text.replaceAll(/^/gm, '    ').replace(/^/, '\n') : text}`;
  });
  return lines.join('\n');
}
