import { moneyWords, tokenWords } from '../../agent/budget-words.ts';
import type { BudgetLimits, SpendingLimits } from '../../agent/reached-bound.ts';
import type { SpendingEntry, Spent } from '../../agent/spending-store.ts';
import { escapeMarkdown } from '../../lib/plain-text.ts';

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
export function usageReport(entries: readonly SpendingEntry[], facts: UsageFacts): string {
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
