/* The text of the report: what is known of this Keyturn, part by part. A part that cannot be read says so, and the others are there. */

import { existsSync, readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { homedir, hostname, release, userInfo } from 'node:os';
import { dirname, join } from 'node:path';
import { findDataFolder } from '../../../config/data-folder.ts';
import { parseSource } from '../../../config/source.ts';
import type { StatusFacts } from '../../../daemon/local-socket/status-facts.ts';
import { systemClock } from '../../../lib/clock.ts';
import { isJsonObject, type JsonObject, parseJson } from '../../../lib/json.ts';
import { ownFolder } from '../../../lib/own-version.ts';
import { type ListedRun, newestRuns } from '../../../store/run-story.ts';
import { schemaNumberOf, tableCounts } from '../../../store/table-counts.ts';
import { findShell } from '../../../tools/guard/process/command-shell.ts';
import { askDaemon } from '../../ask-daemon.ts';
import { runChecks } from '../../doctor/check.ts';
import { type Examined, examined } from '../../doctor/examined.ts';
import { checks } from '../../doctor/index.ts';
import { examineInstallation } from '../../doctor.ts';
import { knownSecrets, readData } from '../../read-data.ts';
import type { CommandContext } from '../command.ts';
import { openLog } from '../see/log-file.ts';
import { channelWords, safeLog } from './log-lines.ts';
import { readOwnWords } from './own-words.ts';
import { type SafeConfig, safeConfig } from './safe-config.ts';
import { createScrubber, type Scrubber } from './scrub.ts';
import { reportSections as say } from './words.ts';

/** What all parts are made from. */
interface Parts {
  readonly context: CommandContext;
  readonly found: Examined;
  readonly scrubber: Scrubber;
  readonly safe: SafeConfig | undefined;
}

/** The report as Markdown, with so many lines of the log. */
export async function reportText(context: CommandContext, lines: number): Promise<string> {
  const found = await examined(context);
  const schema = configSchema();
  const safe = await configOf(context, schema);
  const scrubber = await scrubberOf(context, schema, safe);
  const parts: Parts = { context, found, scrubber, safe };
  const status = await statusOf(context);
  const sections = await Promise.all([
    section(say.versions, () => versions(parts), scrubber),
    section(say.config, async () => configLines(parts), scrubber),
    section(say.checks, () => checkLines(parts), scrubber),
    section(say.process, async () => processLines(status, scrubber), scrubber),
    section(say.database, () => databaseLines(parts), scrubber),
    section(say.runs, () => runLines(parts), scrubber),
    section(say.log, async () => logLines(status, lines, scrubber), scrubber),
  ]);
  return [`# ${say.title}`, '', say.note, '', ...sections.flat()].join('\n');
}

async function section(
  title: string,
  read: () => Promise<readonly string[]>,
  scrubber: Scrubber,
): Promise<readonly string[]> {
  try {
    return [`## ${title}`, '', ...(await read()), ''];
  } catch (error) {
    const why = error instanceof Error ? error.name : 'error';
    return [`## ${title}`, '', say.failed({ why: scrubber.text(why) }), ''];
  }
}

function configSchema(): JsonObject {
  const schema = parseJson(readFileSync(join(ownFolder(), 'config.schema.json'), 'utf8'));
  return isJsonObject(schema) ? schema : {};
}

/** Undefined if there is none, or none that is JSON. */
async function configOf({ place }: CommandContext, schema: JsonObject): Promise<SafeConfig | undefined> {
  const { path } = await findDataFolder(place);
  try {
    const text = await readFile(path, 'utf8');
    return safeConfig(parseSource('config', text).value, schema);
  } catch {
    // Why it cannot be read is found by the checks.
    return undefined;
  }
}

async function scrubberOf(
  context: CommandContext,
  schema: JsonObject,
  safe: SafeConfig | undefined,
): Promise<Scrubber> {
  const { path, dataFolder } = await findDataFolder(context.place);
  const home = homedir();
  return createScrubber({
    redact: await knownSecrets(context),
    folders: [
      [ownFolder().replace(/\/$/, ''), '<keyturn>'],
      [dataFolder, '<data>'],
      [dirname(path), '<config>'],
      [context.place.home, '<config>'],
      ...(home === '/' ? [] : [[home, '~'] as const]),
    ],
    own: readOwnWords(schema),
    names: [hostname(), ...userName(), ...(safe?.names ?? [])],
  });
}

function userName(): readonly string[] {
  try {
    const { username } = userInfo();
    return username === 'root' || username === 'keyturn' ? [] : [username];
  } catch {
    // In a container, the user id may have no name.
    return [];
  }
}

async function versions({ context, found, scrubber }: Parts): Promise<readonly string[]> {
  const { env, versions: all, platform, arch } = context.program.process;
  const { parts } = await examineInstallation({
    now: systemClock.now(),
    versions: all,
    shell: await findShell(env.PATH),
    place: found.options,
  });
  const own = [
    ['System', `${platform} ${release()} ${arch}`],
    ['Installed', import.meta.url.endsWith('.ts') ? 'sources' : 'package'],
  ];
  const rows = parts.map(({ name, version = '-' }) => [name, version]);
  return [...rows, ...own].map(([name = '', version = '']) => {
    const isNumber = programs.has(name) && versionNumber.test(version);
    return `- ${name}: ${isNumber ? version : scrubber.text(version)}`;
  });
}

/** Those that say their version themselves. With three points, it looks as an address of a network does. */
const programs: ReadonlySet<string> = new Set(['Keyturn', 'Node', 'OpenSSL', 'SQLite', 'bubblewrap', 'socat']);
const versionNumber = /^\d+(?:\.\d+){1,4}(?:[+-][a-z]+)?$/;

function configLines({ safe, found }: Parts): readonly string[] {
  if (safe === undefined) return [found.context.loaded?.source === 'defaults' ? say.noConfig : say.noJson];
  return fenced(JSON.stringify(safe.config, undefined, 2));
}

async function checkLines({ found, scrubber }: Parts): Promise<readonly string[]> {
  const reports = await runChecks(checks, found.context, 'en');
  return reports.flatMap(({ name, ok, problems }) =>
    ok
      ? [`- ${name}: ok`]
      : problems.map(({ fault, what }) => `- ${name}: ${fault ? 'fault' : 'doubt'}: ${scrubber.text(what)}`),
  );
}

async function statusOf(context: CommandContext): Promise<StatusFacts | undefined> {
  try {
    return await askDaemon<StatusFacts>(context, { request: 'status', fields: ['pid', 'channels', 'waiting'] });
  } catch {
    // It does not run, or does not answer, which is found by the checks.
    return undefined;
  }
}

function processLines(status: StatusFacts | undefined, scrubber: Scrubber): readonly string[] {
  if (status === undefined) return [say.notRunning];
  const { version, upSince, channels, waiting, isWorking, troubles, model, disk, today } = status;
  const told = {
    version,
    up_secs: Math.round((systemClock.now() - upSince) / 1000),
    working: isWorking,
    channels: Object.fromEntries(channels.map(({ name, status: state }) => [channelWords(name, scrubber), state])),
    model_fails: model.fault !== undefined,
    waiting,
    troubles: troubles.length,
    disk,
    tokens_today: today.tokens,
  };
  return fenced(JSON.stringify(told, undefined, 2));
}

async function databaseLines({ context, found }: Parts): Promise<readonly string[]> {
  if (!hasDatabase(found)) return [say.noDatabase];
  const { schema, counts } = await readData(context, async (sql) => ({
    schema: await schemaNumberOf(sql),
    counts: await tableCounts(sql),
  }));
  const tables = counts.filter(({ rows }) => rows > 0).map(({ table, rows }) => `- ${table}: ${rows}`);
  return [`- schema ${schema}`, ...tables];
}

const mostRuns = 200;

function hasDatabase({ context }: Examined): boolean {
  return existsSync(join(context.dataFolder, 'keyturn.db'));
}

async function runLines({ context, found }: Parts): Promise<readonly string[]> {
  if (!hasDatabase(found)) return [say.noDatabase];
  const runs = await readData(context, (sql) => newestRuns(sql, mostRuns));
  const ends = new Map<string, number>();
  for (const run of runs) ends.set(endingOf(run), (ends.get(endingOf(run)) ?? 0) + 1);
  const sum = (of: (run: ListedRun) => number): number => runs.reduce((total, run) => total + of(run), 0);
  const told: JsonObject = {
    runs: runs.length,
    ends: Object.fromEntries(ends),
    answers: sum(({ turns }) => turns),
    calls: sum(({ calls }) => calls),
    tokens: sum(({ tokens }) => tokens),
  };
  return fenced(JSON.stringify(told, undefined, 2));
}

function endingOf({ closing, isOpen }: ListedRun): string {
  return isOpen ? 'open' : (closing ?? 'answered');
}

function logLines(status: StatusFacts | undefined, most: number, scrubber: Scrubber): readonly string[] {
  const file = status && openLog(status.pid);
  if (file === undefined) return [say.noLog];
  const { lines, leftOut } = safeLog(file.end(0, Number.POSITIVE_INFINITY), most, scrubber);
  file.close();
  const note = leftOut === 0 ? [] : [say.notJson({ count: leftOut }), ''];
  return [...note, ...fenced(lines.map((line) => JSON.stringify(line)).join('\n'))];
}

function fenced(text: string): readonly string[] {
  return ['```', text, '```'];
}
