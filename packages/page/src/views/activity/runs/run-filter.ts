import { computed } from '@preact/signals';
import { goTo, query } from '../../../lib/place.ts';

/** What the list is filtered by, as it stands in the address. Days are `2026-03-04`, by the browser's clock. */
export const filterNames = ['person', 'channel', 'tool', 'outcome', 'from', 'to', 'q'] as const;

export type FilterName = (typeof filterNames)[number];
export type RunFilter = Readonly<Partial<Record<FilterName, string>>>;

export const runFilter = computed<RunFilter>(() =>
  Object.fromEntries(filterNames.flatMap((name) => (query.value.get(name) ? [[name, query.value.get(name)]] : []))),
);

/** Shows the list so filtered. Empty texts filter nothing. */
export function filterBy(changed: RunFilter): void {
  goTo(`/activity${asQuery({ ...runFilter.peek(), ...changed })}`, { replace: true });
}

export function filterByNothing(): void {
  goTo('/activity', { replace: true });
}

/** As the daemon is asked: days are instants. */
export function wireQuery(filter: RunFilter): URLSearchParams {
  const { from, to, ...rest } = filter;
  const wire = new URLSearchParams(rest);
  const [begin, end] = [beginOf(from, 0), beginOf(to, 1)];
  if (begin !== undefined) wire.set('from', String(begin));
  if (end !== undefined) wire.set('to', String(end));
  return wire;
}

function asQuery(filter: RunFilter): string {
  const entries = Object.entries(filter).filter(([, value]) => value !== '');
  return entries.length === 0 ? '' : `?${new URLSearchParams(Object.fromEntries(entries))}`;
}

/** When the day begins, so many days later. Undefined: it is no day. */
function beginOf(text: string | undefined, later: number): number | undefined {
  const [, year, month, day] = /^(\d{4})-(\d\d)-(\d\d)$/.exec(text ?? '') ?? [];
  if (year === undefined) return undefined;
  return new Date(Number(year), Number(month) - 1, Number(day) + later).getTime();
}
