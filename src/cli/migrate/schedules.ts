import { isJsonObject, type JsonObject, type JsonValue } from '../../lib/json.ts';
import type { FoundSchedule, Left, When } from './findings.ts';
import { firstOf, type Gathering, numberOf, wordOf } from './gathering.ts';
import { migrateWords } from './words.ts';

/**
 * The jobs of a program as schedules: OpenClaw, ZeptoClaw, nanobot, Hermes and ZeroClaw write them much alike. What runs a
 * program instead of asking the model, is switched off, or has ended has no place, which `left` then says.
 */
export function schedulesOf(jobs: readonly JsonObject[], file: string, gathered: Gathering): readonly FoundSchedule[] {
  return jobs.flatMap((job) => {
    const text = wordOf(firstOf(firstOf(job, 'payload'), 'message', 'text') ?? firstOf(job, 'prompt'));
    const title = wordOf(firstOf(job, 'name', 'title', 'id')) ?? text?.slice(0, 40) ?? '';
    const leave = (why: Left['why']): readonly [] => leaveJob(gathered, { what: title, file, why });
    if (runsProgram(job, text)) return leave((language) => migrateWords[language].programJob);
    if (firstOf(job, 'enabled') === false || ['paused', 'completed'].includes(wordOf(firstOf(job, 'state')) ?? ''))
      return leave((language) => migrateWords[language].jobOff);
    if (hasLimit(job)) return leave((language) => migrateWords[language].jobLimit);
    const when = whenOf(firstOf(job, 'schedule'), job);
    if (text === undefined || when === undefined) return leave((language) => migrateWords[language].jobUnclear);
    return [{ file, title, text, when, chat: chatOf(job) }];
  });
}

function leaveJob(gathered: Gathering, left: Left): readonly [] {
  gathered.left.push(left);
  return [];
}

/** A command or a script, beside the model or without it. */
function runsProgram(job: JsonObject, text: string | undefined): boolean {
  const kind = wordOf(firstOf(firstOf(job, 'payload'), 'kind'));
  const isCommand = kind === 'command' || wordOf(firstOf(job, 'job_type')) === 'shell';
  const isBare = text === undefined && wordOf(firstOf(job, 'command')) !== undefined;
  return isCommand || isBare || wordOf(firstOf(job, 'script')) !== undefined || firstOf(job, 'no_agent') === true;
}

/** It ends after so many times. Once is no limit of something that is due once. */
function hasLimit(job: JsonObject): boolean {
  const times = numberOf(firstOf(firstOf(job, 'repeat'), 'times'));
  return times !== undefined && times > 1;
}

function whenOf(written: JsonValue | undefined, job: JsonObject): When | undefined {
  if (typeof written === 'string') return { type: 'cron', cron: written };
  const kind = wordOf(firstOf(written, 'kind'));
  if (kind === 'cron') {
    const cron = wordOf(firstOf(written, 'expr', 'expression', 'cron'));
    return cron === undefined
      ? undefined
      : { type: 'cron', cron, timeZone: wordOf(firstOf(written, 'tz', 'timezone')) };
  }
  if (kind === 'at' || kind === 'once') {
    const at = instantOf(firstOf(written, 'atMs', 'at_ms', 'at', 'run_at', 'runAt'));
    return at === undefined ? undefined : { type: 'once', at };
  }
  if (kind !== 'every' && kind !== 'interval') return undefined;
  const minutes = numberOf(firstOf(written, 'minutes'));
  const milliseconds = numberOf(firstOf(written, 'everyMs', 'every_ms')) ?? (minutes ?? 0) * 60_000;
  const state = firstOf(job, 'state');
  const next =
    (isJsonObject(state) ? firstOf(state, 'nextRunAtMs', 'next_run_at_ms') : undefined) ??
    firstOf(job, 'next_run_at', 'next_run');
  return { type: 'every', milliseconds, from: instantOf(next ?? firstOf(written, 'anchorMs')) };
}

/** Milliseconds since 1970, or a text as ISO 8601 writes it. */
function instantOf(value: JsonValue | undefined): number | undefined {
  const at = typeof value === 'string' ? Date.parse(value) : numberOf(value);
  return at === undefined || Number.isNaN(at) ? undefined : at;
}

/** Where its answers go. Programs say it in many ways; `last` and `origin` name no place. */
function chatOf(job: JsonObject): FoundSchedule['chat'] {
  const payload = firstOf(job, 'payload');
  const places = [firstOf(job, 'delivery'), payload, firstOf(job, 'origin')].filter((place) => isJsonObject(place));
  for (const place of places) {
    const channel = wordOf(firstOf(place, 'channel', 'platform', 'originChannel', 'origin_channel'));
    const id = wordOf(firstOf(place, 'to', 'chat_id', 'chatId', 'originChatId', 'origin_chat_id'));
    if (channel !== undefined && id !== undefined && channel !== 'last') return addressOf(channel, id);
  }
  const written =
    wordOf(firstOf(job, 'deliver')) ??
    wordOf(firstOf(payload, 'sessionKey', 'session_key')) ??
    wordOf(firstOf(job, 'sessionKey'));
  const [, channel, id] =
    /\b(telegram|slack|discord):(?:(?:direct|dm|group|user|channel):)*(-?\w+)/.exec(written ?? '') ?? [];
  return channel === undefined || id === undefined ? undefined : addressOf(channel, id);
}

function addressOf(channel: string, id: string): FoundSchedule['chat'] {
  const [alias = ''] = channel.split('.');
  return { channel: alias, id: id.replace(/^(?:telegram|tg|group|user|channel):/i, '').split(':')[0] ?? '' };
}
