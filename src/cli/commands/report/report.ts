import { writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { systemClock } from '../../../lib/clock.ts';
import { UnansweredError } from '../../unanswered-error.ts';
import { type CommandContext, exitCodes } from '../command.ts';
import { countOption } from '../see/count-option.ts';
import { sizeWords } from '../see/words.ts';
import { reportText } from './report-text.ts';
import { reportWords } from './words.ts';

/** `report [FILE]`: one file for a bug report, without secrets and without content. `--print` shows it, and writes nothing. */
export async function report(context: CommandContext): Promise<number> {
  const { program, isOn, print, language, operands } = context;
  const lines = countOption('lines', { usual: 50, most: 1_000 }, context);
  const text = await reportText(context, lines);
  if (isOn('print')) {
    print(text.trimEnd());
    return exitCodes.done;
  }
  const day = new Date(systemClock.now()).toISOString().slice(0, 10);
  const file = resolve(program.process.cwd(), operands[0] ?? `keyturn-report-${day}.md`);
  await write(file, text);
  print(reportWords[language].wrote({ file, size: sizeWords(Buffer.byteLength(text)) }));
  return exitCodes.done;
}

async function write(file: string, text: string): Promise<void> {
  try {
    await writeFile(file, text, { flag: 'wx', mode: 0o600 });
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : undefined;
    if (code === undefined) throw error;
    throw new UnansweredError(
      exitCodes.failed,
      (language) => reportWords[language][code === 'EEXIST' ? 'isThere' : 'notWritten']({ file, code }),
      error,
    );
  }
}
