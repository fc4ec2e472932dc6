import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';

const run = promisify(execFile);
const root = new URL('../..', import.meta.url).pathname;

/** A folder of somebody's, in which the package is installed as npm would. */
async function installed(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'keyturn-author-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  await run('npm', ['pack', '--silent', '--pack-destination', folder], { cwd: root });
  const modules = join(folder, 'node_modules');
  await mkdir(join(modules, 'keyturn'), { recursive: true });
  await run('tar', ['-xzf', join(folder, 'keyturn-0.1.0.tgz'), '-C', join(modules, 'keyturn'), '--strip-components=1']);
  // What npm would fetch.
  for (const name of await readdir(join(root, 'node_modules'))) {
    if (!name.startsWith('.')) await symlink(join(root, 'node_modules', name), join(modules, name));
  }
  return folder;
}

const settings = {
  compilerOptions: {
    target: 'ES2024',
    module: 'NodeNext',
    types: ['node'],
    strict: true,
    noEmit: true,
    exactOptionalPropertyTypes: true,
  },
  include: ['*.ts'],
};

const using = `import dice from './dice.ts';
const spec = await dice.spec();
const preparation = await dice.prepare({ count: '3' });
if (!preparation.valid) throw new Error(preparation.message);
const { category, arguments: args } = preparation.call;
console.log(JSON.stringify({ spec, category, args, wrong: await dice.prepare({ count: 1000 }) }));
`;

test('the tool of docs/own-tools.md is type-checked and runs against the package that npm packs', async () => {
  const folder = await installed();
  const [, example = ''] = /```ts\n([\s\S]*?)```/.exec(await readFile(join(root, 'docs/own-tools.md'), 'utf8')) ?? [];
  await writeFile(join(folder, 'package.json'), JSON.stringify({ type: 'module' }));
  await writeFile(join(folder, 'tsconfig.json'), JSON.stringify(settings));
  await writeFile(join(folder, 'dice.ts'), example);
  await writeFile(join(folder, 'using.mjs'), using);
  const compiler = join(root, 'node_modules/.bin/tsc');
  await expect(run(compiler, ['-p', folder])).resolves.toMatchObject({ stdout: '' });
  const { stdout } = await run(process.execPath, [join(folder, 'using.mjs')]);
  expect(JSON.parse(stdout)).toMatchObject({
    spec: { name: 'roll_dice', parameters: { properties: { count: { type: 'integer', maximum: 100 } } } },
    category: 'memory',
    args: { count: 3 },
    wrong: { valid: false, message: expect.stringContaining('count') },
  });
  // A wrong one is found by the compiler, so that the types are those of the library and not any.
  await writeFile(join(folder, 'wrong.ts'), example.replace("category: 'memory'", "category: 'everything'"));
  await expect(run(compiler, ['-p', folder])).rejects.toMatchObject({
    stdout: expect.stringContaining('"everything"'),
  });
}, 60_000);

test('the example of a channel is type-checked and passes the contract in a project of its author', async () => {
  const folder = await installed();
  await cp(join(root, 'examples/channels/line'), folder, { recursive: true });
  await writeFile(join(folder, 'package.json'), JSON.stringify({ type: 'module' }));
  const compilerOptions = { ...settings.compilerOptions, allowImportingTsExtensions: true };
  await writeFile(join(folder, 'tsconfig.json'), JSON.stringify({ ...settings, compilerOptions }));
  await expect(run(join(root, 'node_modules/.bin/tsc'), ['-p', folder])).resolves.toMatchObject({ stdout: '' });
  const vitest = join(root, 'node_modules/vitest/vitest.mjs');
  const { VITEST: _inside, ...environment } = process.env;
  const report = join(folder, 'report.json');
  const reporting = ['--reporter=json', `--outputFile=${report}`];
  await run(process.execPath, [vitest, 'run', ...reporting], { cwd: folder, env: environment });
  const found: unknown = JSON.parse(await readFile(report, 'utf8'));
  expect(found).toMatchObject({ success: true, numFailedTests: 0 });
  expect(found).toHaveProperty(
    'numPassedTests',
    expect.toSatisfy((count: number) => count > 40),
  );
}, 120_000);
