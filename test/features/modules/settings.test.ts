import { expect, test } from 'vitest';
import { moduleSettings } from '../../../src/features/modules/settings.ts';
import { loadText } from '../../config/load-text.ts';

const line = '"channel_plugins": { "line": { "path": "./channels/line" } }';

test('the settings of a channel from elsewhere stand under channels, and its people are named as any', async () => {
  const { config, warnings } = await loadText(
    `{ ${line},
      "channels": { "line": { "port": 7, "token": "\${LINE_TOKEN}", "allow_from": ["bob"], "groups": { "g": {} } } },
      "owners": ["line:ada"], "people": { "Bob": ["line:bob", "telegram:7"] },
      "approval": { "approvers": ["line:ada"], "forward_to": ["line:ada"] },
      "tools": { "per_chat": { "line:ada": {} } } }`,
    { env: { LINE_TOKEN: 'a-secret-token' } },
  );
  expect(moduleSettings.read(config).channel_plugins).toEqual({
    line: { path: '/home/keyturn/channels/line', from: '/home/keyturn' },
  });
  expect(config.channels.line).toMatchObject({ enabled: true, port: 7, token: 'a-secret-token', allow_from: ['bob'] });
  expect(config.channels.line).toMatchObject({ groups: { g: { require_mention: true } } });
  expect(warnings).toEqual([]);
});

test('a package is looked for from the folder of the config, or from where it says', async () => {
  const { config } = await loadText(
    '{ "channel_plugins": { "a": { "package": "@me/a" }, "b": { "package": "b", "from": "../lib" } } }',
  );
  expect(moduleSettings.read(config).channel_plugins).toEqual({
    a: { package: '@me/a', from: '/home/keyturn' },
    b: { package: 'b', from: '/home/lib' },
  });
});

test('a channel that is switched off needs none of its variables', async () => {
  const { config } = await loadText(
    `{ ${line}, "channels": { "line": { "enabled": false, "token": "\${LINE_TOKEN}" } } }`,
  );
  expect(config.channels.line).toMatchObject({ enabled: false });
});
