import { expect, test } from 'vitest';
import { loadText } from './load-text.ts';

test('files of tools and the folders of hooks are found from the config', async () => {
  const { config } = await loadText(`{
    "tool_modules": ["./dice.ts", "/opt/tools.mjs"],
    "hooks": { "before_tool_call": [{ "command": "a" }], "after_tool_call": [{ "command": "b", "working_dir": "hooks" }] }
  }`);
  expect(config.tool_modules).toEqual(['/home/keyturn/dice.ts', '/opt/tools.mjs']);
  expect(config.hooks).toMatchObject({
    before_tool_call: [
      { working_dir: '/home/keyturn', tools: ['*'], categories: [], timeout_secs: 10, on_failure: 'cancel' },
    ],
    after_tool_call: [{ working_dir: '/home/keyturn/hooks' }],
  });
});

test('a hook that asks a plugin where there are none is warned of', async () => {
  const hooks = '"hooks": { "before_tool_call": [{ "command": "a" }, { "plugin": "watch" }] }';
  expect((await loadText(`{ ${hooks} }`)).warnings).toEqual([
    'hooks.before_tool_call[1] has no effect: plugins.enabled is false.',
  ]);
  expect((await loadText(`{ ${hooks}, "plugins": { "enabled": true } }`)).warnings).toEqual([]);
});
