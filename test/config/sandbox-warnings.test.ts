import { expect, test } from 'vitest';
import { configSchema } from '../../src/config/schema.ts';
import { sandboxWarnings } from '../../src/config/warnings.ts';

const missing = { holds: false, reason: 'bubblewrap is missing' } as const;
const there = { holds: true, programs: { wrap: '/usr/bin/bwrap', filter: new Uint8Array() } } as const;

function warnings(shell: Readonly<Record<string, unknown>>, state: typeof missing | typeof there = missing) {
  return sandboxWarnings(configSchema({}).parse({ tools: { shell } }), state);
}

test('what a missing sandbox does to the config is said at start, as far as it changes anything', () => {
  expect(warnings({})).toEqual([]);
  expect(warnings({ sandbox: 'off' })).toEqual([
    expect.stringContaining('is "off": commands may read and change everything'),
  ]);
  expect(warnings({ sandbox: 'required' })).toEqual([
    expect.stringMatching(/is "required": no command runs, since bubblewrap is missing/),
  ]);
  expect(warnings({ allow: ['@read_only'] })).toEqual([expect.stringContaining('tools.shell.allow has no effect')]);
  expect(warnings({ allowed_domains: ['example.com'] })).toEqual([
    expect.stringContaining('tools.shell.allowed_domains has no effect'),
  ]);
});

test('with a sandbox, or without the tool, there is nothing to say', () => {
  const all = { allow: ['ls'], allowed_domains: ['example.com'], sandbox: 'required' };
  expect(warnings(all, there)).toEqual([]);
  expect(warnings({ ...all, enabled: false })).toEqual([]);
});
