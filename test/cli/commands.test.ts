import { existsSync, globSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { exitCodes, optionNames } from '../../src/cli/commands/command.ts';
import { helpText } from '../../src/cli/commands/help.ts';
import { commands } from '../../src/cli/commands/index.ts';
import { textWidth } from '../../src/lib/text-width.ts';
import { languages } from '../../src/lib/words.ts';
import { isNode, nodesIn, parseFile } from '../support/architecture/source-file.ts';
import { newFolder } from '../support/new-folder.ts';
import { runCommandOf } from '../support/run-command.ts';

const root = join(import.meta.dirname, '../..');
const named = commands.filter(({ name }) => name !== '');

/** The files that are loaded with this one: what it imports, but types. */
function loadedWith(path: string, seen = new Set<string>()): ReadonlySet<string> {
  if (seen.has(path)) return seen;
  seen.add(path);
  if (!existsSync(join(root, path))) return seen;
  const { program } = parseFile(path, readFileSync(join(root, path), 'utf8'));
  for (const statement of nodesIn(program.body)) {
    const isImport = /^(?:Import|ExportNamed|ExportAll)Declaration$/.test(statement.type);
    const { source, specifiers } = statement;
    const isOfTypes = [statement.importKind, statement.exportKind].includes('type');
    const own = nodesIn(specifiers);
    const onlyTypes = own.length > 0 && own.every(({ importKind }) => importKind === 'type');
    if (!isImport || isOfTypes || onlyTypes || !isNode(source) || typeof source.value !== 'string') continue;
    const { value } = source;
    loadedWith(value.startsWith('.') ? join(path, '..', value) : value, seen);
  }
  return seen;
}

test('the status of a process that runs is shown without a database, a parser of configs or the daemon', () => {
  const loaded = [...loadedWith('src/main.ts'), ...loadedWith('src/cli/commands/see/status.ts')];
  const packages = loaded.filter((one) => !one.startsWith('src/') && !one.startsWith('node:'));
  expect(packages).toEqual(['jsonc-parser']);
  expect(loaded.filter((one) => /^src\/(?:features|store|engine|tools|channels|models)\//.test(one))).toEqual([]);
  expect(loaded.filter((one) => one.startsWith('src/daemon/'))).toEqual([
    'src/daemon/local-socket/protocol.ts',
    'src/daemon/local-socket/socket-place.ts',
  ]);
});

describe('help', () => {
  test('loads no config, no database and no feature, so that it is there at once', () => {
    const loaded = [...new Set([...loadedWith('src/main.ts'), ...loadedWith('src/cli/commands/help.ts')])];
    expect(loaded.length).toBeGreaterThan(8);
    const packages = loaded.filter((one) => !one.startsWith('src/') && !one.startsWith('node:'));
    expect(packages).toEqual([]);
    expect(loaded.filter((one) => /^src\/(?:features|daemon|store|engine|tools|config)\//.test(one))).toEqual([]);
    expect(loaded.length).toBeLessThan(64);
  });

  test.each(languages)('is one screen in %s, for the program and for each command', (language) => {
    const groups = new Set(named.map(({ name }) => name.split(' ')[0] ?? ''));
    for (const of of ['', ...groups, ...named.map(({ name }) => name)]) {
      const rows = helpText(of, 'keyturn', language).split('\n');
      expect(rows.length, of).toBeLessThanOrEqual(of === '' ? 62 : 30);
      expect(
        rows.filter((row) => textWidth(row) > 100),
        of,
      ).toEqual([]);
    }
  });

  test('of the program names each command, or the group that it is in', () => {
    const help = helpText('', 'keyturn', 'en');
    for (const { name } of named) expect(help).toMatch(new RegExp(`^ {2}${name.split(' ')[0]}\\b`, 'm'));
  });

  test.each(languages)('of the program says of each what it is for, in %s', (language) => {
    const rows = helpText('', 'keyturn', language).split('\n');
    for (const { name } of named) {
      const [word = ''] = name.split(' ');
      expect(rows).toContainEqual(expect.stringMatching(new RegExp(`^ {2}${word} +\\S`)));
    }
  });

  test('of a group names all that are in it', () => {
    for (const { name } of named.filter((one) => one.name.includes(' ')))
      expect(helpText(name.split(' ')[0] ?? '', 'keyturn', 'en')).toContain(`  ${name} `);
  });

  test('of a command has its usage, its options and what it is for', () => {
    for (const command of named)
      for (const language of languages) {
        const help = helpText(command.name, 'keyturn', language);
        const { summary, operands = '', more = '' } = command.words(language);
        expect(help).toContain(`keyturn ${command.name}${operands === '' ? '' : ` ${operands}`}`);
        expect(help).toContain(summary);
        expect(help).toContain(more);
        for (const option of optionNames(command)) expect(help).toContain(`--${option}`);
      }
  });
});

describe('the commands', () => {
  test('have names of their own, and each can be loaded', async () => {
    const names = commands.map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
    for (const { load } of named) expect(await load()).toBeTypeOf('function');
  });

  test('have options that are alike wherever they are: where a command stands among them does not matter', () => {
    const kinds = commands.flatMap(({ options = [] }) => options.map(({ name, takes }) => [name, takes] as const));
    expect(kinds.filter(([name, takes]) => kinds.some((other) => other[0] === name && other[1] !== takes))).toEqual([]);
  });
});

describe('docs/cli.md', () => {
  const page = readFileSync(join(root, 'docs/cli.md'), 'utf8');

  test('has each command with its operands', () => {
    for (const { name, words } of named)
      expect(page).toContain(`\`keyturn ${[name, words('en').operands].filter(Boolean).join(' ')}`);
  });

  test('tells what each exit code means', () => {
    for (const code of Object.values(exitCodes)) expect(page).toMatch(new RegExp(`^\\| ${code} \\|`, 'm'));
  });
});

test.each([
  ['a name of a chat that is none', ['chat', '--name', 'a/b'], exitCodes.misused],
  ['an empty name of a chat', ['chat', '--name', ''], exitCodes.misused],
  ['a number of lines that is none', ['logs', '-nabc'], exitCodes.misused],
  ['a version of the config, where none is kept', ['config', 'diff', '3'], exitCodes.failed],
])('%s is refused before a Keyturn is looked for', async (_what, args, code) => {
  const folder = await newFolder();
  const configFile = join(folder, 'config.json');
  writeFileSync(configFile, '{ "model": "offline" }');
  expect(await runCommandOf({ configFile, folder }, args)).toMatchObject({ code, stdout: '' });
});

test('sentences name a command as it is given here, where a clone has no command of this name', () => {
  // What is for a package that is installed; what goes into a file; lines for the start file of a shell.
  const others = ['src/cli/commands/update/words.ts', 'src/cli/setup/words.ts', 'src/cli/commands/words.ts'];
  const names = [...new Set(named.map(({ name }) => name.split(' ')[0]))].join('|');
  const fixed = new RegExp(`\\bkeyturn (?:${names})\\b`);
  const files = globSync('src/**/words.ts', { cwd: root }).filter((file) => !others.includes(file));
  expect(files.length).toBeGreaterThan(20);
  const found = files.flatMap((file) =>
    readFileSync(join(root, file), 'utf8')
      .split('\n')
      .filter((line) => !/^\s*(?:\/\*|\*|\/\/)/.test(line) && fixed.test(line))
      .map((line) => `${file}: ${line.trim()}`),
  );
  expect(found).toEqual([]);
});
