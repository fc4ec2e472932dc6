import type { ChannelFacts } from '../../../conversation/health/channel-facts.ts';
import type { ModelFacts, StatusFacts } from '../../../daemon/local-socket/status-facts.ts';
import type { Language } from '../../../lib/words.ts';
import { askDaemon } from '../../ask-daemon.ts';
import { columns } from '../../columns.ts';
import { UnansweredError } from '../../unanswered-error.ts';
import { type CommandContext, exitCodes } from '../command.ts';
import { costWords, instantWords, seeWords, sizeWords } from './words.ts';

/** `status`: how the running process is; exit code 3 if there is none. */
export async function status(context: CommandContext): Promise<number> {
  const { asJson, print, language } = context;
  try {
    const facts = await askDaemon<StatusFacts>(context, {
      request: 'status',
      fields: ['version', 'channels', 'model', 'waiting', 'disk', 'today'],
    });
    print(asJson ? JSON.stringify({ running: true, ...facts }, undefined, 2) : statusText(facts, Date.now(), language));
    return exitCodes.done;
  } catch (error) {
    if (!asJson || !(error instanceof UnansweredError)) throw error;
    print(JSON.stringify({ running: !error.isNotRunning, problem: error.saidIn(language) }, undefined, 2));
    return error.exitCode;
  }
}

/** For a person. */
export function statusText(facts: StatusFacts, now: number, language: Language): string {
  const say = seeWords[language];
  const { version, pid, upSince, model, channels, waiting, grants, today, disk } = facts;
  const { free, database } = disk;
  const { tokens, cost, currency } = today;
  const rows = [
    [say.labels.model, modelWords(model, now, language)],
    ...channels.map((channel) => [channel.name, channelWords(channel, now, language)]),
    [say.labels.waits, say.waiting(waiting) || say.nothingWaits],
    [say.labels.permissions, say.grants({ count: grants })],
    [say.labels.today, say.spent({ tokens, cost: cost === 0 ? undefined : costWords(cost, currency) })],
    [say.labels.disk, say.disk({ free: sizeWords(free), database: sizeWords(database) })],
    [say.labels.data, facts.dataFolder],
    ...facts.troubles.map((trouble) => [say.labels.warning, trouble]),
    ...(facts.isUnclaimed ? [[say.labels.warning, say.unclaimed]] : []),
  ];
  return [say.runs({ version, pid, duration: now - upSince }), ...columns(rows)].join('\n');
}

function modelWords({ name, answeredAt, fault }: ModelFacts, now: number, language: Language): string {
  const say = seeWords[language];
  if (fault !== undefined)
    return say.modelFault({ name, since: instantWords(fault.since, now, language), text: fault.text });
  return say.model({ name, at: answeredAt === undefined ? undefined : instantWords(answeredAt, now, language) });
}

function channelWords(channel: ChannelFacts, now: number, language: Language): string {
  const { status: state, since, heardAt, reason, retryAt } = channel;
  const say = seeWords[language];
  if (state === 'connected') return say.channelConnected({ heardAt: instantWords(heardAt, now, language) });
  return say.channelDown({
    status: state,
    since: instantWords(since, now, language),
    reason,
    retryAt: retryAt === undefined ? undefined : instantWords(retryAt, now, language),
  });
}
