import type { CommandContext } from './commands/command.ts';

/**
 * Asks the person at the terminal. Whoever is not there, or reads JSON, has not said yes. Loads the library that draws the
 * question only if it is asked.
 */
export async function confirmed(
  question: string,
  { program, asJson }: Pick<CommandContext, 'program' | 'asJson'>,
): Promise<boolean> {
  const { stdin, stdout } = program.process;
  if (asJson || stdin.isTTY !== true || stdout.isTTY !== true) return false;
  const { confirm } = await import('@clack/prompts');
  return (await confirm({ message: question, initialValue: false })) === true;
}
