import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { expect, test } from 'vitest';

const sources = join(import.meta.dirname, '../../src');

/** What a process writes whose log knows these secrets. */
function logged(secrets: readonly string[], script: string, isPretty = false): string {
  const source = `import { createLog } from '${sources}/cli/create-log.ts';
    import { redactor } from '${sources}/tools/guard/redact/redact.ts';
    const redact = redactor(${JSON.stringify(secrets)}, 4);
    const log = createLog({ threshold: { includes: () => true }, isPretty: ${isPretty}, redact });
    ${script}`;
  const { stderr, status } = spawnSync(process.execPath, ['--input-type=module', '-e', source], { encoding: 'utf8' });
  expect(status).toBe(0);
  return stderr;
}

test('a line of the log has no secret in it, however it is spelled, and stays JSON', () => {
  const secret = 'two\n"lines" / of+it';
  const output = logged(
    [secret, 'four', 'abc'],
    `const secret = ${JSON.stringify(secret)};
     log.error({ err: new Error('no ' + secret), url: encodeURIComponent(secret), inner: JSON.stringify({ secret }) }, 'abc');
     log.child({ secret }).debug({ four: 'four', bytes: Buffer.from(secret).toString('base64') }, secret);`,
  );
  const lines = output.trim().split('\n');
  expect(lines.map((line) => JSON.parse(line))).toMatchObject([
    { url: '[secret]', inner: '{"secret":"[secret]"}', msg: 'abc' },
    { secret: '[secret]', '[secret]': '[secret]', msg: '[secret]' },
  ]);
  expect(output).toContain('no [secret]');
  expect(output).not.toMatch(/two|lines|four/);
});

test('what looks like a secret is taken out of the log, too', () => {
  const token = `ghp_${'Ab3dE6gH9jK2'.repeat(3)}`;
  expect(logged([], `log.info({ token: ${JSON.stringify(token)} }, 'found')`)).toContain('"[secret: GitHub token]"');
});

test('what throws when it is read is a line, too', () => {
  const script = `const err = Object.defineProperty(new Error(), 'message', { get: () => JSON.parse('x') });
     log.error({ err }, 'failed');`;
  expect(logged([], script)).toContain('"err":"It threw what cannot be read."');
});

test('for people it is one line each, with the time, the fields, and the stack of an error below', () => {
  const output = logged(
    ['canary'],
    `log.warn({ channel: 'telegram', tries: 3 }, 'it is canary');
     log.child({ run: 'r1' }).error({ err: new Error('broken') }, 'failed');`,
    true,
  );
  const lines = stripVTControlCharacters(output).split('\n');
  expect(lines[0]).toMatch(/^\d\d:\d\d:\d\d warn {2}it is \[secret\] · channel: telegram · tries: 3$/);
  expect(lines[1]).toMatch(/^\d\d:\d\d:\d\d error failed · run: r1$/);
  expect(lines[2]).toBe('Error: broken');
  expect(lines[3]).toMatch(/^ {4}at /);
});
