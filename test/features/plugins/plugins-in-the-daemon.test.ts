import { appendFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { trustWords } from '../../../src/extension-kit/trust/words.ts';
import { pluginWords } from '../../../src/features/plugins/words.ts';
import { type DaemonSetting, daemonSetting } from '../../support/daemon-setting.ts';
import { newFolder } from '../../support/new-folder.ts';
import { noTool } from '../../support/no-tool.ts';
import { copyPlugin, greeter, writePlugin } from '../../support/plugin-files.ts';
import { processesWith } from '../../support/processes.ts';
import { call } from '../../support/scripted-model.ts';
import { useTool } from '../../support/use-tool.ts';
import { waitUntil } from '../../support/wait-for.ts';

const changedNews = trustWords.en.news({ subject: '', isChanged: true }).replace(/^🔑 /, '');

/** A daemon with plugins that an owner is asked about, in a chat of their own. */
async function housed(put: (folder: string) => Promise<unknown>) {
  const folder = await newFolder();
  await put(folder);
  const setting = await daemonSetting({ config: { plugins: { enabled: true, plugin_dirs: [folder] } } });
  setting.model.otherwise(async () => 'noted');
  await setting.channel.say('hi');
  return { setting, folder };
}

/** The owner trusts what they were asked about last; resolves when the model is told of the tool. */
async function trust({ channel, model }: DaemonSetting, tool: string): Promise<void> {
  const { text } = await channel.sees(/\/trust [a-z0-9]+/);
  await channel.ask(`/trust ${/\/trust ([a-z0-9]+)/.exec(text)?.[1]}`, 'Trusted: the plugin');
  await waitUntil(async () => {
    const asked = model.requests.length;
    await channel.say('what is there?');
    const request = await model.asked(asked + 1);
    return request.tools.some(({ name }) => name === tool);
  });
}

test('a plugin is off until its owner trusts it in the chat; then its tools are there, after a restart too', async () => {
  const { setting, folder } = await housed((path) => copyPlugin('dice', path));
  const { channel } = setting;
  const { text } = await channel.sees('The plugin `dice` is new here');
  expect(text).toContain('`roll_dice` (filesystem_read)');
  await trust(setting, 'roll_dice');
  expect(await useTool(setting, 'roll_dice', { count: 2 })).toMatch(/^[1-6] [1-6]$/m);
  await channel.sees('🎲');
  expect((await processesWith(folder)).length).toBe(1);
  await setting.restart();
  expect(await processesWith(folder)).toEqual([]);
  expect(await useTool(setting, 'roll_dice', { count: 1 })).toMatch(/^[1-6]$/m);
  await appendFile(join(folder, 'dice', 'dice.mjs'), '// changed\n');
  await setting.restart();
  await channel.sees(changedNews);
  expect(await useTool(setting, 'roll_dice', { count: 1 })).toContain(noTool('roll_dice'));
});

test('a command of a plugin asks like any other, and the card shows the command with its values', async () => {
  const { setting } = await housed((path) => writePlugin(path, greeter));
  const { channel, model } = setting;
  await trust(setting, 'greet');
  model.next([call('greet', { name: 'Ada; id' })], 'done');
  const card = await channel.cardFor('greet');
  expect(card.text).toContain("Run `echo Hello, 'Ada; id'`");
});

test('a command of a plugin does not start in a folder of Keyturn’s own, though a workspace is around it', async () => {
  const tool = { ...greeter.tools[0], category: 'filesystem_read', working_dir: 'data' };
  const { setting } = await housed((path) => writePlugin(path, { ...greeter, tools: [tool] }));
  await trust(setting, 'greet');
  await setting.restart({ workspace: setting.folder });
  expect(await useTool(setting, 'greet', { name: 'Ada' })).toContain('greet did not run');
});

test('nobody but an owner trusts a plugin, and what was exchanged since it was shown is not what they trust', async () => {
  const folder = await newFolder();
  await copyPlugin('dice', folder);
  const config = { plugins: { enabled: true, plugin_dirs: [folder] } };
  const { setting, channel, model } = await daemonSetting({ config, allowFrom: ['bob'] });
  model.otherwise(async () => 'noted');
  const { text } = await channel.ask('hi', /\/trust [a-z0-9]+/);
  const id = /\/trust ([a-z0-9]+)/.exec(text)?.[1] ?? '';
  await channel.ask(`/trust ${id}`, 'Only an owner', { by: 'bob', at: 'test:bob' });
  await channel.ask(`/trust ${id.slice(1)} ${id}x trusted 1`, 'No such ID');
  expect(setting.rows('SELECT trusted_id, asked_id FROM trusted')).toEqual([{ trusted_id: null, asked_id: id }]);
  await appendFile(join(folder, 'dice', 'dice.mjs'), '// something else\n');
  await channel.ask(`/trust ${id}`, changedNews);
  await channel.sayAtRest('what is there?');
  expect(model.requests.at(-1)?.tools.map(({ name }) => name)).not.toContain('roll_dice');
});

test.each(['the folder of an agent', 'the data folder'])(
  'a plugin in %s is refused: what tools can write is not run',
  async (place) => {
    const { setting, folder } = await housed((path) => writePlugin(path, greeter));
    const inData = join(setting.folder, 'data', 'plugins');
    await writePlugin(inData, greeter);
    const [dir, agents] = place === 'the data folder' ? [inData, {}] : [folder, { scout: { workspace: folder } }];
    await setting.restart({ plugins: { enabled: true, plugin_dirs: [dir] }, agents });
    await waitUntil(async () => {
      await setting.channel.sayAtRest('/status');
      return setting.channel.textsIn('test:ada').some((text) => text.includes(pluginWords.en.inWorkspace));
    });
  },
);
