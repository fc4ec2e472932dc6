import type { Spent } from '../../../engine/journal.ts';
import type { Origin } from '../../../engine/message.ts';
import { escapeMarkdown } from '../../../lib/plain-text.ts';
import type { Language } from '../../../lib/words.ts';
import {
  type BudgetLimits,
  moneyWords,
  type SpendingEntry,
  type SpendingLimits,
  tokenWords,
} from '../../../runs/run-budget.ts';
import type { ReportParts } from './report-parts.ts';
import { listWords } from './words.ts';

type UsageParts = Pick<ReportParts, 'spending' | 'limits' | 'dayOf' | 'accounts' | 'owners' | 'clock' | 'readers'>;

/** In which words the figures are told. */
interface Telling {
  readonly language: Language;
  readonly money: Pick<BudgetLimits, 'currency'>;
}

/** The answer to `/usage`. */
export async function usageReport(origin: Origin, parts: UsageParts): Promise<string> {
  const { conversationId, principal } = origin;
  const { spending, limits, dayOf, clock, owners } = parts;
  const { language } = parts.readers.forAnswer(origin);
  const words = listWords[language];
  const telling = { language, money: limits };
  const entries = await spending.entriesOf(dayOf(clock.now()));
  const accounts = parts.accounts.accountsOf(principal);
  const here = entries.filter((entry) => entry.conversationId === conversationId);
  const own = entries.filter((entry) => accounts.includes(entry.principal));
  const lines = [
    ...section(words.inConversation, here, {}, telling),
    ...section(words.forYou, own, limits.perPerson, telling),
    ...(owners.isOwner(principal) ? section(words.everyone, entries, limits.perDay, telling) : []),
    ...messageLine(limits.perRun, telling),
  ];
  return words.usedToday({ zone: limits.timeZone, lines });
}

function section(
  of: string,
  entries: readonly SpendingEntry[],
  limits: SpendingLimits,
  telling: Telling,
): readonly string[] {
  const words = listWords[telling.language];
  const models = [...Map.groupBy(entries, ({ model }) => model)].toSorted(([one], [other]) => (one < other ? -1 : 1));
  const spent = spentWords(sum(entries), limits, telling);
  const [first] = models;
  const only = models.length === 1 && first !== undefined ? escapeMarkdown(first[0]) : undefined;
  const all = words.spentLine({ of, spent, model: only });
  if (only !== undefined) return [all];
  const ofModel = ([model, used]: readonly [string, readonly SpendingEntry[]]): string =>
    words.modelSpent({ model: escapeMarkdown(model), spent: spentWords(sum(used), {}, telling) });
  return [all, ...models.map(ofModel)];
}

function messageLine({ tokens, cost }: SpendingLimits, { language, money }: Telling): readonly string[] {
  if (tokens === undefined && cost === undefined) return [];
  const line = listWords[language].perMessage({
    tokens: tokens === undefined ? undefined : tokenWords(tokens),
    money: cost === undefined ? undefined : moneyWords(cost, money),
  });
  return ['', line];
}

function spentWords({ tokens, cost }: Spent, limits: SpendingLimits, { language, money }: Telling): string {
  return listWords[language].spent({
    tokens: tokenWords(tokens),
    tokenLimit: limits.tokens === undefined ? undefined : tokenWords(limits.tokens),
    money: cost === 0 && limits.cost === undefined ? undefined : moneyWords(cost, money),
    moneyLimit: limits.cost === undefined ? undefined : moneyWords(limits.cost, money),
  });
}

function sum(entries: readonly Spent[]): Spent {
  const of = (key: 'tokens' | 'cost'): number => entries.reduce((total, entry) => total + entry[key], 0);
  return { tokens: of('tokens'), cost: of('cost') };
}
