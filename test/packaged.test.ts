import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, mkdirSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { isJsonObject } from '../src/lib/json.ts';
import { ownVersion } from '../src/lib/own-version.ts';
import { offlineWords } from '../src/models/offline/words.ts';
import { newFolder } from './support/new-folder.ts';

const root = join(import.meta.dirname, '..');

/** What `npm pack` alone puts into the package: nothing is built before. */
function packedFiles(): readonly string[] {
  const said: unknown = JSON.parse(
    execFileSync('npm', ['pack', '--dry-run', '--json', '--loglevel=silent'], { cwd: root, encoding: 'utf8' }),
  );
  const listed = Array.isArray(said) ? said : isJsonObject(said) ? Object.values(said) : [];
  const files = listed.flatMap((one) => (isJsonObject(one) && Array.isArray(one.files) ? one.files : []));
  return files.flatMap((file) => (isJsonObject(file) && typeof file.path === 'string' ? [file.path] : []));
}

/** The package as npm installs it, without what was built, with the dependencies of this project. */
async function installed(): Promise<string> {
  const folder = join(await newFolder(), 'node_modules/keyturn');
  for (const path of packedFiles().filter((one) => !/^(?:dist|docs)\//.test(one)))
    cpSync(join(root, path), join(folder, path));
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
  return folder;
}

async function run(folder: string, args: readonly string[], input = '') {
  const home = join(folder, '../../home');
  mkdirSync(home, { recursive: true });
  const child = spawn(process.execPath, [join(folder, 'src/packaged.js'), ...args], {
    cwd: home,
    env: { PATH: process.env.PATH ?? '', HOME: home, KEYTURN_HOME: home },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  child.stdin.end(input);
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
  return { code: child.exitCode, stdout, stderr };
}

test('npm pack alone gives a package that builds itself at its first start, and answers', async () => {
  const folder = await installed();
  expect(existsSync(join(folder, 'dist'))).toBe(false);
  const first = await run(folder, [], 'list the files\n');
  expect(first.stdout).toContain(offlineWords.en.nothingHere);
  expect(first.code).toBe(0);
  expect(existsSync(join(folder, 'dist/src/main.js'))).toBe(true);
  expect((await run(folder, ['--help'])).stdout).toContain('keyturn COMMAND');
  // What works in a process of its own is built, too.
  const backup = await run(folder, ['backup', '--json']);
  expect(JSON.parse(backup.stdout)).toMatchObject({ has_secrets: false });
});

test('the package brings the page as it was built, without what only its developers read', async () => {
  const vite = join(root, 'node_modules/vite/bin/vite.js');
  if (!existsSync(join(root, 'packages/page/dist/index.html')))
    execFileSync(process.execPath, [vite, 'build', join(root, 'packages/page'), '--logLevel', 'warn'], { cwd: root });
  const ofPage = packedFiles().filter((path) => path.startsWith('packages/page/'));
  expect(ofPage).toContain('packages/page/dist/index.html');
  expect(
    ofPage.filter(
      (path) => !/^packages\/page\/dist\/(?:index\.html|sw\.js|assets\/[\w-]+\.(?!map)\w+)(?:\.gz)?$/.test(path),
    ),
  ).toEqual([]);
});

test('two first starts at once get along, and leave nothing half built', async () => {
  const folder = await installed();
  const both = await Promise.all([run(folder, ['--version']), run(folder, ['--version'])]);
  expect(both.map(({ stdout }) => stdout.trim())).toEqual([ownVersion(), ownVersion()]);
  expect(readdirSync(folder).filter((name) => name.startsWith('dist'))).toEqual(['dist']);
});

test('a package that cannot build itself says what to do, and begins again at the next start', async () => {
  const folder = await installed();
  const odd = join(folder, 'src/odd.ts');
  writeFileSync(odd, 'enum Odd { one }\n');
  const { code, stderr } = await run(folder, ['--version']);
  expect(code).toBe(1);
  expect(stderr).toContain('npm run pack');
  expect(readdirSync(folder).filter((name) => name.startsWith('dist'))).toEqual([]);
  rmSync(odd);
  expect((await run(folder, ['--version'])).stdout.trim()).toBe(ownVersion());
});
