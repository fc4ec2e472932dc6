import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  copyFileSync,
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { bundlesOfClone, isInUse, noteOfClone } from '../src/bundle.js';
import { commandWords } from '../src/conversation/commands/words.ts';
import { isJsonObject, parseJson } from '../src/lib/json.ts';
import { ownVersion } from '../src/lib/own-version.ts';
import { offlineWords } from '../src/models/offline/words.ts';
import { newFolder } from './support/new-folder.ts';
import { Changes } from './support/wait-for.ts';

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

/** The program in a terminal, from its greeting on. */
async function begin(start: string, home: string) {
  const child = spawn(process.execPath, [start], {
    cwd: home,
    env: { PATH: process.env.PATH ?? '', HOME: home, KEYTURN_HOME: home },
  });
  const closed = once(child, 'close');
  const changes = new Changes();
  let written = '';
  for (const output of [child.stdout, child.stderr])
    output.setEncoding('utf8').on('data', (chunk: string) => {
      written += chunk;
      changes.notify();
    });
  const until = (wanted: string) =>
    changes.waitFor(() => written.includes(wanted), { timeoutMs: 100_000, what: wanted, describe: () => written });
  child.stdin.write('hello\n');
  await until(offlineWords.en.hello({ choices: '' }).trim());
  return {
    until,
    output: () => written,
    say: (line: string) => child.stdin.write(`${line}\n`),
    async end() {
      child.stdin.end();
      await closed;
    },
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL');
      await closed;
    },
  };
}

/** Says at the end of a process which of our files it has read. */
function countingModules(folder: string): string {
  const file = join(folder, 'count.mjs');
  writeFileSync(
    file,
    `import { registerHooks } from 'node:module';
let read = 0;
registerHooks({ load(url, context, next) { if (!/node_modules/.test(url)) read += 1; return next(url, context); } });
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

/** Packs a clone. Gives what it said. */
function pack(folder: string): string {
  const { status, stderr } = spawnSync(process.execPath, [join(folder, 'scripts/bundle-clone.ts')], {
    encoding: 'utf8',
  });
  expect(status, stderr).toBe(0);
  return stderr;
}

/** What a start in this clone would run: the bundle's name, or the first file that is not what it was. */
function found(folder: string): unknown {
  const script = `const { findBundle } = await import(process.argv[1] + '/src/bundle.js');
process.stdout.write(JSON.stringify(findBundle({ isBuilt: false })));`;
  const said = execFileSync(process.execPath, ['--input-type=module', '-e', script, folder], { encoding: 'utf8' });
  const packed = parseJson(said);
  if (!isJsonObject(packed)) throw new TypeError(said);
  return typeof packed.folder === 'string' ? basename(packed.folder) : packed.differs;
}

function noteOf(folder: string): { readonly folder: string; readonly files: readonly (readonly unknown[])[] } {
  return JSON.parse(readFileSync(join(folder, bundlesOfClone, noteOfClone), 'utf8'));
}

/** Lets the note name that file as it is now. */
function accept(path: string, folder: string): void {
  const note = noteOf(folder);
  const { size, mtimeMs, ctimeMs } = statSync(join(folder, path));
  const files = note.files.map((file) => (file[0] === path ? [path, size, mtimeMs, ctimeMs] : file));
  writeFileSync(join(folder, bundlesOfClone, noteOfClone), JSON.stringify({ ...note, files }));
}

test('a clone starts from its bundle: few files, whose stacks name the sources', async () => {
  const [folder, home] = [await clone(), await newFolder()];
  const start = join(folder, 'src/start.js');
  pack(folder);
  const count = countingModules(folder);
  const answered = await run(start, [], { home, input: 'list the files\n', flags: ['--import', count] });
  expect(answered.stdout).toContain(offlineWords.en.nothingHere);
  expect(Number(/READ (\d+)/.exec(answered.stderr)?.[1])).toBeLessThan(40);

  // As packed code that was not mapped would not.
  const broken = await run(start, ['--version'], { home, flags: ['--import', failing(folder)] });
  const lines = readFileSync(join(folder, 'src/cli/run-command.ts'), 'utf8').split('\n');
  const line = lines.findIndex((each) => each.includes('ownVersion()}')) + 1;
  expect(decodeURI(broken.stderr)).toContain(`${folder}/src/cli/run-command.ts:${line})\n`);

  writeFileSync(
    join(folder, 'src/lib/own-version.ts'),
    "export const ownVersion = () => 'edited';\nexport const ownFolder = () => '';\n",
  );
  expect(await run(start, ['--version'], { home })).toMatchObject({ stdout: 'edited\n', stderr: '' });
});

test('a clone never runs old code, nor code that is not whole', async () => {
  const [folder, home] = [await clone(), await newFolder()];
  const source = join(folder, 'src/lib/own-version.ts');
  const content = readFileSync(source, 'utf8');
  // It can be set again as exactly.
  const whole = 1_700_000_000;
  utimesSync(source, whole, whole);
  expect(found(folder)).toBe(undefined);
  pack(folder);
  const bundled = noteOf(folder).folder;
  expect(found(folder)).toBe(bundled);

  // Its size and its time are what they were.
  writeFileSync(source, content.replace('export', 'eXport'));
  utimesSync(source, whole, whole);
  expect(found(folder)).toBe('src/lib/own-version.ts');
  writeFileSync(source, content);
  accept('src/lib/own-version.ts', folder);
  expect(found(folder)).toBe(bundled);

  rmSync(source);
  expect(found(folder)).toBe('src/lib/own-version.ts');
  writeFileSync(source, content);
  accept('src/lib/own-version.ts', folder);

  // Nothing that is in the bundle imports it, as its own change would be seen.
  writeFileSync(join(folder, 'src/lib/a-new-one.ts'), 'export {};\n');
  expect(found(folder)).toBe(bundled);

  const lock = 'node_modules/.package-lock.json';
  renameSync(join(folder, lock), join(folder, 'lock'));
  expect(found(folder)).toBe(lock);
  copyFileSync(join(folder, 'lock'), join(folder, lock));
  expect(found(folder)).toBe(lock);
  accept(lock, folder);
  expect(found(folder)).toBe(bundled);

  // As a power failure may leave it.
  truncateSync(join(folder, bundlesOfClone, bundled, 'main.mjs'));
  expect(found(folder)).toBe(`${bundlesOfClone}/${bundled}/main.mjs`);
  expect(await run(join(folder, 'src/start.js'), ['--version'], { home })).toMatchObject({
    ...{ code: 0, stdout: `${ownVersion()}\n`, stderr: '' },
  });
});

test('nothing is packed of sources that change meanwhile, or of dependencies whose changes nobody would notice', async () => {
  const folder = await clone();
  const source = join(folder, 'src/lib/own-version.ts');
  const content = readFileSync(source, 'utf8');
  const child = spawn(process.execPath, [join(folder, 'scripts/bundle-clone.ts')], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const edits = setInterval(() => writeFileSync(source, content), 20);
  const [said] = await Promise.all([text(child.stderr), once(child, 'close')]);
  clearInterval(edits);
  expect(said).toBe('A source was changed meanwhile: nothing was packed. Try again.\n');
  expect(child.exitCode).toBe(1);
  expect(readdirSync(join(folder, bundlesOfClone))).toEqual([]);

  rmSync(join(folder, 'node_modules/.package-lock.json'));
  expect(pack(folder)).toMatch(
    /^This clone is not packed, and starts from its sources: .* npm ci, then npm run build\.\n$/,
  );
  expect(found(folder)).toBe(undefined);
});

test('a process that runs keeps its bundle, and says so plainly if that is taken away all the same', async () => {
  const [folder, home] = [await clone(), await newFolder()];
  const kept = join(folder, bundlesOfClone);
  pack(folder);
  const first = noteOf(folder).folder;
  await using daemon = await begin(join(folder, 'src/start.js'), home);
  expect(isInUse(join(kept, first))).toBe(true);
  const at = Number(first.split('-')[1]);
  const [older, dead, newer, newest] = [at - 2, at - 1, at + 1, at + 2].map((each) => `bundle-${each}`);
  for (const name of [older, dead, newer, newest]) mkdirSync(join(kept, `${name}/alive`), { recursive: true });
  // Another process has got the number of one that was killed.
  writeFileSync(join(kept, `${dead}/alive/${process.pid}-1`), '');
  pack(folder);
  const names = readdirSync(kept).toSorted();
  expect(names).toEqual([first, newer, newest, noteOf(folder).folder, noteOfClone].toSorted());
  // What it starts in a process of its own is of its own bundle, too.
  for (const name of ['tools/guard/worker/worker-process', 'tools/builtin/files/search-tree'])
    writeFileSync(join(folder, `src/${name}.ts`), "throw new Error('newer code');\n");
  writeFileSync(join(home, 'workspace/notes.txt'), 'the seventh line\n');
  daemon.say('search for seventh in my files');
  await daemon.until('notes.txt:1: the seventh line');
  daemon.say('/why');
  daemon.say('bye');
  await daemon.until(offlineWords.en.bye);
  expect(daemon.output()).not.toContain(commandWords.en.codeGone.slice(0, 40));

  rmSync(kept, { recursive: true });
  daemon.say('/log');
  await daemon.until(commandWords.en.codeGone.slice(0, 40));
  daemon.say('thanks');
  await daemon.until(offlineWords.en.thanks);
  expect(daemon.output()).toContain('a part of the program is gone since this process began: restart it');
});

test('a process that ends takes its sign of life away', async () => {
  const [folder, home] = [await clone(), await newFolder()];
  pack(folder);
  const bundled = join(folder, bundlesOfClone, noteOf(folder).folder);
  {
    await using daemon = await begin(join(folder, 'src/start.js'), home);
    expect(isInUse(bundled)).toBe(true);
    await daemon.end();
    expect(readdirSync(join(bundled, 'alive'))).toEqual([]);
  }
  writeFileSync(join(bundled, 'alive/999999999-1'), '');
  expect(isInUse(bundled)).toBe(false);
  await run(join(folder, 'src/start.js'), ['--version'], { home });
  expect(existsSync(join(bundled, 'alive/999999999-1'))).toBe(false);
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
  // A package is packed so, too, and may meet a Node that knows no `using`.
  const chunks = globSync('dist/bundle/**/*.mjs', { cwd: built });
  expect(chunks.filter((chunk) => /\busing \w+ = /.test(readFileSync(join(built, chunk), 'utf8')))).toEqual([]);
  expect(chunks.length).toBeGreaterThan(10);

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
