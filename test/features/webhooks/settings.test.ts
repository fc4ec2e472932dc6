import { describe, expect, test } from 'vitest';
import { webhookSettingWords } from '../../../src/features/webhooks/settings/words.ts';
import { webhooksSettings } from '../../../src/features/webhooks/settings.ts';
import { faultsOf, loadText } from '../../config/load-text.ts';

const good = { chat: 'terminal:local', signature: 'github', secret: '0123456789abcdef' };

/** What stands for a variable that is not set. */
const unset = ['$', '{NOT_SET}'].join('');

function configWith(webhooks: object, gateway: object = { enabled: true }): string {
  return JSON.stringify({ gateway, webhooks });
}

describe('webhooks in the config', () => {
  test('have defaults', async () => {
    const { config } = await loadText(configWith({ deploy: good }));
    expect(webhooksSettings.read(config).webhooks).toEqual({
      deploy: {
        ...good,
        enabled: true,
        prompt: 'Tell the people here in a sentence or two what has happened.',
        body: 'json',
        fields: [],
        when: {},
        private: false,
        max_per_minute: 30,
        max_bytes: 262_144,
      },
    });
  });

  test('do not start without something that listens', async () => {
    expect(await faultsOf(configWith({ deploy: good }, {}))).toContain(`webhooks: ${webhookSettingWords.en.noGateway}`);
    await loadText(configWith({ deploy: { ...good, enabled: false } }, {}));
  });

  test('do not start for a chat of a channel that is off', async () => {
    expect(await faultsOf(configWith({ deploy: { ...good, chat: 'telegram:1' } }))).toContain(
      `webhooks.deploy.chat: ${webhookSettingWords.en.channelOff({ channel: 'telegram' })}`,
    );
  });

  test('that are off need no variables', async () => {
    const { config } = await loadText(configWith({ deploy: { ...good, secret: unset, enabled: false } }));
    expect(webhooksSettings.read(config).webhooks).toEqual({});
  });

  test.each<readonly [object, string]>([
    [{ ...good, secret: undefined }, 'webhooks.deploy.secret'],
    [{ ...good, secret: '' }, 'webhooks.deploy.secret: expected at least 16 characters'],
    [{ ...good, secret: '0123456789abcde' }, 'webhooks.deploy.secret: expected at least 16 characters'],
    [{ ...good, secret: unset }, 'webhooks.deploy.secret: the variable NOT_SET is not set'],
    [{ ...good, signature: undefined }, 'webhooks.deploy.signature'],
    [{ ...good, signature: 'none' }, 'webhooks.deploy.signature'],
    [{ ...good, signature: 'sha1' }, 'webhooks.deploy.signature'],
    [{ ...good, chat: undefined }, 'webhooks.deploy.chat'],
    [{ ...good, chat: 'ada' }, 'webhooks.deploy.chat'],
    [{ ...good, chat: 'terminal:@ada' }, 'webhooks.deploy.chat'],
    [{ ...good, chat: 'nowhere:1' }, 'webhooks.deploy.chat'],
    [{ ...good, fields: ['a..b'] }, 'webhooks.deploy.fields[0]: expected the name of a field'],
    [{ ...good, fields: ['a b'] }, 'webhooks.deploy.fields[0]: expected the name of a field'],
    [{ ...good, fields: ['a\n</keyturn_event>'] }, 'webhooks.deploy.fields[0]: expected the name of a field'],
    [{ ...good, header_name: 'X Signature' }, 'webhooks.deploy.header_name'],
    [{ ...good, max_bytes: 4_194_305 }, 'webhooks.deploy.max_bytes'],
    [{ ...good, max_per_minute: 0 }, 'webhooks.deploy.max_per_minute'],
    [{ ...good, principal: 'telegram:1' }, 'principal'],
  ])('are refused if they are %j', async (settings, words) => {
    expect(await faultsOf(configWith({ deploy: settings }))).toContain(words);
  });

  test.each<readonly [object, string]>([
    [{ body: 'text', fields: ['a'] }, 'webhooks.deploy.fields: has no effect: with body "text" there are no fields.'],
    [{ body: 'text', id: 'a' }, 'webhooks.deploy.id: has no effect'],
    [{ body: 'text', when: { a: ['b'] } }, 'Remove it, or set body to "json".'],
    [
      { body: 'none', when: { a: ['b'] } },
      'webhooks.deploy.when: has no effect: with body "none" there are no fields.',
    ],
    [{ prompt: 'Say {a.b now.' }, 'webhooks.deploy.prompt: "{a.b" is not closed. Write "{a.b}".'],
    [{ prompt: 'Say {a.b. Then {c}.' }, '"{a.b" is not closed. Write "{a.b}".'],
    [{ prompt: '{a} 说 {标题' }, '"{标题" is not closed. Write "{标题}".'],
  ])('are refused if a part would have no effect: %j', async (settings, words) => {
    expect(await faultsOf(configWith({ deploy: { ...good, ...settings } }))).toContain(words);
    await loadText(configWith({ deploy: { ...good, ...settings, enabled: false } }));
  });

  test.each([
    { body: 'text', prompt: 'Say {body}.' },
    { body: 'none' },
    { fields: ['a'], id: 'b', when: { c: ['d'] } },
    { prompt: '{a.b}, {c}; answer as { "x": 1 } or {x, y}, never with {' },
  ])('are taken if they are %j', async (settings) => {
    await loadText(configWith({ deploy: { ...good, ...settings } }));
  });

  test.each(['Deploy', '1', 'de ploy', '../x', 'é', '-a', 'a/b', '', 'x'.repeat(49)])(
    'cannot have the name %j',
    async (name) => expect(await faultsOf(configWith({ [name]: good }))).toContain('expected small letters'),
  );
});
