import { spawnSync } from 'node:child_process';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { channelSettings } from '../channels/index.ts';
import manifest from '../package.json' with { type: 'json' };
import { isOfTool } from '../src/cli/commands/of-tool.ts';
import { firstConfig } from '../src/cli/first-config.ts';
import { sparingOptions, sparingVariables } from '../src/find-node.js';
import { openStore } from '../src/store/index.ts';
import { ownerVariable } from '../src/tools/guard/process/process-family.ts';
import { newFolder } from './support/new-folder.ts';

const root = join(import.meta.dirname, '..');
const dockerfile = readFileSync(join(root, 'Dockerfile'), 'utf8');

test('the container is healthy while the process has noted within two minutes that it is alive', async () => {
  const command: unknown = JSON.parse(/^HEALTHCHECK .* CMD (\[.*\])$/m.exec(dockerfile)?.[1] ?? '');
  const args = Array.isArray(command) ? command.slice(1).map(String) : [];
  const folder = await newFolder();
  const isHealthy = (): boolean => spawnSync(process.execPath, args, { cwd: folder }).status === 0;
  expect(isHealthy()).toBe(false);
  await mkdir(join(folder, 'data'));
  const store = openStore(join(folder, 'data/keyturn.db'));
  onTestFinished(() => store.close());
  expect(isHealthy()).toBe(false);
  await store.lifetime.began(Date.now(), undefined);
  expect(isHealthy()).toBe(true);
  await store.lifetime.alive(Date.now() - 121_000, new Map());
  expect(isHealthy()).toBe(false);
});

test('all that the image copies is there, and is not ignored', () => {
  const copied = [...dockerfile.matchAll(/^COPY (?!--from)(.*) \S+$/gm)].flatMap(([, sources = '']) =>
    sources.split(' '),
  );
  expect(copied.filter((path) => !existsSync(join(root, path)))).toEqual([]);
  const taken = readFileSync(join(root, '.dockerignore'), 'utf8').matchAll(/^!(.*)$/gm);
  const patterns = [...taken].map(([, pattern = '']) =>
    RegExp(`^${pattern.replaceAll('.', '\\.').replace('*', '[^/]+')}$`),
  );
  expect(copied.filter((path) => !patterns.some((pattern) => pattern.test(path.replace(/\/$/, ''))))).toEqual([]);
});

test('compose passes on each variable that a first config is made from, and keeps the data in a volume of Docker, or where its .env says', () => {
  const compose = readFileSync(join(root, 'compose.yaml'), 'utf8');
  const [, list = ''] = /^ {4}environment:\n((?: {6}- \w+\n)+)/m.exec(compose) ?? [];
  const passed = [...list.matchAll(/- (\w+)/g)].map(([, name = '']) => name);
  const all = firstConfig(Object.fromEntries(passed.map((name) => [name, 'x'])));
  expect(Object.keys(all?.channels ?? {})).toEqual(Object.keys(channelSettings).filter((name) => name !== 'terminal'));
  expect(all?.owners).toHaveLength(1);
  expect(compose).toMatch(/^ {4}volumes:\n {6}- \$\{KEYTURN_DATA:-keyturn\}:\/data\n/m);
  expect(compose).toMatch(/^volumes:\n {2}keyturn:$/m);
  // Docker gives a new volume the owner of the folder of the image.
  expect(dockerfile).toMatch(/install -d -o keyturn -g keyturn -m 700 \/data\b/);
});

const unit = readFileSync(join(root, 'contrib/keyturn.service'), 'utf8');

test('the image and the unit start Node as sparingly as Keyturn itself does', () => {
  const variables = Object.entries(sparingVariables).map(([name, value]) => `${name}=${value}`);
  expect(dockerfile).toContain(`\nENV ${variables.join(' ')}\n`);
  expect(unit).toContain(`\nEnvironment=${variables.join(' ')}\n`);
  const [, entry = ''] = /^ENTRYPOINT (.*)$/m.exec(dockerfile) ?? [];
  expect(JSON.parse(entry)).toEqual(['tini', '--', 'node', ...sparingOptions, '/app/dist/src/start.js']);
  expect(unit).toContain(`\nExecStart=/usr/bin/node ${sparingOptions.join(' ')} /opt/keyturn/src/start.js `);
});

test('the end of the service lets commands end', () => {
  expect(unit).toMatch(/^KillMode=mixed$/m);
});

test('docs/dependencies.md says of each dependency what it is for, and of no other', () => {
  const page = readFileSync(join(root, 'docs/dependencies.md'), 'utf8');
  const rows = page.match(/^\| `.*\|$/gm) ?? [];
  const named = rows.flatMap((row) => [...(row.split(' | ')[0] ?? '').matchAll(/`([^`]+)`/g)].map(([, name]) => name));
  const { dependencies, devDependencies } = manifest;
  const ofPage = JSON.parse(readFileSync(join(root, 'packages/page/package.json'), 'utf8')).devDependencies;
  const all = Object.keys({ ...dependencies, ...devDependencies, ...ofPage }).map((name) =>
    name.replace(/^@types\/.*/, '@types/*'),
  );
  expect(named.filter((name) => !name?.startsWith('node-linux-')).toSorted()).toEqual([...new Set(all)].toSorted());
});

test('the workflows name the commit of each action, and take no rights by default', () => {
  const workflows = globSync('.github/workflows/*.yml', { cwd: root });
  expect(workflows.length).toBeGreaterThan(0);
  for (const path of workflows) {
    const source = readFileSync(join(root, path), 'utf8');
    for (const [line] of source.matchAll(/^.*\buses:.*$/gm)) expect(line).toMatch(/@[0-9a-f]{40} # v\d+\.\d+\.\d+$/);
    expect(source).toMatch(/^permissions:( \{\}|\n {2}contents: read)$/m);
  }
});

test('what compose.yaml sets for a container makes no command in it one of a tool', () => {
  const names = Array.from(
    readFileSync(join(root, 'compose.yaml'), 'utf8').matchAll(/^ {6}- ([A-Z_]+)$/gm),
    ([, name = '']) => name,
  );
  expect(names.length).toBeGreaterThan(2);
  expect(isOfTool(Object.fromEntries(names.map((name) => [name, 'x'])))).toBe(false);
  expect(isOfTool({ [ownerVariable]: 'x' })).toBe(true);
});
