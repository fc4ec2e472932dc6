import { signal } from '@preact/signals';
import type { RunInList, RunPage } from '../../../../../../src/features/page/wire/activity.ts';
import { AskError, ask } from '../../../lib/ask.ts';

/** The runs that are known here, of one filter. */
export interface RunList {
  /** As the daemon is asked for it. */
  readonly of: string;
  readonly runs: readonly RunInList[];
  /** From where on there may be more. Undefined: these are all. */
  readonly next: number | undefined;
  readonly isLoading: boolean;
  readonly error: AskError | undefined;
}

const none: RunList = { of: '', runs: [], next: undefined, isLoading: true, error: undefined };

/** It stays while a run is looked at, so that nobody has to find their place again. */
export const runList = signal<RunList>(none);

/** So many at a time. */
const runsAtOnce = 100;

/** Gets the newest runs, and keeps those that are known if they go on from there. */
export async function refresh(of: string): Promise<void> {
  if (runList.peek().of !== of) runList.value = { ...none, of };
  const page = await pageOf(of, undefined);
  const known = runList.peek();
  if (known.of !== of) return;
  if (page instanceof AskError) runList.value = { ...known, isLoading: false, error: page };
  else runList.value = joined(known, page);
}

/** Gets more, until there is at least one or there are none. */
export async function more(): Promise<void> {
  const { of, next, isLoading } = runList.peek();
  if (isLoading || next === undefined) return;
  runList.value = { ...runList.peek(), isLoading: true };
  let before: number | undefined = next;
  while (before !== undefined) {
    const page: RunPage | AskError = await pageOf(of, before);
    const known = runList.peek();
    if (known.of !== of) return;
    if (page instanceof AskError) {
      runList.value = { ...known, isLoading: false, error: page };
      return;
    }
    before = page.next;
    const isEnough = page.runs.length > 0 || page.next === undefined;
    runList.value = {
      ...known,
      runs: [...known.runs, ...unknownIn(page.runs, known.runs)],
      next: page.next,
      isLoading: !isEnough,
      error: undefined,
    };
    if (isEnough) return;
  }
}

async function pageOf(of: string, before: number | undefined): Promise<RunPage | AskError> {
  const query = new URLSearchParams(of);
  query.set('most', String(runsAtOnce));
  if (before !== undefined) query.set('before', String(before));
  try {
    return await ask<RunPage>(`runs?${query}`);
  } catch (error) {
    return error instanceof AskError ? error : new AskError(0, String(error));
  }
}

/** If the newest do not reach those that are known, these are forgotten: what is between would be missing. */
function joined(known: RunList, page: RunPage): RunList {
  const isGapless = page.runs.some(({ id }) => known.runs.some((run) => run.id === id));
  const older = isGapless ? unknownIn(known.runs, page.runs) : [];
  const next = isGapless ? known.next : page.next;
  return { ...known, runs: [...page.runs, ...older], next, isLoading: false, error: undefined };
}

function unknownIn(runs: readonly RunInList[], others: readonly RunInList[]): readonly RunInList[] {
  const ids = new Set(others.map(({ id }) => id));
  return runs.filter(({ id }) => !ids.has(id));
}
