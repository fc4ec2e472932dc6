import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { afterEach, expect, test } from 'vitest';
import { Changes } from '../../support/wait-for.ts';

const program = fileURLToPath(new URL('./echo-process.ts', import.meta.url));
/** For a shell: the folder may have blanks in its name. */
const command = `'${process.execPath}' '${program}'`;
const children: ChildProcessWithoutNullStreams[] = [];

afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
});

test('on a real terminal, lines are answered under a prompt, and the terminal is given back', async () => {
  const { child, wrote, output } = run('script', ['-qec', `${command}; stty -a`, '/dev/null']);
  await wrote('› ');
  child.stdin.write('hello\r');
  await wrote('You said \u001b[1mhello\u001b[22m');
  child.stdin.write('ask\r');
  await wrote('Allow ask? [Y]es › ');
  child.stdin.write('y\r');
  await wrote('You pressed ok');
  child.stdin.write('\u0004');
  await wrote('asked to stop');
  await wrote(' icanon');
  expect(output().lastIndexOf('\u001b[?2004l')).toBeGreaterThan(output().lastIndexOf('\u001b[?2004h'));
  expect(output()).toMatch(/[^-]icanon.*[^-]echo /s);
});

test('ctrl-z brings the shell back, and fg brings back a terminal that hears', async () => {
  const { child, wrote } = run('script', ['-qec', 'sh -i', '/dev/null']);
  await wrote('SHELL ');
  child.stdin.write(`${command}\r`);
  await wrote('› ');
  child.stdin.write('\u001a');
  await wrote('Stopped');
  child.stdin.write('stty -a\r');
  await wrote(' icanon');
  child.stdin.write('fg\r');
  await wrote('› \u001b[3G', 2);
  child.stdin.write('hello\r');
  await wrote('You said \u001b[1mhello\u001b[22m');
});

test('ctrl-z does no harm where there is no shell to go back to', async () => {
  const { child, wrote } = run('script', ['-qec', command, '/dev/null']);
  await wrote('› ');
  child.stdin.write('\u001a');
  await wrote('\u001b[?2004h', 2);
  child.stdin.write('hello\r');
  await wrote('You said \u001b[1mhello\u001b[22m');
});

test('in a pipe, each line is answered in its turn, and the process ends with the input', async () => {
  const { child, output, errors } = run(process.execPath, [program]);
  child.stdin.end('one\ntwo\n');
  const [code] = await once(child, 'close');
  expect(output()).toBe('You said **one**\nYou said **two**\n');
  expect(errors()).toBe('ended\n');
  expect(code).toBe(0);
});

test('a reader that closes the pipe ends the process, without a crash', async () => {
  const { child, errors } = run(process.execPath, [program]);
  child.stdout.destroy();
  child.stdin.write('one\n');
  const [code] = await once(child, 'exit');
  expect(errors()).toContain('asked to stop');
  expect(errors()).not.toContain('EPIPE');
  expect(code).toBe(0);
});

test('an output that takes nothing ends the process as one that failed', async () => {
  const { child } = run('sh', ['-c', `exec ${command} > /dev/full`]);
  child.stdin.write('one\n');
  const [code] = await once(child, 'exit');
  expect(code).toBe(1);
});

function run(command: string, args: readonly string[]) {
  const env = { PATH: process.env.PATH, TERM: 'xterm', PS1: 'SHELL ' };
  const child = spawn(command, args, { env });
  children.push(child);
  const changes = new Changes();
  let output = '';
  let errors = '';
  child.stdout.setEncoding('utf8').on('data', (text) => {
    output += text;
    changes.notify();
  });
  child.stderr.setEncoding('utf8').on('data', (text) => {
    errors += text;
  });
  return {
    child,
    output: () => output,
    errors: () => errors,
    wrote: async (text: string, times = 1) => {
      await changes.waitFor(() => output.split(text).length > times, {
        what: text,
        describe: () => output,
      });
    },
  };
}
