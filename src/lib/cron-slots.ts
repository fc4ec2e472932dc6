/** The instants at which a cron expression is due in a time zone, in milliseconds since 1970. */
export interface CronSlots {
  /** The first one later than that; undefined if there is none. */
  next(after: number): number | undefined;
  /** The last one that is not later than that; undefined if there was none. */
  newest(upTo: number): number | undefined;
}

export type CronReading =
  | { readonly valid: true; readonly slots: CronSlots }
  /** The fault says what is wrong, to the end of a sentence. */
  | { readonly valid: false; readonly fault: string };

/**
 * Reads a cron expression of five fields. Where clocks leap forward, a time of the day that is left out is due right after
 * the leap; where they are set back, it is due once. What is due every so many minutes or hours goes on through both.
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
    // Only a search tells whether the time zone is known.
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
