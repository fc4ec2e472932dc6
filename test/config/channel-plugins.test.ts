import { expect, test } from 'vitest';
import { faultsOf, loadText } from './load-text.ts';

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
  expect(config.channel_plugins).toEqual({ line: { path: '/home/keyturn/channels/line', from: '/home/keyturn' } });
  expect(config.channels.line).toMatchObject({ enabled: true, port: 7, token: 'a-secret-token', allow_from: ['bob'] });
  expect(config.channels.line).toMatchObject({ groups: { g: { require_mention: true } } });
  expect(warnings).toEqual([]);
});

test('a package is looked for from the folder of the config, or from where it says', async () => {
  const { config } = await loadText(
    '{ "channel_plugins": { "a": { "package": "@me/a" }, "b": { "package": "b", "from": "../lib" } } }',
  );
  expect(config.channel_plugins).toEqual({
    a: { package: '@me/a', from: '/home/keyturn' },
    b: { package: 'b', from: '/home/lib' },
  });
});

test('a channel that is switched off needs none of its variables', async () => {
  const { config } = await loadText(
    `{ ${line}, "channels": { "line": { "enabled": false, "token": "\${LINE_TOKEN}" } } }`,
  );
  expect(config.channels.line).toMatchObject({ enabled: false });
  expect(await faultsOf(`{ ${line}, "channels": { "line": { "token": "\${LINE_TOKEN}" } } }`)).toContain(
    'LINE_TOKEN is not set',
  );
});

test.each([
  [
    '{ "channel_plugins": { "telegram": { "path": "a" } } }',
    '1:24  channel_plugins.telegram: Keyturn uses this name itself',
  ],
  ['{ "channel_plugins": { "device": { "path": "a" } } }', 'channel_plugins.device: Keyturn uses this name itself'],
  ['{ "channel_plugins": { "Line": { "path": "a" } } }', 'channel_plugins.Line: this key is invalid'],
  ['{ "channel_plugins": { "a:b": { "path": "a" } } }', 'this key is invalid'],
  ['{ "channel_plugins": { "line": {} } }', 'channel_plugins.line: expected either "path" or "package", and not both'],
  ['{ "channel_plugins": { "line": { "path": "a", "package": "b" } } }', 'expected either "path" or "package"'],
  ['{ "channel_plugins": { "line": { "package": "../b" } } }', 'expected the name of an npm package'],
  ['{ "channels": { "line": {} } }', 'channels.line: unknown key'],
  ['{ "owners": ["line:ada"] }', 'owners[0]: expected a channel before the colon ("terminal", "telegram")'],
  [`{ ${line}, "owners": ["lime:ada"] }`, 'expected a channel before the colon'],
  [`{ ${line}, "channels": { "line": { "allow_from": "bob" } } }`, 'channels.line.allow_from'],
  [
    `{ ${line}, "channels": { "line": { "groups": { "g": { "mention": true } } } } }`,
    'channels.line.groups.g.mention: unknown key',
  ],
])('%s is refused with words that say what to mend', async (text, words) => {
  expect(await faultsOf(text)).toContain(words);
});

test('who lets everybody in, or leaves nobody a chat in which to trust it, is warned', async () => {
  const open = await loadText(`{ ${line}, "channels": { "line": { "allow_from": ["*"] } } }`);
  expect(open.warnings).toEqual(['channels.line.allow_from has "*": everybody may talk to it there.']);
  const alone = await loadText(`{ ${line}, "channels": { "terminal": { "enabled": false } } }`);
  expect(alone.warnings).toEqual([expect.stringContaining("can't be trusted in any chat")]);
});
