import { closeSync, fstatSync, openSync, readlinkSync, readSync, statSync } from 'node:fs';
import type { StatusFacts } from '../../../daemon/local-socket/status-facts.ts';
import { isJsonObject, parseJson } from '../../../lib/json.ts';
import { askDaemon } from '../../ask-daemon.ts';
import { UnansweredError } from '../../unanswered-error.ts';
import { type CommandContext, exitCodes } from '../command.ts';
import { countOption } from './count-option.ts';
import { seeWords } from './words.ts';

/** The numbers that the log has for its levels. */
const levels: Readonly<Record<string, number>> = { debug: 20, info: 30, warn: 40, error: 50 };
/** The most that is read from the end of a log, in bytes. */
const mostRead = 8 * 2 ** 20;

/**
 * `logs`: the end of the log of the process that runs, if that goes to a file; else where it goes. The log has neither secrets
 * nor the text of messages.
 */
export async function logs(context: CommandContext): Promise<number> {
  const { print, complain, option, language } = context;
  const count = countOption('lines', { usual: 50, most: 100_000 }, context);
  const least = levelOf(option('level'));
  const { pid } = await askDaemon<StatusFacts>(context, { request: 'status', fields: ['pid'] });
  const target = targetOf(pid);
  const isFile = target !== undefined && statSync(target, { throwIfNoEntry: false })?.isFile() === true;
  if (!isFile) {
    complain(seeWords[language].logsElsewhere({ pid, target }));
    return exitCodes.failed;
  }
  const lines = endOf(target)
    .filter((line) => isAtLeast(line, least))
    .slice(-count);
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

/** The last lines of a file, whole ones. */
function endOf(path: string): readonly string[] {
  const file = openSync(path, 'r');
  try {
    const { size } = fstatSync(file);
    const from = Math.max(0, size - mostRead);
    const bytes = Buffer.alloc(size - from);
    const read = readSync(file, bytes, 0, bytes.length, from);
    const lines = bytes.toString('utf8', 0, read).split('\n');
    return lines.slice(from === 0 ? 0 : 1).filter((line) => line !== '');
  } finally {
    closeSync(file);
  }
}

/** Lines that are no JSON, such as the first ones, have no level. */
function isAtLeast(line: string, least: number): boolean {
  if (least === 0) return true;
  const entry = parseJson(line);
  return isJsonObject(entry) && typeof entry.level === 'number' && entry.level >= least;
}
