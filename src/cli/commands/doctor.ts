import { systemClock } from '../../lib/clock.ts';
import { findShell } from '../../tools/guard/process/command-shell.ts';
import { doctorText, examineInstallation } from '../doctor.ts';
import { loadOptionsOf } from '../place.ts';
import { type CommandContext, exitCodes } from './command.ts';

/** `doctor`. */
export async function doctor({ program, place, language, asJson, print }: CommandContext): Promise<number> {
  const { env, versions } = program.process;
  const report = await examineInstallation({
    now: systemClock.now(),
    versions,
    shell: await findShell(env.PATH),
    place: await loadOptionsOf(place, program),
    language,
  });
  print(doctorText(report, asJson, language).trimEnd());
  return report.faults.length === 0 ? exitCodes.done : exitCodes.failed;
}
