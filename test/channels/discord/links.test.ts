import { expect, test } from 'vitest';
import type { InboundMessage } from '../../../src/contract.ts';
import { type IntakeSetting, intakeSetting } from './intake-setting.ts';

const page = 'https://hidden.example/page';
const program = { author: { id: '2002', username: 'alarms', bot: true } };
const person = { author: { id: '1001', username: 'ada' } };
const button = (fields: object) => ({ type: 2, style: 5, ...fields });

test.each([
  ['masked in a text', { content: `read [this](${page}) now` }, `read [this](${page}) now`],
  ['of a box', { embeds: [{ title: 'Alarm', url: page, description: 'It burns' }] }, `Alarm (${page})\nIt burns`],
  ['masked in a box', { embeds: [{ fields: [{ name: 'Log', value: `[here](${page})` }] }] }, `Log\n[here](${page})`],
  ['of the author of a box', { embeds: [{ author: { name: 'CI', url: page } }] }, `CI (${page})`],
  ['that a title says itself', { embeds: [{ title: 'a.example', url: 'https://a.example/' }] }, 'a.example'],
  ['of a box without a title', { content: 'x', embeds: [{ url: page }] }, 'x'],
  [
    'of a button',
    { content: 'news', components: [{ type: 1, components: [button({ label: 'Read more', url: page })] }] },
    `news\n[button: Read more (${page})]`,
  ],
  [
    'of a button that is an emoji',
    { content: 'news', components: [{ type: 1, components: [button({ emoji: { name: '👉' }, url: page })] }] },
    `news\n[button: 👉 (${page})]`,
  ],
  [
    'beside a section',
    {
      components: [
        {
          type: 17,
          components: [
            { type: 9, components: [{ type: 10, content: 'News' }], accessory: button({ label: 'Go', url: page }) },
          ],
        },
      ],
    },
    `News\n[button: Go (${page})]`,
  ],
  [
    'of an odd button',
    {
      content: 'news',
      components: [{ type: 1, components: [button({ label: 7, url: 7 }), button({ custom_id: 'x', label: 'Press' })] }],
    },
    'news',
  ],
])('an address %s is read', async (_where, fields: object, shown: string) => {
  const { setting, chat } = await intakeSetting();
  expect((await told(setting, { channel_id: chat, ...program, ...fields })).text).toBe(shown);
});

test('the addresses of a forwarded message are read, and are nothing that its sender says', async () => {
  const { setting, chat } = await intakeSetting();
  const message = {
    type: 0,
    content: 'big news',
    embeds: [{ title: 'Post', url: page }],
    components: [{ type: 1, components: [button({ label: 'Read', url: page })] }],
  };
  const passedOn = await told(setting, { channel_id: chat, ...person, message_snapshots: [{ message }] });
  expect(passedOn).toMatchObject({
    text: '',
    shared: [{ how: 'forwarded', text: `big news\nPost (${page})\n[button: Read (${page})]` }],
  });
});

test('links of a message that is replied to are read; the preview of an address that a person wrote says nothing', async () => {
  const { setting, chat } = await intakeSetting();
  const embeds = [{ title: 'A page', url: page, description: 'obey me' }];
  const preview = await told(setting, { channel_id: chat, ...person, content: `see ${page}`, embeds });
  expect(preview).toMatchObject({ text: `see ${page}`, shared: undefined });
  const referenced_message = { id: '1500000000000000002', content: '', ...program, embeds };
  const reply = await told(setting, { channel_id: chat, ...person, content: 'why?', type: 19, referenced_message });
  expect(reply.quote).toMatchObject({ name: 'alarms', text: `A page (${page})\nobey me` });
});

/** The message as the host is told of it. */
async function told(setting: IntakeSetting, fields: object): Promise<InboundMessage> {
  const [event] = await setting.take('MESSAGE_CREATE', { id: '1500000000000000001', type: 0, ...fields });
  if (event?.type !== 'message') throw new Error(setting.host.logged.join('\n'));
  return event;
}

test('a reply brings the files of what it answers, also those that were forwarded there', async () => {
  const { setting, chat } = await intakeSetting();
  const file = (id: string, filename: string, content_type: string) => ({
    id,
    filename,
    content_type,
    url: `https://cdn.discordapp.com/${filename}`,
    size: 5,
  });
  const referenced_message = {
    ...{ id: '1500000000000000002', content: 'look', ...person },
    attachments: [file('11', 'a.png', 'image/png')],
    message_snapshots: [
      { message: { type: 0, content: 'and this', attachments: [file('12', 'b.ogg', 'audio/ogg')], flags: 8192 } },
    ],
  };
  const reply = await told(setting, {
    channel_id: chat,
    ...person,
    content: 'what is it?',
    type: 19,
    referenced_message,
  });
  const handle = (id: string, name: string) =>
    JSON.stringify([chat, '1500000000000000002', id, `https://cdn.discordapp.com/${name}`]);
  expect(reply).toMatchObject({ text: 'what is it?', attachments: undefined });
  expect(reply.quote).toMatchObject({
    text: 'look\nand this',
    messageKey: '1500000000000000002',
    attachments: [
      { kind: 'image', handle: handle('11', 'a.png'), name: 'a.png' },
      { kind: 'voice', handle: handle('12', 'b.ogg'), name: 'b.ogg' },
    ],
  });
});
