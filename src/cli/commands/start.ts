import { existsSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { envFileOf } from '../../config/environment.ts';
import type { OnFault } from '../load-at-start.ts';
import type { Place } from '../place.ts';
import { runDaemon } from '../run-daemon.ts';
import { type CommandContext, exitCodes } from './command.ts';

/** Without a command, the program starts. Resolves only if it could not. */
export async function start({ program, place, isOn }: CommandContext): Promise<number> {
  const { loaders, settings } = await program.channels();
  const { process, crashPoint } = program;
  if (isFirstStart(place, process) && !isOn('strict') && !isOn('last-good')) {
    const { prepareSetup } = await import('../setup/prepare.ts');
    const { runWizard } = await import('../setup/wizard.ts');
    const end = await runWizard(await prepareSetup(place, program), process, true);
    if (end === 'cancelled') return exitCodes.failed;
  }
  await runDaemon({
    process,
    program,
    channelLoaders: loaders,
    channelSettings: settings,
    crashPoint,
    place,
    onFault: onFaultOf(isOn),
  });
  return Number(process.exitCode ?? 0);
}

/**
 * Whether a person sits at a terminal, and nothing is there yet. After a practice chat its data are there, so nobody is
 * asked twice.
 */
function isFirstStart({ path, cwd, explicit, env }: Place, { stdin, stdout }: NodeJS.Process): boolean {
  if (stdin.isTTY !== true || stdout.isTTY !== true || explicit) return false;
  // A terminal of a machine that tests, or one that cannot move its cursor.
  if ((env.CI ?? '') !== '' || env.TERM === 'dumb') return false;
  const config = resolve(cwd, path);
  const folder = dirname(config);
  const variables = statSync(envFileOf(folder), { throwIfNoEntry: false })?.size ?? 0;
  return variables === 0 && ![config, join(folder, 'data')].some((file) => existsSync(file));
}

function onFaultOf(isOn: CommandContext['isOn']): OnFault {
  if (isOn('strict')) return 'strict';
  return isOn('last-good') ? 'last-good' : 'by-terminal';
}
