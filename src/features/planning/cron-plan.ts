/** A cron expression as people say it, if it is simple enough. */
export type CronPlan =
  | { readonly type: 'daily'; readonly days: CronDays; readonly times: readonly string[] }
  | { readonly type: 'often'; readonly days: CronDays; readonly interval: CronInterval }
  | { readonly type: 'other'; readonly expression: string };

export type CronDays =
  | { readonly type: 'all' | 'weekdays' | 'weekends' | 'last-of-month' }
  | { readonly type: 'day-of-month'; readonly day: number }
  /** 0 and 7 are Sunday. */
  | { readonly type: 'days-of-week'; readonly weekdays: readonly number[] };

/** Every so many minutes, or every so many hours at a minute. */
export type CronInterval =
  | { readonly type: 'minutes'; readonly step: number }
  | { readonly type: 'hours'; readonly step: number; readonly minute: number };

const shortNames = ['SUN', 'MON', 'TUE', 'WED', 'THU', 'FRI', 'SAT'];

/** What is not plain stays an expression, so that nobody reads something else than what will be. */
export function cronPlan(expression: string): CronPlan {
  const [minute = '', hour = '', day = '', month = '', weekday = ''] = expression.trim().toUpperCase().split(/\s+/);
  const days = month === '*' ? daysOf(day, weekday) : undefined;
  const interval = intervalOf(minute, hour);
  const times = timesOf(minute, hour);
  if (days !== undefined && interval !== undefined) return { type: 'often', days, interval };
  if (days !== undefined && times !== undefined) return { type: 'daily', days, times };
  return { type: 'other', expression: expression.replaceAll('`', '') };
}

/** Several times a day, at a fixed interval. */
function intervalOf(minute: string, hour: string): CronInterval | undefined {
  const minutes = stepOf(minute, 60);
  if (hour === '*' && minutes !== undefined) return { type: 'minutes', step: minutes };
  const hours = stepOf(hour, 24);
  return hours !== undefined && isNumber(minute, 59)
    ? { type: 'hours', step: hours, minute: Number(minute) }
    : undefined;
}

/** Only steps that divide the range: others leave a shorter gap at its end. */
function stepOf(field: string, whole: number): number | undefined {
  if (field === '*') return 1;
  const step = Number(/^\*\/(\d{1,2})$/.exec(field)?.[1]);
  return step > 1 && whole % step === 0 ? step : undefined;
}

/** At one time of the day, or at several. */
function timesOf(minute: string, hour: string): readonly string[] | undefined {
  const hours = hour.split(',');
  if (!isNumber(minute, 59) || !hours.every((one) => isNumber(one, 23))) return undefined;
  return hours.map((one) => `${one.padStart(2, '0')}:${minute.padStart(2, '0')}`);
}

function daysOf(day: string, weekday: string): CronDays | undefined {
  if (day === '*') return weekdaysOf(weekday);
  if (weekday !== '*') return undefined;
  if (day === 'L') return { type: 'last-of-month' };
  return isNumber(day, 31) ? { type: 'day-of-month', day: Number(day) } : undefined;
}

function weekdaysOf(weekday: string): CronDays | undefined {
  if (weekday === '*') return { type: 'all' };
  const numbers = shortNames.reduce((text, name, number) => text.replaceAll(name, String(number)), weekday);
  if (numbers === '1-5') return { type: 'weekdays' };
  if (/^(?:[06],[67]|6-7)$/.test(numbers)) return numbers === '6,6' ? undefined : { type: 'weekends' };
  const list = numbers.split(',');
  return list.every((one) => isNumber(one, 7)) ? { type: 'days-of-week', weekdays: list.map(Number) } : undefined;
}

function isNumber(text: string, most: number): boolean {
  return /^\d{1,2}$/.test(text) && Number(text) <= most;
}
