import { type DaySpending, spendingByDay } from '../../../store/overview.ts';
import { columns } from '../../columns.ts';
import { readData, type Shown, shownFor } from '../../read-data.ts';
import { type CommandContext, exitCodes } from '../command.ts';
import { countOption } from './count-option.ts';
import { costWords, seeWords } from './words.ts';

/** `usage`: what was spent on each day, with each model. */
export async function usage(context: CommandContext): Promise<number> {
  const { asJson, print, option } = context;
  const days = countOption('days', { usual: 7, most: 1_000 }, context);
  const spent = await readData(context, (sql) => spendingByDay(sql, days, option('person')));
  print(
    asJson
      ? JSON.stringify({ spending: spent }, undefined, 2)
      : usageText(spent, await shownFor(context), option('person')),
  );
  return exitCodes.done;
}

/** For a person: a row for each day and model. `of`: only what this account has used was wanted. */
export function usageText(spent: readonly DaySpending[], { language, currency }: Shown, of?: string): string {
  const say = seeWords[language];
  if (spent.length === 0) return of === undefined ? say.noUsage : say.noUsageOf({ person: of });
  return columns(
    spent.map(({ day, model, tokens, cost }) => [
      day,
      model,
      say.tokens({ tokens }),
      cost === 0 ? '' : costWords(cost, currency),
    ]),
  ).join('\n');
}
