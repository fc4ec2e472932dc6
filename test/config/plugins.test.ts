import { expect, test } from 'vitest';
import { faultsOf, loadText } from './load-text.ts';

test('plugins are off, and would stand beside the config', async () => {
  const { config } = await loadText('{}');
  expect(config.plugins).toEqual({
    enabled: false,
    plugin_dirs: ['/home/keyturn/plugins'],
    allowed_plugins: [],
    blocked_plugins: [],
  });
});

test('folders of plugins are relative to the config, or absolute', async () => {
  const { config } = await loadText('{"plugins": {"plugin_dirs": ["mine", "../shared", "/opt/plugins"]}}');
  expect(config.plugins.plugin_dirs).toEqual(['/home/keyturn/mine', '/home/shared', '/opt/plugins']);
});

test.each([
  ['{"plugins": {"plugin_dir": []}}', 'plugins.plugin_dir: unknown key. Did you mean "plugin_dirs"?'],
  ['{"plugins": {"blocked_plugins": ["a b"]}}', 'plugins.blocked_plugins[0]: expected the name of a plugin'],
  ['{"plugins": {"enabled": "yes"}}', 'plugins.enabled: expected true or false'],
])('%s is refused', async (text, words) => {
  expect(await faultsOf(text)).toContain(words);
});
