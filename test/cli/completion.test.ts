import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { CommandContext } from '../../src/cli/commands/command.ts';
import { completion } from '../../src/cli/commands/completion.ts';
import { commands } from '../../src/cli/commands/index.ts';
import { commandListWords } from '../../src/cli/commands/words.ts';
import { UnansweredError } from '../../src/cli/unanswered-error.ts';
import { newFolder } from '../support/new-folder.ts';

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
  ['keyturn logs -f', ['-f']],
])('bash completes %s', async (line, expected) => {
  const words = line.split(' ');
  const script = `${await scriptFor('bash')}
COMP_WORDS=(${words.join(' ')}); COMP_CWORD=${words.length - 1}; _keyturn; printf '%s\\n' "\${COMPREPLY[@]}"`;
  const completed = execFileSync('bash', ['-c', script], { encoding: 'utf8' }).trim().split('\n');
  expect(completed).toEqual(expected);
});

test.each(['backup', 'restore', 'verify'])(
  'bash offers files to %s, also with blanks in their names',
  async (command) => {
    const folder = await newFolder();
    for (const name of ['my backup.tar.gz', 'other.tar.gz']) writeFileSync(join(folder, name), '');
    const script = await scriptFor('bash');
    const completed = (current: string) => {
      const line = `COMP_WORDS=(keyturn ${command} '${current}'); COMP_CWORD=2; _keyturn; printf '%s\\n' "\${COMPREPLY[@]}"`;
      const printed = execFileSync('bash', ['-c', `${script}\n${line}`], { encoding: 'utf8', cwd: folder });
      return printed.trim().split('\n').toSorted();
    };
    expect(completed('')).toEqual(['my backup.tar.gz', 'other.tar.gz']);
    expect(completed('my b')).toEqual(['my backup.tar.gz']);
    expect(completed('--j')).toEqual(['--json']);
  },
);

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
