import { systemClock } from '../../lib/clock.ts';
import { findShell } from '../../tools/guard/process/command-shell.ts';
import { runChecks } from '../doctor/check.ts';
import { examined } from '../doctor/examined.ts';
import { checks } from '../doctor/index.ts';
import { doctorText, examineInstallation } from '../doctor.ts';
import { processLanguage } from '../words.ts';
import { type CommandContext, exitCodes } from './command.ts';

/** `doctor`: the versions that it runs with, and all checks. */
export async function doctor({ program, place, asJson, print }: CommandContext): Promise<number> {
  const { env, versions } = program.process;
  const { context, options } = await examined({ program, place });
  const language = processLanguage(env, context.loaded?.config);
  const [installation, reports] = await Promise.all([
    examineInstallation({
      now: systemClock.now(),
      versions,
      shell: await findShell(env.PATH),
      place: options,
      language,
    }),
    runChecks(checks, context, language),
  ]);
  print(doctorText({ ...installation, checks: reports }, asJson, language).trimEnd());
  const isFaulty =
    installation.faults.length > 0 || reports.some(({ problems }) => problems.some(({ fault }) => fault));
  return isFaulty ? exitCodes.failed : exitCodes.done;
}
