import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Button } from '../../../src/contract.ts';
import { anyText } from '../../support/any-text.ts';
import { markdownDocuments, markdownSoup } from '../../support/markdown-documents.ts';
import { RecordingHost } from '../../support/recording-host.ts';
import { waitUntil } from '../../support/wait-for.ts';
import { AdapterSetting, ada, reply, to } from './adapter-setting.ts';

const approve: Button = { actionId: 'ap:1:a', label: 'Approve', shortcut: '/approve 1', style: 'primary' };
const deny: Button = { actionId: 'ap:1:d', label: 'Deny', shortcut: '/deny 1', style: 'danger' };

let setting: AdapterSetting;

beforeEach(async () => {
  setting = await AdapterSetting.start();
});

afterEach(() => setting.close());

describe('sending', () => {
  test('shows the text with its formatting and says where it stands', async () => {
    const { adapter, server } = setting;
    const ref = await adapter.send(to, reply('**hello** [there](https://a.com)'));
    const [message] = server.chat(ada);
    expect(message).toMatchObject({ id: Number(ref.id), text: 'hello there', buttons: [] });
    expect(message?.entities).toEqual([
      { type: 'bold', offset: 0, length: 5 },
      { type: 'text_link', offset: 6, length: 5, url: 'https://a.com/' },
    ]);
    const { params } = server.callsOf('sendMessage')[0] ?? {};
    expect(params).not.toHaveProperty('parse_mode');
    expect(params).toMatchObject({ chat_id: '42', link_preview_options: { is_disabled: true } });
  });

  test('shows buttons in their rows', async () => {
    const { adapter, server } = setting;
    await adapter.send(to, reply('May I?', { buttons: [[approve, deny], []] }));
    expect(server.callsOf('sendMessage')[0]?.params.reply_markup).toEqual({
      inline_keyboard: [
        [
          { text: 'Approve', callback_data: 'ap:1:a' },
          { text: 'Deny', callback_data: 'ap:1:d' },
        ],
      ],
    });
  });

  test('never sends what Telegram would refuse, whatever the markdown is', async () => {
    const { adapter, server } = setting;
    const markdown = fc.oneof(anyText(), markdownSoup, markdownDocuments);
    for (const sample of fc.sample(markdown, { numRuns: 60, seed: 11 })) {
      if (adapter.measure(sample) > adapter.capabilities.maxLength) continue;
      const ref = await adapter.send(to, reply(sample));
      const message = server.chat(ada).find(({ id }) => id === Number(ref.id));
      expect(message?.text.length).toBeLessThanOrEqual(adapter.measure(sample));
    }
  });

  test('goes without formatting if Telegram refuses that', async () => {
    const { adapter, server } = setting;
    const description = "Bad Request: entity URL 'https://a.b/' is invalid";
    server.fault({ method: 'sendMessage', kind: 'status', status: 400, description, times: 1 });
    await adapter.send(to, reply('[hello](https://a.b)'));
    expect(server.chat(ada)[0]).toMatchObject({ text: 'hello', entities: [] });
  });

  test('measures what will be shown, to the last unit', async () => {
    const { adapter } = setting;
    const longest = `**${'x'.repeat(4096)}**`;
    expect(adapter.measure(longest)).toBe(4096);
    await adapter.send(to, reply(longest));
    expect(await setting.faultOf(adapter.send(to, reply(`${longest}y`)))).toMatchObject({ type: 'permanent' });
  });
});

describe('the commands', () => {
  test('are announced once, however often it connects again', async () => {
    const { server, host } = setting;
    await server.waitFor(() => server.callsOf('setMyCommands').length === 1);
    server.setWebhook('https://example.com');
    server.say(ada, 'wake');
    await waitUntil(() => server.callsOf('deleteWebhook').length === 2, {
      meanwhile: () => setting.clock.advance(250),
    });
    await host.is('connected');
    const [call, ...more] = server.callsOf('setMyCommands');
    expect(call).toMatchObject({ status: 200 });
    expect(more).toEqual([]);
  });

  test('that are refused harm nothing', async () => {
    const { server } = setting;
    const other = setting.another({});
    server.fault({ method: 'setMyCommands', kind: 'status', status: 400, description: 'Bad Request: no' });
    const otherHost = new RecordingHost();
    await other.start(otherHost);
    await waitUntil(() => otherHost.logged.join().includes('refuses the menu of commands'));
    await otherHost.is('connected');
    await other.stop();
  });
});
