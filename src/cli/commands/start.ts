import type { OnFault } from '../load-at-start.ts';
import { runDaemon } from '../run-daemon.ts';
import type { CommandContext } from './command.ts';

/** Without a command, the program starts. Resolves only if it could not. */
export async function start({ program, place, isOn }: CommandContext): Promise<number> {
  const { loaders, settings } = await program.channels();
  const { process, crashPoint } = program;
  await runDaemon({
    process,
    channelLoaders: loaders,
    channelSettings: settings,
    crashPoint,
    place,
    onFault: onFaultOf(isOn),
  });
  return Number(process.exitCode ?? 0);
}

function onFaultOf(isOn: CommandContext['isOn']): OnFault {
  if (isOn('strict')) return 'strict';
  return isOn('last-good') ? 'last-good' : 'by-terminal';
}
