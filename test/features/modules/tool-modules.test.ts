import { readFile, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { commandWords } from '../../../src/conversation/commands/words.ts';
import { engineWords } from '../../../src/engine/words.ts';
import { trustWords } from '../../../src/extension-kit/trust/words.ts';
import { moduleWords } from '../../../src/features/modules/words.ts';
import { toolsWords } from '../../../src/tools/words.ts';
import { group } from '../../support/daemon-setting.ts';
import { noTool } from '../../support/no-tool.ts';
import { anything, saying } from '../../support/saying.ts';
import { call, resultsOf } from '../../support/scripted-model.ts';
import { storageTroubles } from '../../support/storage-troubles.ts';
import { useTool } from '../../support/use-tool.ts';
import { waitUntil } from '../../support/wait-for.ts';
import { loadedModule, type ModuleSetting, moduleSetting, toolFile } from './module-setting.ts';

/** What the model reads when it calls the tool. */
function callOf({ setting }: ModuleSetting, name: string): Promise<string> {
  return useTool(setting, name, {});
}

const imported = `$${'{words}'}`;

describe('a file of tools', () => {
  test('is off until an owner trusts it, is there at once then, and after a restart', async () => {
    const one = await moduleSetting({ 'tools.ts': toolFile('greet', 'hello') });
    expect(await callOf(one, 'greet')).toContain(noTool('greet'));
    const notice = await one.setting.channel.sees('The tool module');
    expect(notice.text).toContain(moduleWords.en.intro);
    expect(notice.text).toContain('`tools.ts`');
    await one.trustAll();
    await one.setting.channel.sees('Trusted: the tool module');
    await one.log.says('file of tools was loaded');
    expect(await callOf(one, 'greet')).toBe('hello to you for Ada');
    await one.setting.restart();
    expect(await callOf(one, 'greet')).toBe('hello to you for Ada');
    expect(one.setting.channel.screen.filter(({ text }) => text.includes('The tool module'))).toHaveLength(1);
  });

  test('stays through edits of the config, is loaded again for none of them, and goes with its line', async () => {
    const one = await loadedModule({ 'tools.ts': toolFile('greet', 'hello'), 'more.ts': toolFile('leave', 'goodbye') });
    const [tools, more] = ['tools.ts', 'more.ts'].map((name) => join(one.folder, name));
    const loads = (): number => one.log.lines.filter((line) => line.includes('file of tools was loaded')).length;
    await one.setting.edit({ tool_modules: [tools], agent: { instructions: 'Be brief.' } });
    expect(await callOf(one, 'greet')).toBe('hello to you for Ada');
    await one.setting.edit({ tool_modules: [tools, more] });
    await one.setting.channel.sees('`more.ts`');
    expect([await callOf(one, 'greet'), loads()]).toEqual(['hello to you for Ada', 1]);
    await one.trustAll();
    await one.log.says('"tools":["leave"]');
    await one.setting.edit({ tool_modules: [more] });
    expect(await callOf(one, 'greet')).toContain(noTool('greet'));
    expect([await callOf(one, 'leave'), loads()]).toEqual(['goodbye to you for Ada', 1]);
  });

  test('may stand in for a builtin tool that is on, and takes no name of one that is off, or another spelling', async () => {
    const one = await loadedModule({
      'tools.ts': ['echo', 'delegate', 'Shell']
        .map((name) => toolFile(name, 'mine').replace(/^import.*$/m, ''))
        .join('')
        .replace(/^/, "import { defineTool, llmOnly, z } from '@keyturn/sdk/tool';"),
    });
    expect(await callOf(one, 'echo')).toBe('mine to you for Ada');
    expect(await callOf(one, 'delegate')).toContain(noTool('delegate'));
    expect(await callOf(one, 'Shell')).toContain(noTool('Shell'));
    expect(one.log.lines.join()).toContain(moduleWords.en.nameReserved({ tool: '|' }).split('|')[1] ?? '');
    await one.setting.edit({ tool_modules: [join(one.folder, 'tools.ts')], agent: { instructions: 'Be brief.' } });
    expect(await callOf(one, 'echo')).toBe('mine to you for Ada');
    await one.setting.edit({ tool_modules: [] });
    expect(await callOf(one, 'echo')).not.toContain('mine');
  });

  test('is off again when it, or a file that it imports, has changed', async () => {
    const one = await loadedModule({
      'tools.ts': `import { words } from './lib/words.ts';\n${toolFile('greet', imported)}`,
      'lib/words.ts': "export const words: string = 'hello';",
    });
    await one.setting.channel.sees('`lib/words.ts`');
    expect(await callOf(one, 'greet')).toBe('hello to you for Ada');
    await one.write('lib/words.ts', "export const words: string = 'goodbye';");
    expect(await callOf(one, 'greet')).toBe('hello to you for Ada');
    await one.setting.restart();
    expect(await callOf(one, 'greet')).toContain(noTool('greet'));
    await one.setting.channel.sees(trustWords.en.news({ subject: '', isChanged: true }).replace(/^🔑 /, ''));
    await one.trustAll();
    await one.log.says('"tools":["greet"]');
    expect(await callOf(one, 'greet')).toBe('goodbye to you for Ada');
  });

  test('may import the library by the name that it had before there was a package', async () => {
    const one = await loadedModule({
      'old.ts': toolFile('greet', 'hello').replace('@keyturn/sdk/tool', 'keyturn/tool'),
    });
    expect((await one.setting.channel.sees('`old.ts`')).text).not.toContain('imports packages');
    expect(await callOf(one, 'greet')).toBe('hello to you for Ada');
  });

  test('is what was looked at, though it has changed on the disk before it is loaded', async () => {
    const one = await moduleSetting({
      'tools.ts': `import { words } from './words.ts';\n${toolFile('greet', imported)}`,
      'words.ts': "export const words = 'hello';",
    });
    await one.setting.channel.ask('hi', 'The tool module');
    await one.write('tools.ts', toolFile('greet', 'evil'));
    await one.write('words.ts', "export const words = 'evil';");
    await one.trustAll();
    await one.log.says('file of tools was loaded');
    expect(await callOf(one, 'greet')).toBe('hello to you for Ada');
    await one.setting.restart();
    expect(await callOf(one, 'greet')).toContain(noTool('greet'));
  });

  test.each(storageTroubles)('is off at once when an owner trusts it no more while %s', async (_what, troubleIn) => {
    const one = await loadedModule({ 'tools.ts': toolFile('greet', 'hello') });
    const { setting } = one;
    const [row] = setting.rows('SELECT trusted_id FROM trusted');
    await setting.channel.whenIdle();
    const trouble = troubleIn(setting.folder);
    await expect(setting.channel.say(`/distrust ${String(row?.trusted_id)}`)).rejects.toThrow();
    const distrusted = { subject: anything, became: 'distrusted', undo: anything } as const;
    const held = trustWords.en.changed(distrusted);
    await setting.channel.sees(saying(engineWords.en.notStoredYet({ held, why: trouble.brief })));
    trouble.end();
    expect(await callOf(one, 'greet')).toContain(noTool('greet'));
    await setting.edit({ tool_modules: [], agent: { instructions: 'Be brief.' } });
    await setting.edit({ tool_modules: [join(one.folder, 'tools.ts')] });
    expect(await callOf(one, 'greet')).toContain(noTool('greet'));
    await waitUntil(() => setting.rows('SELECT 1 FROM trusted WHERE is_refused = 1').length > 0, {
      meanwhile: () => setting.clock.advance(1_000),
    });
    await setting.channel.sees(saying(commandWords.en.storedNow({ answer: held })));
  });

  test('imports no file that was not looked at', async () => {
    const one = await moduleSetting({
      'tools.mjs': `const name = './hidden.mjs';\nexport default (await import(name)).default;`,
      'hidden.mjs': `export { greet as default } from './tools-of-others.ts';`,
    });
    await one.setting.channel.ask('hi', 'The tool module');
    await one.trustAll();
    const { text } = await one.setting.channel.sees('Nothing was loaded');
    const endings = ['.ts', '.mts', '.js', '.mjs', '.json'];
    expect(text).toContain(`it ${moduleWords.en.notReviewed({ specifier: '"./hidden.mjs"', endings })}.`);
  });

  test('is off at once when an owner trusts it no more; a stranger and a group cannot say so', async () => {
    const one = await moduleSetting({ 'tools.ts': toolFile('greet', 'hello') }, { allowFrom: ['bob'] });
    const { channel } = one.setting;
    await channel.ask('hi', 'The tool module');
    const [row] = one.setting.rows('SELECT asked_id FROM trusted');
    const id = String(row?.asked_id);
    await channel.ask(`/trust ${id}`, 'Only an owner', { by: 'bob', at: 'test:bob' });
    await channel.ask(`/trust ${id}`, commandWords.en.notInGroups, { in: group, at: 'test:team' });
    expect(await callOf(one, 'greet')).toContain(noTool('greet'));
    await channel.ask('/trust heer', 'Did you mean `/trust here`?');
    await channel.ask(
      '/trust',
      new RegExp(`${trustWords.en.offUntilTrusted}\n\n\\*\\*1\\\\\\. The tool module \`.*tools\\.ts\``),
    );
    await channel.ask(`/distrust ${id}`, 'Refused: the tool module');
    await channel.ask('/trust', `${trustWords.en.nothingAsked}\n\nRefused:\n- the tool module`);
    await channel.say(`/trust ${id.toUpperCase()}`);
    await one.log.says('file of tools was loaded');
    expect(await callOf(one, 'greet')).toBe('hello to you for Ada');
    await channel.ask('/trust', /Trusted:\n- `\w+`: the tool module `.*tools\.ts`, by `test:ada` since/);
    await channel.ask(`/distrust ${id}`, 'No longer trusted');
    expect(await callOf(one, 'greet')).toContain(noTool('greet'));
    await one.setting.restart();
    expect(await callOf(one, 'greet')).toContain(noTool('greet'));
    expect((await channel.ask('/status', '**Keyturn** is up')).text).not.toContain('to be trusted');
    one.log.clear();
    await channel.say(`/trust ${id}`);
    await one.log.says('file of tools was loaded');
    expect(await callOf(one, 'greet')).toBe('hello to you for Ada');
  });

  test('may export a tool, a list or a factory, and each sort of file is taken', async () => {
    const list = `${toolFile('one', 'one').replace('export const one: unknown', 'const one')}
${toolFile('two', 'two').replace("import { defineTool, llmOnly, z } from '@keyturn/sdk/tool';", '').replace('export const two: unknown', 'const two')}
export default [one, (scope) => two];
export const notes = ['no tool'];
export function unrelated() { throw new Error('must not be called'); }`;
    const factory = `import { defineTool, split, z } from '@keyturn/sdk/tool';
export default ({ channel, sender }) => defineTool({
  name: 'where', category: 'memory', description: 'Says where.', input: z.object({}),
  describeCall: () => 'say where', execute: async () => split(channel + ' of ' + sender.name, 'for people'),
});`;
    const one = await moduleSetting(
      { 'list.js': list, 'factory.mjs': factory, 'typed.mts': toolFile('three', 'three') },
      { config: { tool_modules: [] } },
    );
    const paths = ['list.js', 'factory.mjs', 'typed.mts'].map((name) => join(one.folder, name));
    await one.setting.channel.say('hi');
    await one.setting.restart({ tool_modules: paths });
    await one.setting.channel.sees(trustWords.en.newsOfSeveral);
    await one.trustAll();
    await one.log.says('["one","two"]');
    await one.log.says('["where"]');
    await one.log.says('["three"]');
    expect(await callOf(one, 'one')).toBe('one to you for Ada');
    expect(await callOf(one, 'two')).toBe('two to you for Ada');
    expect(await callOf(one, 'three')).toBe('three to you for Ada');
    expect(await callOf(one, 'where')).toBe('test of Ada');
    await one.setting.channel.sees('for people');
  });

  test('may look as docs/own-tools.md shows it', async () => {
    const docs = await readFile(new URL('../../../docs/own-tools.md', import.meta.url), 'utf8');
    const [, example = ''] = /```ts\n([\s\S]*?)```/.exec(docs) ?? [];
    expect(example.trim().split('\n').length).toBeLessThanOrEqual(10);
    const one = await loadedModule({ 'dice.ts': example });
    expect(await callOf(one, 'roll_dice')).toMatch(/^[1-6]$/);
  });

  test('may bring a tool in place of a builtin, which comes back, but not in place of another custom tool', async () => {
    const files = { 'tools.ts': toolFile('echo', 'mine'), 'more.ts': toolFile('echo', 'other') };
    const one = await moduleSetting(files, { config: { tool_modules: [] } });
    const paths = ['tools.ts', 'more.ts'].map((name) => join(one.folder, name));
    await one.setting.channel.say('hi');
    await one.setting.restart({ tool_modules: paths });
    await one.setting.channel.sees(trustWords.en.newsOfSeveral);
    await one.trustAll();
    await one.log.says(moduleWords.en.nameTaken({ tool: 'echo' }));
    // The first of the config, whichever was trusted first.
    await one.setting.restart({ tool_modules: paths });
    expect(await callOf(one, 'echo')).toBe('mine to you for Ada');
    await one.setting.restart({ tool_modules: [] });
    expect(await callOf(one, 'echo')).toContain('message: expected a string');
  });

  test.each([
    ['throws', "throw new Error('no luck');", 'no luck'],
    ['throws what cannot be looked at', 'throw new Proxy({}, { getPrototypeOf() { throw 1; } });', 'cannot be shown'],
    ['is no program', 'export const = 3;', 'it threw this'],
    ['exports no tool', 'export const a = 1; export function b() {}', 'exports no tool'],
    ['exports nonsense', 'export default { name: "x", category: "everything" };', 'in place of a tool'],
    ['makes no tool', 'export default () => 3;', 'makes no tool'],
    [
      'names its tool badly',
      toolFile('greet', 'x').replace("name: 'greet'", "name: 'no name'"),
      'is no name for a tool',
    ],
    ['imports a package that is not there', "import 'nowhere-to-be-found';", 'nowhere-to-be-found'],
    ['imports a part of a package by its own name', "import '#internal';", 'was not looked at'],
  ])('that %s is told of, and costs nothing else', async (_what, text, words) => {
    const files = { 'bad.ts': text, 'good.ts': toolFile('greet', 'hello') };
    const one = await moduleSetting(files, { config: { tool_modules: [] } });
    await one.setting.channel.say('hi');
    await one.setting.restart({ tool_modules: ['bad.ts', 'good.ts'].map((name) => join(one.folder, name)) });
    await one.setting.channel.sees(trustWords.en.newsOfSeveral);
    await one.trustAll();
    await one.log.says('["greet"]');
    await one.log.says(words);
    await one.setting.channel.ask('/status', new RegExp(`⚠️ ${moduleWords.en.title({ file: '' })}.*bad`));
    expect(await callOf(one, 'greet')).toBe('hello to you for Ada');
  });

  test('that is never done loading holds up no decision about another one', async () => {
    const files = { 'a.mjs': 'await new Promise(() => {});', 'b.ts': toolFile('greet', 'hello') };
    const one = await moduleSetting(files, { config: { tool_modules: [] } });
    await one.setting.channel.say('hi');
    await one.setting.restart({ tool_modules: ['a.mjs', 'b.ts'].map((name) => join(one.folder, name)) });
    await one.setting.channel.sees(trustWords.en.newsOfSeveral);
    const [first, second] = one.setting.rows('SELECT asked_id FROM trusted ORDER BY name');
    await one.setting.channel.ask(`/trust ${first?.asked_id}`, 'Trusted');
    await one.setting.channel.say(`/trust ${second?.asked_id}`);
    await one.log.says('["greet"]');
    expect(await callOf(one, 'greet')).toBe('hello to you for Ada');
  });

  test('that is missing, has another ending, is in a workspace, or leads or imports into one is not even looked at', async () => {
    const one = await moduleSetting({ 'tools.ts': toolFile('greet', 'hello') }, { config: { tool_modules: [] } });
    const { workspace } = one.setting;
    const inWorkspace = join(workspace, 'tools.ts');
    await one.write('importing.ts', `import '${inWorkspace}';\n${toolFile('greet', 'hello')}`);
    await one.setting.channel.say('hi');
    await one.setting.write('tools.ts', toolFile('greet', 'evil'));
    await symlink(inWorkspace, join(one.folder, 'link.ts'));
    const paths = [
      inWorkspace,
      ...['link.ts', 'importing.ts', 'none.ts', 'notes.txt'].map((name) => join(one.folder, name)),
    ];
    await one.write('notes.txt', 'no code');
    await one.setting.restart({ tool_modules: paths });
    await one.log.says('does not exist');
    await one.log.says(moduleWords.en.wrongEnding);
    await callOf(one, 'greet');
    expect(
      one.log.lines.filter((line) => line.includes(moduleWords.en.inWorkspace({ file: '|' }).split('|')[1] ?? '')),
    ).toHaveLength(3);
    expect(one.setting.rows('SELECT name FROM trusted')).toEqual([]);
  });
});

const parts: Readonly<Record<string, string>> = {
  name: "'faulty'",
  category: "'network_read'",
  description: "'Says something.'",
  input: 'z.object({ to: z.string().default("you") })',
  describeCall: '({ to }) => "say something to " + to',
  execute: "async () => llmOnly('it ran')",
};

/** A file with a tool of which one part is another one, or missing. */
function fileWith(changed: Readonly<Record<string, string | undefined>>): string {
  const lines = Object.entries({ ...parts, ...changed }).flatMap(([key, text]) =>
    text === undefined ? [] : [`  ${key}: ${text},`],
  );
  return `import { defineTool, llmOnly, z } from 'keyturn/tool';\nexport default defineTool({\n${lines.join('\n')}\n});\n`;
}

test.each([
  ['name', undefined, '"name" must be a text'],
  ['category', "'harmless'", '"category" must be one of filesystem_read'],
  ['category', undefined, '"category" must be one of'],
  ['description', undefined, '"description" must be a text'],
  ['description', "async () => { throw new Error('no words') }", 'cannot say what it is: no words'],
  ['description', 'async () => 7', 'cannot say what it is: its "spec" gave no name'],
  ['input', undefined, '"input" must be what z.object'],
  ['input', '{ type: "object" }', '"input" must be what z.object'],
  ['description', 'async () => { throw Object.create(null) }', 'cannot say what it is: It threw what cannot be read'],
  ['input', 'z.object({ when: z.date() })', 'cannot say what it is: Date cannot be represented'],
  ['describeCall', undefined, '"describeCall" is missing: it must be a function'],
  ['describeCall', "'says something'", '"describeCall" must be a function'],
  ['execute', undefined, '"execute" is missing: it must be a function'],
  ['assess', "'network_read'", '"assess" must be a function'],
])('a file whose tool has the %s %s is not loaded, and it is said which tool lacks what', async (key, text, says) => {
  const one = await moduleSetting({ 'tools.mjs': fileWith({ [key]: text }) });
  await one.setting.channel.ask('hi', 'The tool module');
  await one.trustAll();
  const notice = await one.setting.channel.sees('Nothing was loaded');
  expect(notice.text).toContain('tools.mjs');
  expect(notice.text.replaceAll('\\', '')).toContain(says);
  await one.log.says('tools.mjs');
});

/** What the model is told of a call of the tool `faulty` of this file, and the screen when the run has gone on. */
async function outcomeOf(file: string, meanwhile = async (_one: ModuleSetting): Promise<void> => {}) {
  const one = await loadedModule({ 'tools.mjs': file });
  const { channel, model } = one.setting;
  model.next([call('faulty', {})], 'I go on');
  const before = model.requests.length;
  await channel.say('go');
  await meanwhile(one);
  await channel.sees('I go on');
  return { result: resultsOf(await model.asked(before + 2)).at(-1), screen: channel.screen };
}

test.each([
  ['describeCall', '({ to }) => new URL(to).host', 'it threw "Invalid URL"'],
  ['describeCall', '() => 7', '"describeCall" gave'],
  ['assess', "() => { throw new Error('too hard') }", 'it threw "too hard"'],
  ['assess', "() => 'harmless'", 'its "assess" gave'],
  ['facets', "() => { throw new Error('no facets') }", 'it threw "no facets"'],
  ['facets', '() => 7', 'its "facets" gave'],
  ['forbid', "() => { throw new Error('no rule') }", 'it threw "no rule"'],
  ['forbid', '() => 7', 'its "forbid" gave'],
  ['effect', '() => 7', 'its "effect" gave'],
  ['question', '() => 7', 'its "question" gave'],
  ['binds', "async () => { throw new Error('no files') }", 'it threw "no files"'],
  ['binds', 'async () => 7', 'its "binds" gave'],
])('a call whose %s is %s is told to the model as a failure, and the run goes on', async (key, text, says) => {
  const { result, screen } = await outcomeOf(fileWith({ [key]: text }));
  expect(result).toContain('The tool faulty did not run');
  expect(result).toContain(says);
  expect(screen.some((shown) => /went wrong|unknown/i.test(shown.text))).toBe(false);
});

test.each(['subRun', 'effect', 'files'])('a call whose output has a %s that is none has failed', async (key) => {
  const execute = `async () => ({ ...llmOnly('it ran'), ${key}: 7 })`;
  expect((await outcomeOf(fileWith({ execute }))).result).toContain(`"${key}" of its output`);
});

test('a call that throws once what it does is stored has succeeded', async () => {
  const stored = "stored() { throw new Error('too late') }";
  const execute = `async () => ({ ...llmOnly(''), effect: { apply: () => llmOnly('it is stored'), ${stored} } })`;
  expect((await outcomeOf(fileWith({ execute }))).result).toBe('it is stored');
});

test('a call whose tool never says what it will do is a failure after ten seconds', async () => {
  const file = fileWith({ describeCall: 'async () => new Promise(() => {})' });
  const { result } = await outcomeOf(file, async ({ setting: { clock } }) => {
    await clock.waitsFor(10_000);
    clock.advance(10_000);
  });
  expect(result).toContain('It did not answer within 10 s.');
});

test('a call whose arguments are no JSON is a failure of its tool', async () => {
  const facts = "toolName: 'faulty', displayName: 'faulty', category: 'network_read', facets: {}";
  const prepared = `{ ${facts}, arguments: { a: 1n }, describe: () => 'does', preview: async () => undefined }`;
  const spec = "async () => ({ name: 'faulty', description: 'Does.', parameters: {} })";
  const made = `{ name: 'faulty', displayName: 'faulty', category: 'network_read', spec: ${spec}`;
  const file = `export default ${made}, prepare: async () => ({ valid: true, call: ${prepared} }) };`;
  expect((await outcomeOf(file)).result).toContain('The tool faulty did not run');
});

test('a card whose preview throws says so, and the call can be decided', async () => {
  const preview = "async () => { throw new Error('no look') }";
  await outcomeOf(fileWith({ category: "'shell'", preview }), async ({ setting: { channel } }) => {
    const card = await channel.sees('Say something to you?');
    expect(card.text).toContain(toolsWords.en.noPreview('no look'));
    await channel.press(card);
  });
});
