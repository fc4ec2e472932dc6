import { readlinkSync } from 'node:fs';
import type { StatusFacts } from '../../../daemon/local-socket/status-facts.ts';
import { askDaemon } from '../../ask-daemon.ts';
import { UnansweredError } from '../../unanswered-error.ts';
import { type CommandContext, exitCodes } from '../command.ts';
import { countOption } from './count-option.ts';
import { followLog } from './follow-log.ts';
import { openLog } from './log-file.ts';
import { seeWords } from './words.ts';

/** The numbers that the log has for its levels. */
const levels: Readonly<Record<string, number>> = { debug: 20, info: 30, warn: 40, error: 50 };

/**
 * `logs`: the end of the log of the process that runs, if that goes to a file; else where it goes. The log has neither secrets
 * nor the text of messages.
 */
export async function logs(context: CommandContext): Promise<number> {
  const { print, complain, option, isOn, language } = context;
  const count = countOption('lines', { usual: 50, most: 100_000 }, context);
  const least = levelOf(option('level'));
  const { pid } = await askDaemon<StatusFacts>(context, { request: 'status', fields: ['pid'] });
  if (isOn('follow')) return followLog(context, { pid, count, least });
  const file = openLog(pid);
  if (file === undefined) {
    complain(seeWords[language].logsElsewhere({ pid, target: targetOf(pid) }));
    return exitCodes.failed;
  }
  const lines = file.end(least, count);
  file.close();
  if (lines.length > 0) print(lines.join('\n'));
  return exitCodes.done;
}

function levelOf(name: string | undefined): number {
  const level = name === undefined ? 0 : Object.hasOwn(levels, name) ? levels[name] : undefined;
  if (level !== undefined) return level;
  throw new UnansweredError(exitCodes.misused, (language) =>
    seeWords[language].wrongLevel({ written: name ?? '', levels: Object.keys(levels) }),
  );
}

/** Where the process writes its errors. Undefined where the system does not tell. */
function targetOf(pid: number): string | undefined {
  try {
    return readlinkSync(`/proc/${pid}/fd/2`);
  } catch {
    // Not on this system, or of another user.
    return undefined;
  }
}
