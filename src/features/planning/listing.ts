import type { Listed, ListedRow, ListingAsked } from '../../feature-points.ts';
import { oneLine, unmarked } from '../../lib/plain-text.ts';
import type { Language } from '../../lib/words.ts';
import { whenWords } from './planned-time.ts';
import type { KeptSchedule, ScheduleStore } from './tables.ts';
import { planningWords } from './words.ts';

const rowsAtOnce = 100;

/** A person's own tasks and reminders, the next first. */
export async function listSchedules(
  { accounts, language, search, after }: ListingAsked,
  schedules: Pick<ScheduleStore, 'ofPerson' | 'lastAt'>,
): Promise<Listed> {
  const sought = search.trim().toLowerCase();
  const all = (await schedules.ofPerson(accounts)).filter(({ title = '', text }) =>
    `${title}\n${text}`.toLowerCase().includes(sought),
  );
  const begin = Math.max(0, Math.trunc(Number(after ?? 0)) || 0);
  const end = begin + rowsAtOnce;
  const shown = all.slice(begin, end);
  const lastAt = await schedules.lastAt(shown.map(({ id }) => id));
  const rows = shown.map((one) =>
    rowOf(one, { when: unmarked(whenWords(one, language)), lastAt: lastAt.get(one.id), language }),
  );
  return { rows, next: end < all.length ? String(end) : undefined };
}

interface RowFacts {
  readonly when: string;
  readonly lastAt: number | undefined;
  readonly language: Language;
}

function rowOf(schedule: KeptSchedule, { when, lastAt, language }: RowFacts): ListedRow {
  const { id, type, title, text, cron, nextAt, createdAt, conversationId } = schedule;
  const words = planningWords[language].listed;
  const [channel = ''] = conversationId.split(':', 1);
  const line = oneLine(title ?? text.split('\n', 1)[0] ?? '', 100);
  return {
    id,
    title: line,
    text: line === text ? undefined : text,
    notes: [`${words[type]}, ${words.planned({ channel })}`, when],
    instants: [
      { label: words.next, at: nextAt },
      ...(lastAt === undefined ? [] : [{ label: words.last, at: lastAt }]),
      { label: words.made, at: createdAt },
    ],
    acts: [
      { label: words.runNow, style: 'plain', line: `schedules run ${id}` },
      { label: words.editText, style: 'plain', line: `schedules edit ${id}`, text: { now: text, isLong: true } },
      {
        label: words.editTime,
        style: 'plain',
        line: `schedules time ${id}`,
        text: { now: cron ?? localTime(schedule), isLong: false },
      },
      {
        label: words.cancel,
        style: 'danger',
        line: `schedules cancel ${id}`,
        question: words.askCancel({ what: line }),
      },
    ],
  };
}

/** As it can be typed: `2026-03-30T09:00`, in its own time zone. */
function localTime({ nextAt, timeZone }: KeptSchedule): string {
  const zoned = new Date(nextAt).toLocaleString('sv-SE', { timeZone, dateStyle: 'short', timeStyle: 'short' });
  return zoned.replace(' ', 'T');
}
