import { existsSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { loadFeatures } from '../../../daemon/command-menu.ts';
import { systemClock } from '../../../lib/clock.ts';
import { ownCommand } from '../../../lib/own-command.ts';
import { carryOut } from '../../migrate/carry-out.ts';
import { isAccount } from '../../migrate/channels.ts';
import type { Former, Left } from '../../migrate/findings.ts';
import { formers } from '../../migrate/formers/index.ts';
import { intakeOf, type Plan, planOf } from '../../migrate/plan.ts';
import { jsonReportOf, reportOf } from '../../migrate/report.ts';
import { migrateWords } from '../../migrate/words.ts';
import { loadOptionsOf } from '../../place.ts';
import { type CommandContext, exitCodes } from '../command.ts';

/** `migrate [PROGRAM] [--from FOLDER] [--person ID] [--yes]`. */
export async function migrate(context: CommandContext): Promise<number> {
  const { operands, complain, language, option } = context;
  const say = migrateWords[language];
  const [name] = operands;
  if (name === undefined) return list(context);
  const former = formers.find((one) => one.name === name.toLowerCase());
  if (former === undefined) {
    complain(say.unknownProgram({ name, names: formers.map((one) => one.name) }));
    return exitCodes.misused;
  }
  const person = option('person');
  if (person !== undefined && !isAccount(person)) {
    complain(say.noPerson({ name: person }));
    return exitCodes.misused;
  }
  const folder = folderOf(former, context);
  if (!isThere(former, folder)) {
    complain(say.notThere({ title: former.title, folder }));
    return exitCodes.failed;
  }
  return takeOver(former, folder, context);
}

/** Which programs are on this machine. */
function list(context: CommandContext): number {
  const { print, asJson, language } = context;
  const say = migrateWords[language];
  const found = formers.flatMap((former) => {
    const folder = folderOf(former, context);
    return isThere(former, folder) ? [{ former, folder }] : [];
  });
  if (asJson) {
    const programs = found.map(({ former: { name: program }, folder }) => ({ program, folder }));
    print(JSON.stringify({ programs }, undefined, 2));
  } else if (found.length === 0) print(say.nothingFound);
  for (const { former, folder } of asJson ? [] : found)
    print(say.foundHere({ title: former.title, folder, command: `${ownCommand()} migrate ${former.name}` }));
  return exitCodes.done;
}

/** The folder that is named, else that of its variable, else the first of its usual ones that is there. */
function folderOf({ folders, variable, marks }: Former, context: CommandContext): string {
  const { program, place, option } = context;
  const named = option('from') ?? (variable === undefined ? undefined : place.env[variable]);
  if (named !== undefined && named !== '') return resolve(program.process.cwd(), named);
  const usual = folders.map((folder) => join(homedir(), folder));
  const there = usual.find((folder) => marks.some((mark) => existsSync(join(folder, mark))));
  return there ?? usual[0] ?? homedir();
}

function isThere({ marks }: Former, folder: string): boolean {
  const isFolder = statSync(folder, { throwIfNoEntry: false })?.isDirectory() === true;
  return isFolder && marks.some((mark) => existsSync(join(folder, mark)));
}

async function takeOver(former: Former, folder: string, context: CommandContext): Promise<number> {
  const { place, program, language, option, isOn, complain } = context;
  const now = systemClock.now();
  const [options, features] = [await loadOptionsOf(place, program), await loadFeatures()];
  const findings = await former.read({ folder, home: homedir(), now });
  const order = { former, findings, named: option('person'), options, intake: await intakeOf(features), language, now };
  const isDone = isOn('yes');
  const planned = await planOf(order);
  const { plan, left, unwritten } = isDone
    ? await carryOut(order, planned.dataFolder, features)
    : { plan: planned, left: [], unwritten: undefined };
  if (unwritten !== undefined) {
    complain(migrateWords[language].notWritten(unwritten));
    return exitCodes.failed;
  }
  tell(plan, { folder, isDone, left: [...plan.left, ...left] }, context);
  return exitCodes.done;
}

interface Told {
  readonly folder: string;
  readonly isDone: boolean;
  readonly left: readonly Left[];
}

function tell(plan: Plan, told: Told, { asJson, print, language, option }: CommandContext): void {
  const [from, person] = [option('from'), option('person')];
  const words = [
    `${ownCommand()} migrate ${plan.order.former.name}`,
    ...(from === undefined ? [] : [`--from ${JSON.stringify(from)}`]),
    ...(person === undefined ? [] : [`--person ${person}`]),
    '--yes',
  ];
  const report = { ...told, command: words.join(' ') };
  if (asJson) print(JSON.stringify(jsonReportOf(plan, report), undefined, 2));
  else for (const line of reportOf(plan, report, language)) print(line);
}
