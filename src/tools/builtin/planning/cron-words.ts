const weekdays = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'];
const shortNames = ['SUN', 'MON', 'TUE', 'WED', 'THU', 'FRI', 'SAT'];

/** A cron expression in plain words, where they are plain: `every weekday at 09:00`. Elsewhere the expression itself. */
export function cronWords(expression: string): string {
  const [minute = '', hour = '', day = '', month = '', weekday = ''] = expression.trim().toUpperCase().split(/\s+/);
  const days = month === '*' ? dayWords(day, weekday) : undefined;
  const time = timeWords(minute, hour);
  if (days === undefined || time === undefined) return `at the times of \`${expression.replaceAll('`', '')}\``;
  if (time.isOften) return days === 'every day' ? time.words : `${time.words}, ${days}`;
  return `${days} ${time.words}`;
}

/** `isOften`: several times a day, so that the words stand by themselves. */
function timeWords(minute: string, hour: string): { readonly words: string; readonly isOften: boolean } | undefined {
  if (minute === '*' && hour === '*') return { words: 'every minute', isOften: true };
  const everyMinutes = stepOf(minute, 60);
  if (everyMinutes !== undefined && hour === '*') return { words: `every ${everyMinutes} minutes`, isOften: true };
  if (!isNumber(minute, 59)) return undefined;
  const at = `at minute ${Number(minute)}`;
  if (hour === '*') return { words: `every hour ${at}`, isOften: true };
  const everyHours = stepOf(hour, 24);
  if (everyHours !== undefined) return { words: `every ${everyHours} hours ${at}`, isOften: true };
  const hours = hour.split(',');
  if (!hours.every((one) => isNumber(one, 23))) return undefined;
  return { words: `at ${listWords(hours.map((one) => `${two(one)}:${two(minute)}`))}`, isOften: false };
}

function dayWords(day: string, weekday: string): string | undefined {
  if (day === '*') return weekdayWords(weekday);
  if (weekday !== '*') return undefined;
  if (day === 'L') return 'on the last day of every month';
  return isNumber(day, 31) ? `on day ${Number(day)} of every month` : undefined;
}

function weekdayWords(weekday: string): string | undefined {
  if (weekday === '*') return 'every day';
  const numbers = shortNames.reduce((text, name, number) => text.replaceAll(name, String(number)), weekday);
  if (numbers === '1-5') return 'every weekday';
  if (/^(?:[06],[67]|6-7)$/.test(numbers)) return numbers === '6,6' ? undefined : 'every Saturday and Sunday';
  const list = numbers.split(',');
  if (!list.every((one) => isNumber(one, 7))) return undefined;
  return `every ${listWords(list.map((one) => weekdays[Number(one)] ?? ''))}`;
}

/** Only steps that come out even: after others, the pause is shorter at the end. */
function stepOf(field: string, whole: number): number | undefined {
  const step = /^\*\/(\d{1,2})$/.exec(field)?.[1];
  return step !== undefined && Number(step) > 1 && whole % Number(step) === 0 ? Number(step) : undefined;
}

function isNumber(text: string, most: number): boolean {
  return /^\d{1,2}$/.test(text) && Number(text) <= most;
}

function two(text: string): string {
  return text.padStart(2, '0');
}

function listWords(items: readonly string[]): string {
  const last = items.at(-1) ?? '';
  return items.length < 2 ? last : `${items.slice(0, -1).join(', ')} and ${last}`;
}
