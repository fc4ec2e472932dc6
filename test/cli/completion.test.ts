import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';
import type { CommandContext } from '../../src/cli/commands/command.ts';
import { completion } from '../../src/cli/commands/completion.ts';
import { commands } from '../../src/cli/commands/index.ts';
import { commandListWords } from '../../src/cli/commands/words.ts';
import { UnansweredError } from '../../src/cli/unanswered-error.ts';

async function scriptFor(shell: string): Promise<string> {
  const printed: string[] = [];
  const context: Pick<CommandContext, 'operands' | 'print' | 'commands'> = {
    commands,
    operands: [shell],
    print: (text) => void printed.push(text),
  };
  await completion(context);
  return printed.join('\n');
}

test.each([
  ['keyturn st', ['status']],
  ['keyturn approvals a', ['approve']],
  ['keyturn runs show --j', ['--json']],
  ['keyturn --st', ['--strict']],
])('bash completes %s', async (line, expected) => {
  const words = line.split(' ');
  const script = `${await scriptFor('bash')}
COMP_WORDS=(${words.join(' ')}); COMP_CWORD=${words.length - 1}; _keyturn; printf '%s\\n' "\${COMPREPLY[@]}"`;
  const completed = execFileSync('bash', ['-c', script], { encoding: 'utf8' }).trim().split('\n');
  expect(completed).toEqual(expected);
});

test.each(['zsh', 'fish'])('%s gets each command', async (shell) => {
  const script = await scriptFor(shell);
  for (const word of commands.flatMap(({ name }) => name.split(' '))) expect(script).toContain(word);
});

test('another shell is refused with those that there are', async () => {
  const refused = await scriptFor('constructor').catch((error: unknown) => error);
  expect(refused).toBeInstanceOf(UnansweredError);
  const words = commandListWords.zh.noShell({ shell: 'constructor', shells: ['bash', 'zsh', 'fish'] });
  expect(refused instanceof UnansweredError && refused.saidIn('zh')).toBe(words);
});
