import { existsSync } from 'node:fs';
import { readFile, rm } from 'node:fs/promises';
import { messageOf } from '../../../lib/plain-text.ts';
import { replaceWhole } from '../../../lib/replace-whole.ts';
import { columns } from '../../columns.ts';
import { confirmed } from '../../confirmed.ts';
import { UnansweredError } from '../../unanswered-error.ts';
import { type CommandContext, exitCodes } from '../command.ts';
import { managerHere } from './manager-here.ts';
import { changedLines, type ServiceManager, type ServiceState } from './service-manager.ts';
import { placeOfVariables, refusal, type ServiceOrder, serviceOrder, variablesOfTerminal } from './service-order.ts';
import { serviceWords } from './words.ts';

/** `service install`. */
export async function installService(context: CommandContext): Promise<number> {
  const { asJson, isOn, print, complain, language } = context;
  const say = serviceWords[language];
  const order = await serviceOrder(context);
  const manager = managerHere(context.program.process, { allowsRoot: context.isOn('as-root') });
  const { file, logs } = manager;
  const text = manager.describe(order);
  if (isOn('print')) {
    print(asJson ? JSON.stringify({ manager: manager.name, file, text }, undefined, 2) : text.trimEnd());
    return exitCodes.done;
  }
  const problem = manager.problem();
  if (problem !== undefined) throw refusal(problem);
  const before = await textOf(file);
  if (before !== undefined && before !== text && !(await mayReplace(before, text, { manager, context })))
    return exitCodes.failed;
  await refuseBesideAnother(order, manager);
  if (before !== text) await writeUnit(manager, { before, text });
  const isRunning = before === text && manager.state().isActive && manager.state().isEnabled;
  const fault = isRunning ? undefined : manager.start();
  if (fault !== undefined) throw refusal(() => say.notStarted({ fault, command: logs }));
  const lacking = await variablesOfTerminal(order.config, context.program.process.env);
  const lingering = await linger(manager, context);
  if (asJson) {
    const written = before !== text;
    print(JSON.stringify({ manager: manager.name, file, written, log: logs, only_here: lacking }, undefined, 2));
    return exitCodes.done;
  }
  print(say.installed({ file }));
  print(say.where({ command: logs }));
  if (lingering !== undefined) print(lingering);
  if (lacking.length > 0) complain(say.ofTerminal({ names: lacking, file: placeOfVariables(order.config) }));
  return exitCodes.done;
}

/** Where no manager can be asked, and no file of ours is. */
const notThere: ServiceState = {
  isEnabled: false,
  isActive: false,
  condition: 'not installed',
  pid: undefined,
  since: undefined,
  lastExit: undefined,
  restarts: undefined,
};

/** `service status`. */
export async function serviceStatus(context: CommandContext): Promise<number> {
  const { asJson, print, language } = context;
  const manager = managerHere(context.program.process, { allowsRoot: context.isOn('as-root') });
  const { file, logs } = manager;
  const text = await textOf(file);
  const isInstalled = text !== undefined;
  if (!isInstalled && !asJson) {
    print(serviceWords[language].notInstalled({ file }));
    return exitCodes.notRunning;
  }
  const problem = manager.problem();
  if (problem !== undefined && isInstalled) throw refusal(problem);
  const state = problem === undefined ? manager.state() : notThere;
  const gone = manager.pathsIn(text ?? '').find((path) => !existsSync(path));
  const isCurrent = isInstalled && (await isAsWritten(text, manager, context));
  if (asJson)
    print(
      JSON.stringify(
        {
          manager: manager.name,
          file,
          installed: isInstalled,
          ...jsonOf(state),
          current: isCurrent,
          gone: gone ?? null,
          log: logs,
        },
        undefined,
        2,
      ),
    );
  else print(statusText(state, { manager, gone, isCurrent, context }));
  return state.isActive ? exitCodes.done : exitCodes.notRunning;
}

/** `service remove`. */
export async function removeService(context: CommandContext): Promise<number> {
  const { asJson, print, language } = context;
  const say = serviceWords[language];
  const manager = managerHere(context.program.process, { allowsRoot: context.isOn('as-root') });
  const { file } = manager;
  const isThere = existsSync(file);
  if (isThere) {
    const problem = manager.problem();
    if (problem !== undefined) throw refusal(problem);
    const fault = manager.stop();
    if (fault !== undefined && manager.state().isActive) throw refusal(() => say.notRemoved({ fault }));
    await rm(file, { force: true });
    manager.forget();
  }
  if (asJson) print(JSON.stringify({ manager: manager.name, file, removed: isThere }, undefined, 2));
  else print(isThere ? say.removed({ file }) : say.notInstalled({ file }));
  return exitCodes.done;
}

interface Replacing {
  readonly manager: ServiceManager;
  readonly context: CommandContext;
}

/** Shows what would change, whoever is asked. */
async function mayReplace(before: string, text: string, { manager, context }: Replacing): Promise<boolean> {
  const { isOn, complain, language } = context;
  const say = serviceWords[language];
  complain([say.differs({ file: manager.file }), ...changedLines(before, text)].join('\n'));
  if (isOn('force') || (await confirmed(say.replaceIt, context))) return true;
  complain(say.addForce);
  return false;
}

/** The service could not open the data, and would try again and again. */
async function refuseBesideAnother({ dataFolder }: ServiceOrder, manager: ServiceManager): Promise<void> {
  if (manager.state().isActive || !existsSync(dataFolder)) return;
  const { isDataLocked } = await import('../../../store/examine.ts');
  if (isDataLocked(dataFolder)) throw refusal((language) => serviceWords[language].outsideRuns({ folder: dataFolder }));
}

/** What to say of it. Undefined where a service always runs. */
async function linger({ linger: look }: ServiceManager, context: CommandContext): Promise<string | undefined> {
  const { isOn, language } = context;
  const say = serviceWords[language];
  if (look === undefined) return undefined;
  const state = look();
  if (state === undefined) return say.lingers;
  const { command, enable } = state;
  if (!isOn('linger') && !(await confirmed(say.lingerNow, context))) return say.lingerLater({ command });
  const fault = enable();
  return fault === undefined ? say.lingers : say.lingerFailed({ fault, command });
}

async function isAsWritten(text: string, manager: ServiceManager, context: CommandContext): Promise<boolean> {
  try {
    return manager.describe(await serviceOrder(context)) === text;
  } catch (error) {
    // Here it could not be installed: then it is not of this place.
    if (error instanceof UnansweredError) return false;
    throw error;
  }
}

interface Looked extends Replacing {
  readonly gone: string | undefined;
  readonly isCurrent: boolean;
}

function statusText(state: ServiceState, { manager, gone, isCurrent, context: { language } }: Looked): string {
  const say = serviceWords[language];
  const { labels } = say;
  const { condition, isEnabled, since, lastExit, restarts = 0 } = state;
  const rows = [
    [labels.service, manager.file],
    [labels.state, condition],
    [labels.starts, isEnabled ? say.startsItself : say.startsNot],
    [labels.since, since],
    [labels.lastExit, lastExit],
    [labels.restarts, restarts === 0 ? undefined : `${restarts}`],
    [labels.log, manager.logs],
    [labels.note, gone === undefined ? undefined : say.pathGone({ path: gone })],
    [labels.note, gone !== undefined || isCurrent ? undefined : say.isOutdated],
  ];
  return columns(rows.flatMap(([label = '', text]) => (text === undefined ? [] : [[label, text]]))).join('\n');
}

function jsonOf({ isEnabled, isActive, condition, pid, since, lastExit, restarts }: ServiceState) {
  return {
    enabled: isEnabled,
    active: isActive,
    condition,
    pid: pid ?? null,
    since: since ?? null,
    last_exit: lastExit ?? null,
    restarts: restarts ?? null,
  };
}

async function textOf(file: string): Promise<string | undefined> {
  return existsSync(file) ? readFile(file, 'utf8') : undefined;
}

interface Unit {
  /** Undefined: there was none. */
  readonly before: string | undefined;
  readonly text: string;
}

/** Rejects with `UnansweredError` if it is not as the person has seen it, or cannot be written. */
async function writeUnit({ file }: ServiceManager, { before, text }: Unit): Promise<void> {
  const unchangedFrom = { bytes: before === undefined ? undefined : Buffer.from(before) };
  try {
    const { type } = await replaceWhole(file, text, { newMode: 0o644, unchangedFrom });
    if (type === 'written') return;
  } catch (error) {
    const reason = messageOf(error);
    throw refusal((language) => serviceWords[language].notWritable({ file, reason }), error);
  }
  throw refusal((language) => serviceWords[language].changedMeanwhile({ file }));
}
