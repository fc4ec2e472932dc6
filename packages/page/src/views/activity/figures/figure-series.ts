import type { ModelFigures } from '../../../../../../src/features/page/wire/activity.ts';
import type { Series } from './plot.tsx';

const day = 86_400_000;

/** The names of days from an instant on, as the daemon writes them: `2026-03-04`, by the browser's clock. */
export function daysBetween(from: number, days: number): readonly string[] {
  const format = new Intl.DateTimeFormat('en-CA', { year: 'numeric', month: '2-digit', day: '2-digit' });
  // Noon, as some days have 23 hours.
  const names = Array.from({ length: days }, (_, index) => format.format(from + index * day + day / 2));
  return [...new Set(names)];
}

/** A series for each model, those that used most first. */
export function seriesByModel(
  models: readonly ModelFigures[],
  days: readonly string[],
  of: 'tokens' | 'cost',
): readonly Series[] {
  const byModel = Map.groupBy(models, ({ model }) => model);
  const sums = [...byModel].map(([name, entries]) => ({
    name,
    entries,
    sum: entries.reduce((all, one) => all + one[of], 0),
  }));
  return sums
    .toSorted((one, other) => other.sum - one.sum)
    .map(({ name, entries }) => {
      const byDay = new Map(entries.map((one) => [one.day, one[of]]));
      return { name, values: days.map((at) => byDay.get(at) ?? 0) };
    });
}
