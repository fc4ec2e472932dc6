import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  appendFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { bundlesOfClone, noteOfClone } from '../src/bundle.js';
import { ownVersion } from '../src/lib/own-version.ts';
import { offlineWords } from '../src/models/offline/words.ts';
import { newFolder } from './support/new-folder.ts';

const root = join(import.meta.dirname, '..');
const needed = ['src', 'channels', 'scripts', 'packages', 'package.json', 'tsconfig.json', 'config.schema.json'];

/** A copy of this project as a clone has it, with the same dependencies. Nothing is packed in it. */
async function clone(): Promise<string> {
  const folder = join(await newFolder(), '克隆 clone');
  for (const name of needed) cpSync(join(root, name), join(folder, name), { recursive: true });
  linkModules(folder, () => true);
  return folder;
}

/** Links the packages of this project that are wanted, by what the lock file says of them. */
function linkModules(folder: string, isWanted: (entry: { readonly dev?: boolean }) => boolean): void {
  const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'));
  for (const [path, entry] of Object.entries<{ readonly dev?: boolean }>(packages)) {
    const isTop = path.startsWith('node_modules/') && path.lastIndexOf('node_modules/') === 0;
    if (!isTop || !isWanted(entry) || !existsSync(join(root, path))) continue;
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    symlinkSync(join(root, path), join(folder, path));
  }
  // What npm has installed, of which a bundle takes note.
  const installed = 'node_modules/.package-lock.json';
  cpSync(join(root, installed), join(folder, installed));
}

async function run(start: string, args: readonly string[], { home, input = '', flags = [] }: RunOptions) {
  const child = spawn(process.execPath, [...flags, start, ...args], {
    cwd: home,
    env: { PATH: process.env.PATH ?? '', HOME: home, KEYTURN_HOME: home },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  child.stdin.end(input);
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
  return { code: child.exitCode, stdout, stderr };
}

interface RunOptions {
  readonly home: string;
  readonly input?: string;
  readonly flags?: readonly string[];
}

/** Says at the end of a process which of our files it has read. */
function countingModules(folder: string): string {
  const file = join(folder, 'count.mjs');
  writeFileSync(
    file,
    `import { registerHooks } from 'node:module';
let read = 0;
registerHooks({ load(url, context, next) { if (!/node_modules[/](?!\\.cache)/.test(url)) read += 1; return next(url, context); } });
process.on('exit', () => process.stderr.write('READ ' + read));
`,
  );
  return file;
}

/** Lets a command fail where it says something. */
function failing(folder: string): string {
  const file = join(folder, 'failing.mjs');
  writeFileSync(file, "process.stdout.write = () => { throw new Error('the output is broken'); };\n");
  return file;
}

test('a clone starts from its bundle while no source is newer, and never runs old code', async () => {
  const [folder, home] = [await clone(), await newFolder()];
  const start = join(folder, 'src/start.js');
  execFileSync(process.execPath, [join(folder, 'scripts/bundle-clone.ts')], { stdio: 'pipe' });
  const kept = join(folder, bundlesOfClone);
  const note = JSON.parse(readFileSync(join(kept, noteOfClone), 'utf8'));
  appendFileSync(join(kept, note.folder, 'main.mjs'), "\nprocess.stderr.write('from the bundle');\n");
  expect(await run(start, ['--version'], { home })).toMatchObject({
    stdout: `${ownVersion()}\n`,
    stderr: 'from the bundle',
  });

  const count = countingModules(folder);
  const answered = await run(start, [], { home, input: 'list the files\n', flags: ['--import', count] });
  expect(answered.stdout).toContain(offlineWords.en.nothingHere);
  expect(Number(/READ (\d+)/.exec(answered.stderr)?.[1])).toBeLessThan(40);

  // As packed code that was not mapped would not.
  const broken = await run(start, ['--version'], { home, flags: ['--import', failing(folder)] });
  const lines = readFileSync(join(folder, 'src/cli/run-command.ts'), 'utf8').split('\n');
  const line = lines.findIndex((each) => each.includes('ownVersion()}')) + 1;
  expect(decodeURI(broken.stderr)).toContain(`${folder}/src/cli/run-command.ts:${line})\n`);

  const away = join(kept, 'away');
  renameSync(join(kept, note.folder), away);
  expect(await run(start, ['--version'], { home })).toMatchObject({ stdout: `${ownVersion()}\n`, stderr: '' });
  renameSync(away, join(kept, note.folder));

  const source = join(folder, 'src/lib/own-version.ts');
  writeFileSync(source, `${readFileSync(source, 'utf8')}\n// Edited.\n`);
  expect(await run(start, ['--version'], { home })).toMatchObject({ stdout: `${ownVersion()}\n`, stderr: '' });
});

/** What a stage of the Dockerfile copies into the folder of the program: paths, and where they go. */
function copied(stage: string): readonly (readonly [from: string, to: string])[] {
  return [...stage.matchAll(/^COPY (?!--from=build)(?:--from=program )?(.*) (\S+)$/gm)].flatMap(
    ([, paths = '', target = '']) =>
      paths.split(' ').map((path) => {
        const [from, to] = [path, target].map((each) => each.replace(/^\/app\/?|^\.\/$/, ''));
        return [from ?? '', target.endsWith('/') ? join(to ?? '', basename(path)) : (to ?? '')] as const;
      }),
  );
}

test('the image starts from the bundle that it builds of what it copies, with which processes of its own still work', async () => {
  const [built, image, home] = [await newFolder(), join(await newFolder(), 'app'), await newFolder()];
  const dockerfile = readFileSync(join(root, 'Dockerfile'), 'utf8');
  const [program = '', last = ''] = dockerfile.split(/^FROM /m).slice(-2);
  expect(program).toMatch(/ AS program\n[\s\S]*^RUN node scripts\/build-image\.ts$/m);
  for (const [from, to] of copied(program))
    cpSync(join(root, from), join(built, to), { recursive: true, filter: isOurs });
  symlinkSync(join(root, 'node_modules'), join(built, 'node_modules'));
  execFileSync(process.execPath, [join(built, 'scripts/build-image.ts')], { stdio: 'pipe' });

  const here = copied(last).filter(([from]) => !from.startsWith('/') && !/^(?:node_modules|packages)\b/.test(from));
  for (const [from, to] of here)
    cpSync(join(from === 'dist' ? built : root, from), join(image, to), { recursive: true });
  linkModules(image, ({ dev }) => dev !== true);
  const [, entry = ''] = /^ENTRYPOINT (.*)$/m.exec(last) ?? [];
  const [node, ...args] = JSON.parse(entry).slice(2);
  const start = join(image, args.pop().replace('/app/', ''));
  expect([node, existsSync(start)]).toEqual(['node', true]);
  const flags = [...args, '--import', countingModules(home)];
  const answered = await run(start, [], { home, input: 'list the files\n', flags });
  expect(answered.stdout).toContain(offlineWords.en.nothingHere);
  expect(Number(/READ (\d+)/.exec(answered.stderr)?.[1])).toBeLessThan(40);
  const backup = await run(start, ['backup', '--json'], { home });
  expect(JSON.parse(backup.stdout)).toMatchObject({ has_secrets: false });
});

const isOurs = (path: string): boolean => !/[\\/](?:node_modules|dist)$/.test(path);
