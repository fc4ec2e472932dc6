import { execFile } from 'node:child_process';
import { cp, mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { newFolder } from '../support/new-folder.ts';

const run = promisify(execFile);
const root = join(import.meta.dirname, '../..');
const modules = join(root, 'node_modules');

/** Builds a package as it is packed, into a folder of somebody's. */
async function build(project: string, folder: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  await cp(join(root, project, 'package.json'), join(folder, 'package.json'));
  const tsconfig = project === '' ? 'tsconfig.build.json' : 'tsconfig.json';
  await run(join(modules, '.bin/tsc'), ['-p', join(root, project, tsconfig), '--outDir', join(folder, 'dist')]);
}

test('an author can test a channel with the whole of Keyturn, though it has another copy of the library', async () => {
  const folder = await newFolder();
  const installed = join(folder, 'node_modules');
  await build('', join(installed, 'keyturn'));
  await build('packages/sdk', join(installed, '@keyturn/sdk'));
  // What npm would fetch.
  for (const name of await readdir(modules)) {
    if (!/^(?:\.|@keyturn$)/.test(name)) await symlink(join(modules, name), join(installed, name));
  }
  await cp(join(root, 'examples/channels/line'), folder, { recursive: true });
  await writeFile(join(folder, 'package.json'), JSON.stringify({ type: 'module' }));
  await writeFile(
    join(folder, 'daemon.test.ts'),
    `import { daemonContract } from 'keyturn/daemon-contract';
import { setting } from './line.test.ts';
daemonContract('line', setting);
`,
  );
  const report = join(folder, 'report.json');
  const { VITEST: _inside, ...environment } = process.env;
  const args = ['run', 'daemon.test.ts', '--reporter=json', `--outputFile=${report}`, '--testTimeout=120000'];
  const vitest = run(process.execPath, [join(modules, 'vitest/vitest.mjs'), ...args], {
    cwd: folder,
    env: environment,
  });
  // The report says what failed.
  await vitest.catch(() => {});
  const found: unknown = JSON.parse(await readFile(report, 'utf8'));
  expect(found).toMatchObject({ success: true, numFailedTests: 0 });
  expect(found).toHaveProperty(
    'numPassedTests',
    expect.toSatisfy((count: number) => count > 40),
  );
}, 180_000);
