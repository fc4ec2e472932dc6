import { readFileSync } from 'node:fs';
import { chmod, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { daemonSetting } from '../support/daemon-setting.ts';
import { newFolder } from '../support/new-folder.ts';
import { call, resultsOf } from '../support/scripted-model.ts';
import { useTool } from '../support/use-tool.ts';
import { customSetting, printedBy } from '../tools/sources/custom/custom-setting.ts';
import { loadText } from './load-text.ts';

/** The examples of the documents that Keyturn goes back to, character by character. */
const examples = {
  custom: `{
"name": "my_tool",
"description": "我的自定义工具",
"command": "echo {{param}}",
"parameters": {
"param": "string"
}
}`,
  composed: `{
"name": "summarize_url",
"description": "获取 URL 并返回 3 点摘要",
"action": "获取 {{url}} 的网页内容并生成简洁的 3 点摘要",
"parameters": {
"url": {
"param_type": "string",
"description": "要摘要的 URL",
"required": true
}
}
}`,
  tools: `{
"tools": {
"http_request": {
"allowed_domains": ["api.example.com", "*.myco.com"],
"timeout_secs": 30,
"max_response_bytes": 524288
}
},
"approval": {
"enabled": true,
"policy": "require_for_dangerous",
"dangerous_tools": ["shell", "write_file", "edit_file"]
}
}`,
  customTools: `{
"custom_tools": [
{
"name": "cpu_temp",
"description": "获取 CPU 温度",
"command": "sensors | grep 'Core 0' | awk '{print $3}'",
"timeout_secs": 10
}
]
}`,
};

test.each([
  ['a custom tool', `{ "custom_tools": [${examples.custom}] }`],
  ['a composed tool', `{ "composed_tools": [${examples.composed}] }`],
  ['settings of tools and approval', examples.tools],
  ['a list of custom tools', examples.customTools],
])('an example of the documents loads unchanged: %s', async (_what, text) => {
  await expect(loadText(text)).resolves.toMatchObject({ warnings: [] });
});

const small = '"model": "offline", "models": { "small": { "provider": "openai", "name": "a", "api_key": "k" } }';

test.each(
  ['agents', 'channel-plugins', 'hooks', 'mcp', 'own-tools', 'plugins'].flatMap((name) => {
    const text = readFileSync(new URL(`../../docs/${name}.md`, import.meta.url), 'utf8');
    const blocks = Array.from(text.matchAll(/```jsonc\n([\s\S]*?)```/g), ([, block = '']) => block.trim());
    return blocks.map((block) => [name, block.startsWith('{') ? block.slice(1, -1) : block] as const);
  }),
)('an example of docs/%s.md loads by itself', async (_name, block) => {
  const env = { TICKETS_TOKEN: 't', PAGER_TOKEN: 'p' };
  await expect(loadText(`{ ${small},\n${block} }`, { env })).resolves.toBeDefined();
});

test('the custom tool with a parameter asks, and echoes what it is given', async () => {
  const { model, channel } = await daemonSetting({ config: { custom_tools: [JSON.parse(examples.custom)] } });
  model.next([call('my_tool', { param: '你好; id' })], '好');
  await channel.say('echo');
  const card = await channel.card();
  expect(card.text).toContain("Run `echo '你好; id'`");
  await channel.press(await channel.card());
  await channel.sees('好');
  expect(resultsOf(await model.asked(2))).toEqual(['[exit code 0]\n你好; id']);
});

test('the custom tool without a parameter tells the temperature', async () => {
  const { config } = await loadText(examples.customTools);
  const [{ name, description, command, timeout_secs } = missing] = config.custom_tools;
  const programs = await newFolder();
  await writeFile(join(programs, 'sensors'), '#!/bin/sh\necho "Package id 0:  +50.0°C"\necho "Core 0:  +48.0°C"\n');
  await chmod(join(programs, 'sensors'), 0o755);
  const environment = { PATH: `${programs}:${process.env.PATH}` };
  const { call: run } = await customSetting({ name, description, command, timeout_secs, environment });
  expect(printedBy(await run({}))).toBe('+48.0°C');
});

const missing = { name: '', description: '', command: '', timeout_secs: 0 };

test('the settings of http_request and of approval hold', async () => {
  const setting = await daemonSetting({ config: JSON.parse(examples.tools) });
  const refused = await useTool(setting, 'http_request', { method: 'GET', url: 'https://example.org/' });
  expect(refused).toContain('api.example.com');
  expect(refused).toContain('*.myco.com');
  const listed = await useTool(setting, 'list_tools', {});
  for (const name of ['shell', 'write_file', 'edit_file']) {
    expect(listed).toMatch(new RegExp(`^${name} \\(builtin, \\w+, asks a person first`, 'm'));
  }
  expect(listed).toMatch(/^read_file \(builtin, filesystem_read, does not ask/m);
});
