import { createHash } from 'node:crypto';
import type { Approval, PermissionApproval, RuleGrant } from '../../approval/approval.ts';
import { decidedCard } from '../../approval/cards.ts';
import type { RuledCall, RuleOffer } from '../../approval/rules/rule.ts';
import type { NamedRule } from '../../approval/rules/words.ts';
import type { GivenCommand } from '../../conversation/commands/given-command.ts';
import type { Decision } from '../../engine/journal.ts';
import type { FeatureCore } from '../../feature-points.ts';
import { folded } from '../../lib/folds.ts';
import { canonicalJson } from '../../lib/json.ts';
import { nameCode, personWords } from '../../lib/plain-text.ts';
import type { RuleTarget } from '../../tools/lasting-target.ts';
import { type ListAnswer, leadingButton } from '../../words/command-buttons.ts';
import { carries, type DryRun, dryRun } from './history.ts';
import type { RuleStore } from './tables.ts';
import { rulesWords } from './words.ts';

/** What allowing a rule needs. */
export interface RuleParts extends Pick<FeatureCore, 'approvals' | 'accounts' | 'wake' | 'readerIn' | 'store'> {
  readonly rules: RuleStore;
}

/** An open or decided card that offers a rule. */
interface OfferingCard extends PermissionApproval {
  readonly ruled: RuledCall;
  readonly offer: RuleOffer;
}

/** A rule, what it would have done by now, and the word that stands for both. */
interface Proposal {
  readonly card: OfferingCard;
  readonly rule: NamedRule;
  readonly found: DryRun;
  readonly token: string;
  /** See `placeOf`. */
  readonly place: string | undefined;
}

const mostListed = 8;
const mostExamples = 3;

/**
 * `/rule` lists what open cards offer here; `/rule ID` shows one with its figures; `/rule ID TOKEN`, which the button types,
 * allows it together with its card, if the figures are still those that were shown.
 */
export async function rule(given: GivenCommand, parts: RuleParts): Promise<void> {
  const { argument, origin, answer, reader } = given;
  const words = rulesWords[reader.language];
  const [id = '', token] = argument.toLowerCase().split(/\s+/).filter(Boolean);
  if (id === '') return list(given, parts);
  const card = offeringCard(await parts.store.approvals.find(id), origin.conversationId);
  if (card === undefined) return answer(words.unknown);
  if (card.state !== 'pending') return answerSettled(card, given, parts);
  const proposal = await proposalOf(card, origin.conversationId, parts);
  if (!carries(proposal.found, card.offer.scope)) return answer(words.denied);
  if (token === undefined) return given.list(question(proposal, undefined, given, parts));
  const open = await parts.approvals.openFor(origin, id);
  if ('refusal' in open) return given.list(question(proposal, open.refusal, given, parts));
  if (token === 'no') return answer(words.left);
  if (token !== proposal.token) return given.list(question(proposal, words.changed, given, parts));
  return allow(proposal, given, parts);
}

function offeringCard(approval: Approval | undefined, conversationId: string): OfferingCard | undefined {
  if (approval?.type !== 'permission' || !approval.cardConversationIds.includes(conversationId)) return undefined;
  const { ruled, asked: { offer } = {} } = approval;
  return ruled === undefined || offer === undefined ? undefined : { ...approval, ruled, offer };
}

async function list(given: GivenCommand, { store }: RuleParts): Promise<void> {
  const { origin, reader, answer } = given;
  const words = rulesWords[reader.language];
  const open = await store.approvals.openAt(origin.conversationId);
  const cards = open.flatMap((one) => offeringCard(one, origin.conversationId) ?? []).slice(0, mostListed);
  if (cards.length === 0) return answer(words.none);
  const lines = cards.map(({ toolName, offer: { scope } }) => words.entry({ toolName, scope }));
  const buttons = cards.map(({ id }, index) => leadingButton(words.buttonShow({ number: index + 1 }), `rule ${id}`));
  const rows = [buttons.slice(0, 4), buttons.slice(4)].filter((row) => row.length > 0);
  await given.list({ markdown: [words.list, ...lines].join('\n'), again: 'rule', rows });
}

async function proposalOf(card: OfferingCard, here: string, parts: RuleParts): Promise<Proposal> {
  const { toolName, ruled, offer } = card;
  const { scope } = offer;
  const found = dryRun(scope, ruled.tool, await parts.rules.history(card));
  const { saved, denied, since } = found;
  const shown = canonicalJson({
    card: card.id,
    scope: { ...scope },
    tool: ruled.tool,
    saved,
    denied,
    since: `${since}`,
  });
  const token = createHash('sha256').update(shown).digest('hex').slice(0, 6);
  return { card, rule: { toolName, scope }, found, token, place: await placeOf(card, here, parts) };
}

/** `note`: stands above it. */
function question(
  { card, rule: named, found, token, place }: Proposal,
  note: string | undefined,
  { origin, reader }: GivenCommand,
  parts: RuleParts,
): ListAnswer {
  const words = rulesWords[reader.language];
  const { id, requester, requesterName } = card;
  const isOwn =
    origin.conversation.kind === 'direct' && parts.accounts.accountsOf(origin.principal).includes(requester);
  const examples = found.targets.slice(0, mostExamples).map(nameOf);
  const markdown = [
    ...(note === undefined ? [] : [note]),
    words.question(named),
    words.figures({ ...found, examples, more: found.targets.length - examples.length, reader }),
    words.holds({
      person: isOwn ? undefined : personWords({ principal: requester, name: requesterName }),
      place,
    }),
    words.staysAsked,
    folded(words.details, words.typed({ id, token })),
  ].join('\n\n');
  const allowing = leadingButton(words.buttonAllow, `rule ${id} ${token}`, 'primary');
  return { markdown, again: `rule ${id}`, rows: [[allowing, leadingButton(words.buttonNo, `rule ${id} no`)]] };
}

function nameOf(target: RuleTarget): string {
  switch (target.of) {
    case 'file':
      return target.path;
    case 'command':
      return target.command;
    case 'host':
      return target.host;
  }
}

/** The name of the conversation of the calls, if it is another one. */
async function placeOf({ conversationId }: Approval, here: string, { store }: RuleParts): Promise<string | undefined> {
  if (conversationId === here) return undefined;
  const place = await store.inbox.conversationOf(conversationId);
  return nameCode(place?.title ?? place?.chatId ?? conversationId);
}

async function answerSettled(card: OfferingCard, given: GivenCommand, parts: RuleParts): Promise<void> {
  const words = rulesWords[given.reader.language];
  if (!(await parts.rules.isStanding(card.id))) return given.answer(words.over);
  const place = await placeOf(card, given.origin.conversationId, parts);
  await given.list(givenAnswer(card, place, given));
}

function givenAnswer(card: OfferingCard, place: string | undefined, { reader }: GivenCommand): ListAnswer {
  const words = rulesWords[reader.language];
  const { id, toolName, offer } = card;
  const rows = place === undefined ? [[leadingButton(words.buttonRevoke, `revoke ${id}`)]] : [];
  const markdown = words.given({ rule: { toolName, scope: offer.scope }, id, place });
  return { markdown, again: `rule ${id}`, rows };
}

/** Saves the rule and allows the card's own call, in one transaction; or tells that the card was decided before. */
async function allow({ card, rule: named, place }: Proposal, given: GivenCommand, parts: RuleParts): Promise<void> {
  const { rules, wake, readerIn } = parts;
  const words = rulesWords[given.reader.language];
  const effect = rules.allow(({ origin, at }): Decision => {
    const { principal: grantedBy } = origin;
    return {
      origin,
      approval: card,
      state: 'approved',
      grant: grantOf(card, grantedBy, at),
      result: '',
      at,
      outcome(language, conversationId) {
        const reader = { ...readerIn(conversationId), language };
        const once = decidedCard(card, { type: 'once' }, origin, { at, reader });
        return `${once}${rulesWords[language].alsoAlways(named)}`;
      },
    };
  });
  // Somebody else's press may have come first: then the rule is in force all the same.
  const obeyed = await given.obey(effect, ({ isStanding }) =>
    isStanding ? givenAnswer(card, place, given) : words.over,
  );
  if (obeyed.status === 'done' && obeyed.result.isFirst) wake([card.runsIn ?? card.conversationId]);
}

/** It has the id of its card: a card gives one at most. */
function grantOf(card: OfferingCard, grantedBy: string, createdAt: number): RuleGrant {
  const { id, conversationId, requester, toolName, description, ruled, offer } = card;
  const fields = { id, conversationId, requester, toolName, description, grantedBy, createdAt };
  return { ...fields, kind: 'rule', tool: ruled.tool, scope: offer.scope };
}
