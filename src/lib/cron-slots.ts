/** The due instants of a cron expression in a time zone, in ms since 1970. */
export interface CronSlots {
  /** The first instant after `after`; undefined if there is none. */
  next(after: number): number | undefined;
  /** The last instant at or before `upTo`; undefined if there is none. */
  newest(upTo: number): number | undefined;
}

export type CronReading =
  | { readonly valid: true; readonly slots: CronSlots }
  /** The fault completes a sentence. */
  | { readonly valid: false; readonly fault: string };

/**
 * Reads a cron expression of five fields. When clocks go forward, a skipped time of day is due right after the change;
 * when they go back, it is due once. Intervals of minutes or hours continue through both.
 */
export async function readCron(expression: string, timeZone: string): Promise<CronReading> {
  const count = expression.trim().split(/\s+/).length;
  if (count !== 5) return { valid: false, fault: fieldsFault(count) };
  const { Cron } = await import('croner');
  try {
    const cron = new Cron(expression.trim(), { timezone: timeZone, mode: '5-part', fixedTimeRule: 'no-wildcard' });
    const slots: CronSlots = {
      next: (after) => cron.nextRun(new Date(after))?.getTime(),
      newest: (upTo) => cron.previousRuns(1, new Date(upTo + 1))[0]?.getTime(),
    };
    // The time zone is checked only by a search.
    slots.next(0);
    return { valid: true, slots };
  } catch (error) {
    const words = error instanceof Error ? error.message.replace(/^Cron\w+: /, '') : String(error);
    return { valid: false, fault: words.endsWith('.') ? words : `${words}.` };
  }
}

function fieldsFault(count: number): string {
  const fields = 'minute, hour, day of the month, month, day of the week';
  const seconds = count === 6 ? ' There is no field for seconds: once a minute is the most.' : '';
  return `expected five fields (${fields}), got ${count}.${seconds}`;
}
