import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { type DaemonSetting, daemonSetting } from '../../../support/daemon-setting.ts';
import { call, resultsOf } from '../../../support/scripted-model.ts';
import { useTool } from '../../../support/use-tool.ts';

const greet = {
  name: 'greet',
  description: 'Greets somebody.',
  command: 'echo "Hello, {{who}}!" | tee greeting.txt',
  parameters: { who: 'string' },
};

const setting = (...customTools: readonly object[]): Promise<DaemonSetting> =>
  daemonSetting({ config: { custom_tools: customTools } });

/** What the model is told of a tool. */
function definitionIn({ model }: DaemonSetting, name: string) {
  return model.requests.at(-1)?.tools.find((tool) => tool.name === name);
}

describe('a custom tool in a chat', () => {
  test('is told to the model, asks with the values in view, and runs once it is approved', async () => {
    const daemon = await setting(greet);
    const { model, channel, workspace } = daemon;
    model.next([call('greet', { who: '$(touch stolen) "Bob"' })], 'greeted');
    await channel.say('greet Bob');
    const card = await channel.card();
    expect(definitionIn(daemon, 'greet')).toEqual({
      name: 'greet',
      description: 'Greets somebody.',
      parameters: {
        type: 'object',
        properties: { who: { type: 'string' } },
        required: ['who'],
        additionalProperties: false,
      },
    });
    expect(card.text).toContain('Run `echo "Hello, \\$(touch stolen) \\"Bob\\"!" | tee greeting.txt`?**\n');
    expect(card.text).toContain('\nWrites files (`greeting.txt`)\n');
    await channel.press(await channel.card());
    await channel.sees('greeted');
    const greeting = 'Hello, $(touch stolen) "Bob"!';
    expect(resultsOf(await model.asked(2))).toEqual([`[exit code 0]\n${greeting}`]);
    expect(await readFile(join(workspace, 'greeting.txt'), 'utf8')).toBe(`${greeting}\n`);
    await expect(readFile(join(workspace, 'stolen'))).rejects.toThrow('ENOENT');
  });

  test('does not ask where its category does not', async () => {
    const daemon = await setting({ ...greet, command: 'echo {{who}}', category: 'filesystem_read' });
    expect(await useTool(daemon, 'greet', { who: 'a' })).toBe('[exit code 0]\na');
  });

  test('does not run with arguments that it has not declared, and nobody is asked', async () => {
    const daemon = await setting(greet);
    expect(await useTool(daemon, 'greet', { who: 'a', how: '; id' })).toContain('how: unknown;');
    expect(daemon.rows('SELECT * FROM approvals')).toEqual([]);
  });

  test('is not what was approved once the operator has changed its command', async () => {
    const daemon = await setting(greet);
    const { model, channel } = daemon;
    model.next([call('greet', { who: 'Bob' })], 'I see');
    await channel.say('greet Bob');
    const card = await channel.card();
    await daemon.restart({ custom_tools: [{ ...greet, command: 'echo "Go away, {{who}}!" | tee greeting.txt' }] });
    await channel.press(card);
    await channel.sees('I see');
    expect(resultsOf(await model.asked(2)).at(-1)).toMatch(/^Not executed: /);
    await expect(readFile(join(daemon.workspace, 'greeting.txt'))).rejects.toThrow('ENOENT');
  });
});

describe('a custom tool with the name of a builtin one', () => {
  const ownEcho = {
    name: 'echo',
    description: 'Echoes backwards.',
    command: 'echo {{text}} | rev',
    category: 'filesystem_read',
    parameters: { text: 'string' },
  };

  test('stands in for it, in what the model is told and in what runs, as long as the config has it', async () => {
    const daemon = await setting(ownEcho);
    expect(await useTool(daemon, 'echo', { text: 'abc' })).toBe('[exit code 0]\ncba');
    expect(definitionIn(daemon, 'echo')?.description).toBe('Echoes backwards.');
    expect(await useTool(daemon, 'list_tools', { name: 'echo' })).toContain('echo (custom, filesystem_read,');
    await daemon.restart({ custom_tools: [] });
    expect(await useTool(daemon, 'echo', { message: 'abc' })).toBe('abc');
    expect(definitionIn(daemon, 'echo')?.description).toContain('Gives the message back');
  });

  test('is there although the builtin one is off', async () => {
    const daemon = await daemonSetting({ config: { custom_tools: [ownEcho], tools: { echo: { enabled: false } } } });
    expect(await useTool(daemon, 'echo', { text: 'abc' })).toBe('[exit code 0]\ncba');
  });
});

test('/tools and list_tools say where it comes from, whether it asks, and how it has done', async () => {
  const look = { ...greet, name: 'look', command: 'cat {{who}}', category: 'filesystem_read' };
  const daemon = await setting(greet, look);
  await writeFile(join(daemon.workspace, 'a.txt'), 'content');
  expect(await useTool(daemon, 'look', { who: 'a.txt' })).toContain('content');
  await useTool(daemon, 'look', { who: 'b.txt' });
  await daemon.channel.say('/tools all');
  const { text } = await daemon.channel.sees('Tools here:');
  expect(text).toContain('- `greet` (custom, shell): asks first\n');
  expect(text).toMatch(/- `look` \(custom, filesystem_read\): never asks; used 2×, 1 failed, \d+ ms on average/);
  const listed = await useTool(daemon, 'list_tools', {});
  expect(listed).toContain('greet (custom, shell, asks a person first): Greets somebody.');
  expect(listed).toContain('look (custom, filesystem_read, does not ask, called 2 times, 1 failed): Greets somebody.');
});
