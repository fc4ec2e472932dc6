import { expect, test } from 'vitest';
import { doctorText, examineInstallation } from '../../src/cli/doctor.ts';
import { cliWords } from '../../src/cli/words.ts';
import type { LoadOptions } from '../../src/config/load.ts';
import { proxyPhrases } from '../../src/lib/settings/words.ts';
import { featureParts } from '../support/whole-schema.ts';

/** No config, or this one, and nothing else. */
function place(env: LoadOptions['env'] = {}, config?: string): LoadOptions {
  const readFile: LoadOptions['readFile'] = async (path) => {
    if (config !== undefined && path.endsWith('/config.json')) return Buffer.from(config);
    throw Object.assign(new Error('nothing is there'), { code: 'ENOENT' });
  };
  return {
    path: 'config.json',
    explicit: false,
    env,
    channels: {},
    parts: featureParts,
    cwd: '/home/keyturn',
    readFile,
  };
}

const shell = { path: '/usr/bin/bash', name: 'bash 5.2', isBash: true };
const now = Date.parse('2026-11-29T00:00:00Z');

test('the versions of all parts are listed with their age, and nothing is wrong with a Node that has all known fixes', async () => {
  const report = await examineInstallation({
    now,
    place: place(),
    versions: { ...process.versions, node: '24.22.1' },
    shell,
  });
  expect(report.faults).toEqual([]);
  expect(report.parts.find(({ name }) => name === 'Node')).toMatchObject({
    version: '24.22.1',
    age: cliWords.en.hasFixes({ day: '21 October 2026' }),
  });
  const sqlite = report.parts.find(({ name }) => name === 'SQLite');
  expect(sqlite?.version).toMatch(/^3\.\d+\.\d+$/);
  expect(sqlite?.age).toMatch(/^\d+ days old \(20\d\d-\d\d-\d\d\)$/);
  expect(doctorText(report, false)).toMatch(/^Shell {7}bash 5\.2 +reads commands$/m);
  expect(doctorText(report, false)).toMatch(
    /^Keyturn .*\nProgram {5}.*\nNode {8}24\.22\.1 .*\n[\s\S]*\n\nNothing is wrong\.\n$/,
  );
});

test.each([
  ['is packed', { folder: '/clone/.bundles/bundle-1' }, cliWords.en.packed, ''],
  ['was never packed', { folder: undefined, differs: undefined }, cliWords.en.notPacked, cliWords.en.wouldStartFaster],
  [
    'was packed before a source changed',
    { folder: undefined, differs: 'src/main.ts' },
    cliWords.en.notPacked,
    cliWords.en.outdated({ file: 'src/main.ts' }),
  ],
])('a program that %s is shown as that, with what makes it start faster', async (_, packed, version, age) => {
  const report = await examineInstallation({ now, place: place(), versions: process.versions, shell, packed });
  expect(report.parts.find(({ name }) => name === 'Program')).toEqual({ name: 'Program', version, age });
});

test('the day of the fixes is written in the language of the report', async () => {
  const versions = { ...process.versions, node: '24.22.1' };
  const report = await examineInstallation({ now, place: place(), versions, shell, language: 'zh' });
  const node = report.parts.find(({ name }) => name === 'Node');
  expect(node?.age).toBe(cliWords.zh.hasFixes({ day: '2026年10月21日' }));
  const text = doctorText(report, false, 'zh');
  for (const name of [cliWords.zh.partNames.Shell, cliWords.zh.partNames.Proxy])
    expect(text).toMatch(new RegExp(`^${name} `, 'm'));
});

test('a Node without the known fixes is a fault that says what to do', async () => {
  const report = await examineInstallation({
    now,
    place: place(),
    versions: { ...process.versions, node: '24.0.0' },
    shell,
  });
  expect(report.faults).toEqual([
    expect.stringMatching(/^Node 24\.0\.0 has known security holes: .* Update it: .*\.$/),
  ]);
  expect(doctorText(report, false)).toContain(`\n\n${report.faults[0]}\n`);
  expect(JSON.parse(doctorText(report, true))).toEqual(JSON.parse(JSON.stringify(report)));
});

test.each([
  [
    'the environment',
    { HTTPS_PROXY: 'http://ada:secret-word@proxy.example:3128' },
    undefined,
    'http://proxy.example:3128 (HTTPS_PROXY) for https; not for this machine and private hosts',
  ],
  [
    'the config',
    { HTTPS_PROXY: 'http://other.example:1' },
    '{"network":{"proxy":"socks5h://ada:secret-word@127.0.0.1:7891"}}',
    'socks5://127.0.0.1:7891 (network.proxy); not for this machine and private hosts',
  ],
  ['nothing', {}, undefined, 'none'],
  [
    'an environment that the config switches off',
    { ALL_PROXY: 'http://proxy.example:3128' },
    '{"network":{"proxy":"none"}}',
    'none',
  ],
  [
    'the environment beside a config that cannot be used',
    { https_proxy: 'proxy.example:3128' },
    '{"netwrk":1}',
    'http://proxy.example:3128 (https_proxy) for https; not for this machine and private hosts',
  ],
])('the proxy of %s is shown without its password', async (_of, env, config, shown) => {
  const report = await examineInstallation({ now, place: place(env, config), versions: process.versions, shell });
  expect(report.parts.find(({ name }) => name === 'Proxy')?.version).toBe(shown);
  expect(JSON.stringify(report)).not.toContain('secret-word');
});

test('a variable with a proxy that cannot be used is a fault', async () => {
  const env = { HTTPS_PROXY: 'htp://ada:secret-word@proxy.example:3128' };
  const report = await examineInstallation({ now, place: place(env), versions: process.versions, shell });
  expect(report.faults).toEqual([`HTTPS_PROXY: ${proxyPhrases.en.unknownScheme({ name: 'htp', meant: 'http' })}`]);
});
