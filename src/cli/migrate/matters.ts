import { type Conversation, partsOf, principalOf } from '../../contract.ts';
import type { FormerMemory, FormerSchedule } from '../../feature-points.ts';
import { readCron } from '../../lib/cron-slots.ts';
import { oneLine } from '../../lib/plain-text.ts';
import { machineTimeZone, zonedWords } from '../../lib/time-words.ts';
import { readTimeZone } from '../../lib/time-zone-names.ts';
import type { Findings, Former, FoundSchedule, Left, When } from './findings.ts';
import { migrateWords } from './words.ts';

/** Whose memories and tasks they become, and when. */
export interface Owned {
  readonly former: Former;
  /** Undefined if nobody can tell. */
  readonly person: string | undefined;
  /** All accounts of the person. */
  readonly accounts: readonly string[];
  readonly now: number;
}

/** What goes into the data. */
export interface Matters {
  readonly memories: readonly (FormerMemory & { readonly file: string })[];
  readonly schedules: readonly (FormerSchedule & { readonly file: string })[];
  readonly left: readonly Left[];
}

export async function mattersOf(findings: Findings, owned: Owned): Promise<Matters> {
  const { former, person: principal, accounts } = owned;
  const taken = principal === undefined ? [] : findings.memories.map((one) => ({ ...one, principal }));
  const memories = taken.map(({ text, tags, file, principal: of }) => ({
    file,
    principal: of,
    accounts,
    text,
    tags: tags.map((tag) => oneLine(tag, 40)).slice(0, 8),
    untrusted: [sourceOf(former, file)],
  }));
  const planned = await Promise.all(findings.schedules.map((one) => plannedOf(one, findings, owned)));
  return {
    memories: [...new Map(memories.map((one) => [one.text, one])).values()],
    schedules: planned.flatMap((one) => ('why' in one ? [] : [one])),
    left: [
      ...(principal === undefined ? unowned(findings) : []),
      ...planned.flatMap((one) => ('why' in one ? [one] : [])),
    ],
  };
}

function unowned({ memories }: Findings): readonly Left[] {
  return [...Map.groupBy(memories, ({ file }) => file)].map(([file, own]) => ({
    what: `${file}: ${own.length}`,
    file,
    why: (language) => migrateWords[language].whose,
  }));
}

/** As taint names what was read. */
function sourceOf({ title }: Former, file: string): string {
  return `${title}: ${oneLine(file, 100)}`;
}

async function plannedOf(
  found: FoundSchedule,
  { timeZone: usual, channels }: Findings,
  owned: Owned,
): Promise<Matters['schedules'][number] | Left> {
  const { file, title, text, when } = found;
  const leave = (why: Left['why']): Left => ({ what: oneLine(title, 80), file, why });
  const wanted = (when.type === 'cron' ? when.timeZone : undefined) ?? usual ?? machineTimeZone();
  const zone = readTimeZone(wanted);
  if (zone.type !== 'zone') return leave((language) => migrateWords[language].jobZone({ zone: wanted }));
  const { timeZone } = zone;
  const due = await dueOf(when, timeZone, owned.now);
  if ('why' in due) return leave(due.why);
  const known = channels.flatMap(({ channel, people, owners, groups }) =>
    [...people, ...owners, ...Object.keys(groups)].map((id) => principalOf(channel, id)),
  );
  const place = placeOf(found.chat, owned, new Set(known));
  if (place === undefined) return leave((language) => migrateWords[language].jobChat);
  return {
    ...place,
    ...due,
    file,
    text,
    timeZone,
    name: partsOf(place.principal).senderId,
    title: oneLine(title, 80),
    untrusted: [sourceOf(owned.former, file)],
  };
}

type Due = { readonly cron?: string; readonly nextAt: number } | Pick<Left, 'why'>;

async function dueOf(when: When, timeZone: string, now: number): Promise<Due> {
  if (when.type === 'once')
    return when.at > now ? { nextAt: when.at } : { why: (language) => migrateWords[language].jobPast };
  const cron = when.type === 'cron' ? withoutSeconds(when.cron) : cronOf(when, timeZone);
  if (cron === undefined) return { why: (language) => migrateWords[language].jobUneven };
  const reading = await readCron(cron, timeZone);
  if (!reading.valid) return { why: (language) => migrateWords[language].jobCron({ fault: reading.fault }) };
  const nextAt = reading.slots.next(now);
  return nextAt === undefined ? { why: (language) => migrateWords[language].jobPast } : { cron, nextAt };
}

/** Some programs allow a first field for seconds. Zero says nothing. */
function withoutSeconds(cron: string): string {
  const fields = cron.trim().split(/\s+/);
  return (fields.length === 6 && fields[0] === '0' ? fields.slice(1) : fields).join(' ');
}

const minute = 60_000;

/** An interval as five fields; undefined if it does not divide an hour, a day or a week. */
function cronOf({ milliseconds, from }: When & { readonly type: 'every' }, timeZone: string): string | undefined {
  const minutes = milliseconds / minute;
  if (!Number.isInteger(minutes) || minutes < 1) return undefined;
  const [, hourAt = '0', minuteAt = '0'] =
    from === undefined ? [] : (/T?(\d\d):(\d\d)/.exec(clockAt(from, timeZone)) ?? []);
  const [hour, past] = [Number(hourAt), Number(minuteAt)];
  if (minutes < 60) return 60 % minutes === 0 ? `${minutes === 1 ? '*' : `*/${minutes}`} * * * *` : undefined;
  const hours = minutes / 60;
  if (!Number.isInteger(hours)) return undefined;
  if (hours < 24) return 24 % hours === 0 ? `${past} ${hours === 1 ? '*' : `*/${hours}`} * * *` : undefined;
  if (hours === 24) return `${past} ${hour} * * *`;
  return hours === 168 ? `${past} ${hour} * * ${weekdayAt(from, timeZone)}` : undefined;
}

function clockAt(at: number, timeZone: string): string {
  return new Date(at).toLocaleTimeString('en-GB', { timeZone, hour: '2-digit', minute: '2-digit' });
}

function weekdayAt(at: number | undefined, timeZone: string): string {
  const name = at === undefined ? 'Mon' : new Date(at).toLocaleDateString('en-US', { timeZone, weekday: 'short' });
  return name.toUpperCase();
}

/**
 * Where a task speaks. On Telegram, a direct chat has the id of its person; elsewhere the ids of chats say too little. A person who
 * may not talk gets no tasks, nor does a group that is not taken: they would end when they are due. `known`: both, as principals.
 */
function placeOf(
  chat: FoundSchedule['chat'],
  { person, accounts }: Owned,
  known: ReadonlySet<string>,
): Pick<FormerSchedule, 'principal' | 'accounts' | 'conversation'> | undefined {
  const { channel, senderId } = partsOf(person ?? '');
  if (chat === undefined) {
    const isReachable = channel === 'telegram' || channel === 'terminal';
    return isReachable && person !== undefined
      ? { principal: person, accounts, conversation: direct(channel, senderId) }
      : undefined;
  }
  if (chat.channel !== 'telegram') return undefined;
  const principal = principalOf('telegram', chat.id);
  if (principal === person) return { principal, accounts, conversation: direct('telegram', chat.id) };
  if (/^\d+$/.test(chat.id))
    return known.has(principal)
      ? { principal, accounts: [principal], conversation: direct('telegram', chat.id) }
      : undefined;
  if (!known.has(principal) || channel !== 'telegram' || person === undefined) return undefined;
  return { principal: person, accounts, conversation: { channel: 'telegram', chatId: chat.id, kind: 'group' } };
}

function direct(channel: string, chatId: string): Conversation {
  return { channel, chatId, kind: 'direct' };
}

/** When it is due, for people. */
export function whenOf({ cron, nextAt, timeZone }: FormerSchedule): string {
  return cron === undefined ? zonedWords(nextAt, timeZone) : `${cron} (${timeZone})`;
}
