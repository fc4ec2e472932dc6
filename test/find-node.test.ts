import { execFileSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import manifest from '../package.json' with { type: 'json' };
import { explainMissingNode, findNode, missingFixes, sparingOptions } from '../src/find-node.js';
import { newFolder } from './support/new-folder.ts';

const here = `${process.platform}-${process.arch}`;
const platformPackage = Object.keys(manifest.optionalDependencies).find((name) => name.endsWith(here)) ?? 'node-none';

describe('the Node that runs Keyturn', () => {
  test.each(['24.22.1', '24.30.0', '26.12.1', '28.0.0'])('is the one at hand if that is new enough: %s', (version) => {
    expect(findNode({ isBuilt: false, version })).toBe(process.execPath);
  });

  test('is else the one that the dependencies brought, and that one runs', () => {
    const found = findNode({ isBuilt: false, version: '20.20.2' });
    expect(found).toMatch(/node_modules.node-/);
    const version = execFileSync(found ?? '', ['--version'], { encoding: 'utf8' })
      .trim()
      .slice(1);
    expect([version, missingFixes(version)]).toEqual([version, undefined]);
  });

  test.each(['24.0.0', '24.22.0', '25.9.0', '26.12.0'])(
    'is the one that the dependencies brought, rather than %s, which has known holes',
    (version) => {
      expect(findNode({ isBuilt: false, version })).toMatch(/node_modules.node-/);
      expect(findNode({ isBuilt: false, version, platform: 'darwin-arm64' })).toBe(process.execPath);
    },
  );

  test('is not one whose program is damaged', async () => {
    const folder = await newFolder();
    const program = join(folder, 'node_modules', platformPackage, 'bin');
    mkdirSync(program, { recursive: true });
    writeFileSync(join(folder, 'node_modules', platformPackage, 'package.json'), '{}');
    writeFileSync(join(program, 'node'), 'cut off', { mode: 0o755 });
    copyFileSync(join(import.meta.dirname, '../src/find-node.js'), join(folder, 'find-node.mjs'));
    const ask = `import { findNode } from ${JSON.stringify(join(folder, 'find-node.mjs'))};
      process.stdout.write(String(findNode({ isBuilt: false, version: '20.0.0' })));`;
    const found = execFileSync(process.execPath, ['--input-type=module', '-e', ask], { encoding: 'utf8' });
    expect(found).toBe('undefined');
  });

  test.each([
    { version: '24.0.0', isBuilt: false, will: 'do' },
    { version: '22.23.3', isBuilt: false, will: 'not do' },
    { version: '22.19.0', isBuilt: true, will: 'do' },
    { version: '22.18.0', isBuilt: true, will: 'not do' },
    { version: '20.20.2', isBuilt: true, will: 'not do' },
  ])('where no package brings one, $version will $will (built: $isBuilt)', ({ version, isBuilt, will }) => {
    const found = findNode({ isBuilt, version, platform: 'sunos-x64' });
    expect(found).toBe(will === 'do' ? process.execPath : undefined);
  });
});

test('what Node is started with keeps its young generation small, whatever is made', () => {
  const ask = `import { getHeapSpaceStatistics } from 'node:v8';
    const kept = [];
    let most = 0;
    for (let index = 0; index < 100; index += 1) {
      kept[index % 5] = Array.from({ length: 20_000 }, (_, at) => ({ at }));
      most = Math.max(most, getHeapSpaceStatistics().find(({ space_name }) => space_name === 'new_space').space_size);
    }
    process.stdout.write(String(most));`;
  const mostYoung = (options: readonly string[]): number =>
    Number(execFileSync(process.execPath, [...options, '--input-type=module', '-e', ask], { encoding: 'utf8' }));
  expect(mostYoung(sparingOptions)).toBeLessThan(10 * 2 ** 20);
  expect(mostYoung([])).toBeGreaterThan(16 * 2 ** 20);
});

describe('where there is none, it names the one command that helps', () => {
  const version = '20.20.2';
  const commandIn = (message: string): string => {
    const commands = message.match(/^ {2}\S.*$/gm) ?? [];
    expect(commands).toHaveLength(1);
    expect(message).not.toContain('`');
    return commands.join('').trim();
  };

  test('in a clone, which can be installed again', () => {
    const message = explainMissingNode({ isBuilt: false, version, platform: here });
    expect(message).toContain(
      `and this is Node 20.20.2. The package that brings it, ${platformPackage}, is missing or`,
    );
    expect(commandIn(message)).toBe('npm ci --include=optional');
  });

  test('in a package, however it was installed', () => {
    const command = commandIn(explainMissingNode({ isBuilt: true, version, platform: here }));
    const start = join(import.meta.dirname, '../src/start.js');
    expect(command).toBe(`npx --yes --package ${platformPackage} node "${start}"`);
  });

  test.each([
    { platform: 'linux-x64-musl', command: 'apk add nodejs-current' },
    { platform: 'darwin-arm64', command: 'brew install node' },
    { platform: 'win32-arm64', command: 'winget install OpenJS.NodeJS.LTS' },
    { platform: 'freebsd-x64', command: 'pkg install node24' },
    { platform: 'linux-ppc64', command: 'npx --yes n 24' },
  ])('where no package has it, the one of $platform', ({ platform, command }) => {
    for (const isBuilt of [true, false]) {
      const message = explainMissingNode({ isBuilt, version, platform });
      expect(message).toContain(`No package brings one for ${platform}.`);
      expect(commandIn(message)).toBe(command);
    }
  });
});

test('each package that brings Node is pinned exactly, at a version without known holes', () => {
  const packages = Object.entries(manifest.optionalDependencies);
  expect(packages.length).toBeGreaterThan(0);
  for (const [name, version] of packages) {
    expect(name).toMatch(/^node-/);
    expect(version).toMatch(/^\d+\.\d+\.\d+$/);
    expect([name, missingFixes(version)]).toEqual([name, undefined]);
  }
  expect(existsSync(findNode({ isBuilt: false, version: '20.0.0', platform: here }) ?? '')).toBe(true);
});

test.each([
  [
    '24.21.0',
    'Node 24.21.0 has known security holes: it lacks the fixes that 24.22.1 has (21 October 2026). Update it: npx --yes n 24',
  ],
  [
    '23.11.1',
    'Node 23.11.1 has known security holes: it gets no fixes any more (21 October 2026). Update it: npx --yes n 24',
  ],
  ['22.23.4', undefined],
  ['24.22.1', undefined],
  ['27.0.0', undefined],
])('of Node %s it says what it lacks: %s', (version, sentence) => {
  expect(missingFixes(version, 'linux-ppc64')).toBe(sentence);
});
