import { checkConfig, reportText } from '../check-config.ts';
import { loadOptionsOf, placeOf } from '../place.ts';
import { type CommandContext, exitCodes } from './command.ts';

/** `config check [FILE]`. */
export async function configCheck({ program, place, operands, asJson, print }: CommandContext): Promise<number> {
  const [file] = operands;
  const where = file === undefined ? place : placeOf(program.process, file);
  const report = await checkConfig(await loadOptionsOf(where, program));
  print(reportText(report, asJson, report.language).trimEnd());
  return report.faults.length === 0 ? exitCodes.done : exitCodes.wrongConfig;
}
