/*
 * `logs --follow`: what the process writes to its log, as it comes, and what its next processes write. A file is read as it grows, by
 * whatever name, also after it was emptied. Where the log goes to no file, the process tells its lines over the socket.
 */

import { findDataFolder } from '../../../config/data-folder.ts';
import type { StatusFacts } from '../../../daemon/local-socket/status-facts.ts';
import { sleep, systemClock } from '../../../lib/clock.ts';
import { isJsonObject, parseJson } from '../../../lib/json.ts';
import { askDaemon } from '../../ask-daemon.ts';
import { openStreamLink, type StreamLink } from '../../stream-link.ts';
import { UnansweredError } from '../../unanswered-error.ts';
import { type CommandContext, exitCodes } from '../command.ts';
import { isAtLeast, type LogFile, openLog } from './log-file.ts';
import { seeWords } from './words.ts';

interface Followed {
  readonly pid: number;
  /** How many lines are printed first. */
  readonly count: number;
  /** The least level. */
  readonly least: number;
}

/** How often a file is looked at, in ms. */
const pause = 250;
/** So many looks at a file until the process is looked for. */
const looks = 4;

/** Resolves with the exit code once the person has seen enough. */
export async function followLog(context: CommandContext, followed: Followed): Promise<number> {
  const ended = new AbortController();
  const { process } = context.program;
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => ended.abort());
  const file = openLog(followed.pid);
  return file === undefined
    ? followStream(context, followed, ended.signal)
    : followFile(file, followed, { context, ended: ended.signal });
}

interface Following {
  readonly context: CommandContext;
  readonly ended: AbortSignal;
}

async function followFile(first: LogFile, { pid, count, least }: Followed, following: Following): Promise<number> {
  const { context, ended } = following;
  let [file, writer]: [LogFile, number | undefined] = [first, pid];
  printAll(file.end(least, count), context);
  for (let look = 1; !ended.aborted; look += 1) {
    await sleep(systemClock, pause, ended);
    printAll(file.more(least), context);
    if (look % looks !== 0 || (writer !== undefined && file.isOf(writer))) continue;
    const before = writer;
    writer = await runningProcess(context);
    if (writer === undefined && before !== undefined) context.complain(seeWords[context.language].logWaits);
    if (writer === undefined || file.isOf(writer)) continue;
    const next = openLog(writer);
    // What was written until the change.
    printAll(file.more(least), context);
    file.close();
    if (next === undefined) return followStream(context, { pid: writer, count, least }, ended);
    file = next;
  }
  file.close();
  return exitCodes.done;
}

/** Undefined while none runs, or it cannot be asked just now. */
async function runningProcess(context: CommandContext): Promise<number | undefined> {
  try {
    return (await askDaemon<StatusFacts>(context, { request: 'status', fields: ['pid'] })).pid;
  } catch (error) {
    if (error instanceof UnansweredError) return undefined;
    throw error;
  }
}

async function followStream(context: CommandContext, { least }: Followed, ended: AbortSignal): Promise<number> {
  const { place, language, complain } = context;
  const code = Promise.withResolvers<number>();
  ended.addEventListener('abort', () => code.resolve(exitCodes.done), { once: true });
  const link: StreamLink = await openStreamLink({
    folder: (await findDataFolder(place)).dataFolder,
    language,
    opening: { request: 'log', params: {} },
    opened() {},
    heard(line) {
      const told = parseJson(line);
      const text = isJsonObject(told) && typeof told.line === 'string' ? told.line.trimEnd() : '';
      if (text !== '' && isAtLeast(text, least)) printAll([text], context);
    },
    lost: () => complain(seeWords[language].logWaits),
    refused(error) {
      complain(error.saidIn(language));
      code.resolve(error.exitCode);
    },
  });
  complain(seeWords[language].logFollowed);
  if (ended.aborted) code.resolve(exitCodes.done);
  const exitCode = await code.promise;
  link.close();
  return exitCode;
}

function printAll(lines: readonly string[], { print }: CommandContext): void {
  if (lines.length > 0) print(lines.join('\n'));
}
