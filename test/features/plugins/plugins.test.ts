import { appendFile, chmod, mkdir, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { extensionWords } from '../../../src/extension-kit/words.ts';
import { pluginWords } from '../../../src/features/plugins/words.ts';
import { inlineCode } from '../../../src/lib/plain-text.ts';
import { languages, wordsIn } from '../../../src/lib/words.ts';
import { echo } from '../../../src/tools/builtin/run-tools.ts';
import { registrationOf } from '../../../src/tools/registry.ts';
import { newFolder } from '../../support/new-folder.ts';
import { greeter, writePlugin, writeTroublesome } from '../../support/plugin-files.ts';
import { waitUntil } from '../../support/wait-for.ts';
import { contextIn, scopeIn } from '../../tools/setting.ts';
import { pluginSetting, startTrusted } from './plugin-setting.ts';

/** What is said of a plugin that cannot be used as a whole. */
function troubleWith(plugin: string, why: string): string {
  const { trouble, unusable } = extensionWords.en;
  return trouble({ title: pluginWords.en.title({ plugin }), fault: unusable({ why }) });
}

describe('a plugin', () => {
  test('is off until an owner trusts exactly what it is', async () => {
    const setting = await pluginSetting();
    await writePlugin(setting.folder, greeter);
    await setting.plugins.start();
    expect(setting.names()).toEqual([]);
    expect(setting.trust.asked).toMatchObject([{ kind: 'plugin', name: 'greeter' }]);
    setting.trust.trust('greeter');
    await waitUntil(() => setting.names().length > 0);
    expect((await setting.call('greet', { name: 'Ada' })).forLlm).toBe('[exit code 0]\nHello, Ada');
    expect(setting.troubles()).toEqual([]);
  });

  test('is shown to the owner with all that it would run', async () => {
    const words = pluginWords.en;
    const setting = await pluginSetting();
    const path = await writePlugin(setting.folder, { ...greeter, author: 'Eve *the* great' });
    await setting.plugins.start();
    expect(setting.trust.asked[0]?.what).toBe(
      [
        '**greeter** 1.0.0 by Eve \\*the\\* great: Greets people.',
        words.tools({ lines: ['- `greet` (shell): Greets. Runs `echo Hello, {{name}}`.'], more: 0 }),
        '',
        words.place({ folder: inlineCode(path), fileCount: 1, program: undefined, isConfined: false }),
      ].join('\n'),
    );
  });

  test('tells the model what its manifest says', async () => {
    const setting = await pluginSetting();
    await writePlugin(setting.folder, greeter);
    await startTrusted(setting, 'greeter');
    const { tool, source } = (await setting.registry.get('greet', scopeIn(setting.workspace))) ?? {};
    expect(source).toEqual({ type: 'plugin', name: 'greeter' });
    expect(tool?.category).toBe('shell');
    expect(await tool?.spec()).toEqual({
      name: 'greet',
      description: 'Greets.',
      parameters: {
        type: 'object',
        properties: { name: { type: 'string' } },
        required: ['name'],
        additionalProperties: false,
      },
    });
    const call = await setting.prepare('greet', { name: "O'Hara; ls" });
    expect(call.describe()).toMatch(/^run `echo Hello, 'O'\\''Hara; ls'`$/);
    expect(call.facets).toEqual({
      unconfined: true,
      brings: 'plugin greeter',
      targets: ["O'Hara; ls"],
      covers: ["O'Hara; ls", 'nothing else'],
    });
    expect(call.fingerprint).toBe(setting.trust.asked[0]?.fingerprint);
    await expect(setting.prepare('greet', { name: 'Ada', more: 1 })).rejects.toThrow('more: unknown; known are');
  });

  test('that remembers or sends something is taken for one that changes something', async () => {
    const setting = await pluginSetting();
    const tool = { name: 'a', description: 'x', command: 'true' };
    const tools = [
      { ...tool, category: 'memory' },
      { ...tool, name: 'b', category: 'messaging' },
    ];
    await writePlugin(setting.folder, { ...greeter, tools });
    await startTrusted(setting, 'greeter');
    expect((await setting.prepare('a')).facets).toEqual({ writesMemory: true, brings: 'plugin greeter' });
    expect((await setting.prepare('b')).facets).toEqual({ leavesConversation: true, brings: 'plugin greeter' });
  });
});

describe('a folder that changes', () => {
  const changes: readonly (readonly [string, (path: string) => Promise<unknown>])[] = [
    ['by a byte of a file', (path) => appendFile(join(path, 'plugin.json'), '\n')],
    ['by a new file', (path) => writeFile(join(path, 'new'), '')],
    ['by a file that goes', (path) => rm(join(path, 'readme'))],
    ['by a name', (path) => rename(join(path, 'readme'), join(path, 'README'))],
    ['by a mode', (path) => chmod(join(path, 'readme'), 0o755)],
    ['by a link', (path) => symlink('readme', join(path, 'link'))],
    ['by a link that leads out of it', (path) => symlink('/etc/passwd', join(path, 'link'))],
    ['by going', (path) => rm(path, { recursive: true })],
    ['by an empty folder', (path) => mkdir(join(path, 'folder'))],
  ];

  test.each(changes)('%s is off before anything of it is run, until an owner trusts it again', async (_, change) => {
    const setting = await pluginSetting();
    const path = await writePlugin(setting.folder, greeter);
    await writeFile(join(path, 'readme'), 'read me');
    await chmod(join(path, 'readme'), 0o644);
    await startTrusted(setting, 'greeter');
    await change(path);
    const { forLlm, isError } = await setting.call('greet', { name: 'Ada' });
    expect(isError).toBe(true);
    expect(forLlm).toContain('Its folder has changed since an owner trusted it. It is off');
    await waitUntil(() => setting.names().length === 0);
    await waitUntil(
      () =>
        setting.trust.asked.length === 2 ||
        setting
          .troubles()
          .some(
            (trouble) =>
              trouble.includes(pluginWords.en.gone) || trouble.includes(pluginWords.en.leadsOut({ path: 'link' })),
          ),
    );
  });

  test('is on again when an owner trusts what it is now, and does what it says now', async () => {
    const setting = await pluginSetting();
    await writePlugin(setting.folder, greeter);
    await startTrusted(setting, 'greeter');
    const tools = [{ ...greeter.tools[0], name: 'salute', command: 'echo Hail, {{name}}' }];
    await writePlugin(setting.folder, { ...greeter, tools });
    await setting.call('greet', { name: 'Ada' });
    await waitUntil(() => setting.trust.asked.length === 2);
    setting.trust.trust('greeter');
    await waitUntil(() => setting.names().includes('salute'));
    expect(setting.names()).toEqual(['salute']);
    expect((await setting.call('salute', { name: 'Ada' })).forLlm).toBe('[exit code 0]\nHail, Ada');
  });

  test('between the question and the answer is asked for again', async () => {
    const setting = await pluginSetting();
    const path = await writePlugin(setting.folder, greeter);
    await setting.plugins.start();
    await writeFile(join(path, 'late'), 'changed');
    setting.trust.trust('greeter');
    await waitUntil(() => setting.trust.asked.length === 2);
    expect(setting.names()).toEqual([]);
  });

  test('ends a program that goes on running only with the next one that is started', async () => {
    const setting = await pluginSetting();
    const path = await writeTroublesome(setting.folder);
    await startTrusted(setting, 'troublesome');
    await setting.call('say', { text: 'a' });
    await appendFile(join(path, 'program.mjs'), '// changed\n');
    // It is what was trusted that runs.
    expect((await setting.call('say', { text: 'b' })).forLlm).toBe('b');
    await setting.call('leave');
    await waitUntil(() => setting.log.some(({ message }) => message.includes('has ended')));
    expect((await setting.call('say', { text: 'c' })).forLlm).toContain('has changed');
  });
});

test('a call that was prepared before an owner ended their trust does nothing', async () => {
  const setting = await pluginSetting();
  await writePlugin(setting.folder, greeter);
  await startTrusted(setting, 'greeter');
  const call = await setting.prepare('greet', { name: 'Ada' });
  setting.trust.distrust('greeter');
  await waitUntil(() => setting.names().length === 0);
  expect((await call.execute(contextIn(setting.workspace))).forLlm).toContain('It is off by now.');
});

test('a plugin that an owner trusts no longer is off, with its process', async () => {
  const setting = await pluginSetting();
  await writeTroublesome(setting.folder);
  await startTrusted(setting, 'troublesome');
  await setting.call('say', { text: 'a' });
  setting.trust.distrust('troublesome');
  await waitUntil(() => setting.names().length === 0);
  setting.trust.trust('troublesome');
  await waitUntil(() => setting.names().length > 0);
  expect((await setting.call('say', { text: 'b' })).forLlm).toBe('b');
});

describe('names', () => {
  test('that are taken, or are those of builtin tools, are left out, and that is said', async () => {
    const setting = await pluginSetting();
    setting.registry.register(registrationOf(echo()), { type: 'builtin' });
    const tools = ['echo', 'SHELL', 'greet'].map((name) => ({ ...greeter.tools[0], name }));
    await writePlugin(setting.folder, { ...greeter, tools });
    await startTrusted(setting, 'greeter');
    expect(setting.names()).toEqual(['echo', 'greet']);
    expect((await setting.registry.get('echo', scopeIn('/')))?.source).toEqual({ type: 'builtin' });
    expect(setting.troubles()).toEqual([
      troubleWith('greeter', pluginWords.en.toolTaken({ tool: 'echo' })),
      troubleWith('greeter', pluginWords.en.toolTaken({ tool: 'SHELL' })),
    ]);
  });

  test('of another plugin stay with it', async () => {
    const setting = await pluginSetting();
    await writePlugin(setting.folder, greeter, 'a');
    await writePlugin(setting.folder, { ...greeter, name: 'rival' }, 'b');
    await startTrusted(setting, 'greeter');
    setting.trust.trust('rival');
    await waitUntil(() => setting.troubles().some((note) => note.includes('left out')));
    expect((await setting.registry.get('greet', scopeIn('/')))?.source).toEqual({ type: 'plugin', name: 'greeter' });
  });

  test('of plugins are there once', async () => {
    const setting = await pluginSetting();
    await writePlugin(setting.folder, greeter, 'a');
    const path = await writePlugin(setting.folder, greeter, 'b');
    await setting.plugins.start();
    expect(setting.troubles()).toContain(pluginWords.en.nameTaken({ path, plugin: 'greeter' }));
    expect(setting.trust.asked).toHaveLength(1);
  });

  test('is there again when it is allowed again while it still ends', async () => {
    const blocked: string[] = [];
    const setting = await pluginSetting({ settings: { blocked_plugins: blocked } });
    await writeTroublesome(setting.folder, {}, 'process.exit = () => {}; setInterval(() => {}, 1000);');
    await startTrusted(setting, 'troublesome');
    await setting.call('say', { text: 'hello' });
    blocked.push('troublesome');
    void setting.plugins.start();
    await waitUntil(() => setting.names().length === 0);
    blocked.pop();
    await setting.plugins.start();
    expect((await setting.call('say', { text: 'back' })).forLlm).toBe('back');
  });

  test('decide which plugins may be there: a block is stronger than an allowance', async () => {
    const names = ['a', 'b', 'c'];
    const asked = async (allowed: readonly string[], blocked: readonly string[]): Promise<readonly string[]> => {
      const setting = await pluginSetting({ settings: { allowed_plugins: allowed, blocked_plugins: blocked } });
      for (const name of names) await writePlugin(setting.folder, { ...greeter, name }, name);
      await setting.plugins.start();
      return setting.trust.asked.map((subject) => subject.name);
    };
    expect(await asked([], [])).toEqual(['a', 'b', 'c']);
    expect(await asked(['a', 'b'], ['b'])).toEqual(['a']);
    expect(await asked([], ['c'])).toEqual(['a', 'b']);
  });
});

describe('what is wrong with one plugin', () => {
  test('costs none of the others', async () => {
    const setting = await pluginSetting();
    await writePlugin(setting.folder, '{"name": "broken",\n  "version": }', 'a');
    await writePlugin(setting.folder, greeter, 'b');
    await mkdir(join(setting.folder, 'c'));
    await writeFile(join(setting.folder, 'd'), 'no folder');
    await startTrusted(setting, 'greeter');
    expect(setting.names()).toEqual(['greet']);
    const file = join(setting.folder, 'a', 'plugin.json');
    expect(setting.troubles()).toEqual([
      expect.stringContaining(`${file}: ${pluginWords.en.notJson({ fault: 'line 2, column 14' })}`),
    ]);
    expect(setting.log).toContainEqual(
      expect.objectContaining({ level: 'warn', message: expect.stringMatching(/not right/) }),
    );
  });

  test('is a folder in a workspace, or around one', async () => {
    const home = await newFolder();
    const folder = join(home, 'workspace', 'plugins');
    const path = await writePlugin(folder, greeter);
    for (const workspace of [
      join(home, 'workspace'),
      join(home, '{channel}'),
      join(path, 'work'),
      join(path, '{chat_id}'),
    ]) {
      const setting = await pluginSetting({ workspace, settings: { plugin_dirs: [folder] } });
      await setting.plugins.start();
      expect(setting.troubles()).toEqual([expect.stringContaining(pluginWords.en.inWorkspace)]);
      expect(setting.trust.asked).toEqual([]);
    }
    const setting = await pluginSetting({
      workspace: join(home, 'work-{chat_id}'),
      settings: { plugin_dirs: [folder] },
    });
    await setting.plugins.start();
    expect(setting.trust.asked).toHaveLength(1);
  });

  test('is a socket, or that it stands in a workspace by a link', async () => {
    const setting = await pluginSetting();
    const path = await writePlugin(setting.folder, greeter, 'a');
    await symlink(await writePlugin(setting.workspace, greeter), join(setting.folder, 'b'));
    const server = createServer().listen(join(path, 'socket'));
    onTestFinished(() => void server.close());
    await waitUntil(() => server.listening);
    await setting.plugins.start();
    expect(setting.troubles()).toEqual([
      pluginWords.en.folderFault({ path, fault: pluginWords.en.strangeEntry({ path: 'socket' }) }),
      expect.stringContaining(pluginWords.en.inWorkspace),
    ]);
  });

  test('is that its folder for plugins is missing', async () => {
    const setting = await pluginSetting({ settings: { plugin_dirs: ['/nowhere/plugins'] } });
    await setting.plugins.start();
    expect(setting.log).toContainEqual(
      expect.objectContaining({ level: 'warn', fields: { folder: '/nowhere/plugins' } }),
    );
    const [trouble = ''] = setting.plugins.troubles();
    for (const language of languages)
      expect(wordsIn(language, trouble)).toBe(pluginWords[language].noFolder({ path: '/nowhere/plugins' }));
  });
});
