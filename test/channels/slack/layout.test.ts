import { describe, expect, test } from 'vitest';
import type { OutboundMessage } from '../../../src/contract.ts';
import { folded, timeElement } from '../../../src/lib/folds.ts';
import { channel, general, OutboundSetting } from './outbound-setting.ts';

const at = Date.UTC(2026, 10, 29, 21, 16);
const details = folded(
  'All of it',
  'First **x** & `<!here>`.\n\n```json\n{ "a": 1 }\n```\n\n- one\n  - two\n\n| a | b |\n|---|---|\n| [l](https://a.com) | 2 |',
);
const card = ['**May I** run it?', details, `Until ${timeElement(at, '21:16 UTC')}, not later.`].join('\n\n');
const buttons = [[{ actionId: 'ap:1:a', label: 'Approve', shortcut: 'y', style: 'primary' }]] as const;

function message(markdown: string, rest: Partial<OutboundMessage> = {}): OutboundMessage {
  return { id: 'm1', kind: 'card', markdown, buttons, ...rest };
}

describe('a card with a folded block', () => {
  test('has it in a container that opens, with instants by the clock of the reader', async () => {
    const setting = await OutboundSetting.start();
    await setting.sender.send(general(), message(card));
    const [shown] = setting.server.chat(channel);
    expect(shown?.blocks.map(({ type }) => type)).toEqual(['markdown', 'container', 'rich_text', 'actions']);
    expect(shown?.blocks[1]).toMatchObject({
      title: { text: 'All of it' },
      is_collapsible: true,
      default_collapsed: true,
      child_blocks: [{ type: 'rich_text' }],
    });
    const said = JSON.stringify(shown?.blocks[1]);
    for (const part of ['{ \\"a\\": 1 }', '• one', '    • two', '¹ ', 'https://a.com']) expect(said).toContain(part);
    expect(said).not.toContain('<!here>');
    expect(JSON.stringify(shown?.blocks[2])).toContain(
      JSON.stringify({ type: 'date', timestamp: at / 1000, format: '{time}', fallback: '21:16 UTC' }).slice(1, -1),
    );
  });

  test('tells a locked phone what is asked, and nothing that is folded', async () => {
    const setting = await OutboundSetting.start();
    await setting.sender.send(general(), message(card));
    const { params } = setting.server.callsOf('chat.postMessage')[0] ?? {};
    expect(params?.text).toBe('May I run it?\n\nUntil 21:16 UTC, not later.');
  });

  test('is plain where Slack refuses containers, and those after it at once', async () => {
    const setting = await OutboundSetting.start();
    setting.server.fault({ method: 'chat.postMessage', kind: 'error', error: 'invalid_blocks', times: 1 });
    for (const id of ['m1', 'm2']) await setting.sender.send(general(), message(card, { id }));
    for (const { blocks } of setting.server.chat(channel)) {
      expect(blocks.map(({ type }) => type)).toEqual(['markdown', 'actions']);
      expect(blocks[0]?.text).toContain('> **All of it**\n>\n> First **x**');
      expect(blocks[0]?.text).toContain('Until 21:16 UTC, not later.');
    }
    expect(setting.calls('chat.postMessage')).toBe(3);
  });

  test('keeps its container after something else was refused', async () => {
    const setting = await OutboundSetting.start();
    setting.server.fault({ method: 'chat.postMessage', kind: 'error', error: 'invalid_blocks', times: 2 });
    for (const id of ['m1', 'm2']) await setting.sender.send(general(), message(card, { id }));
    const kinds = setting.server.chat(channel).map(({ blocks }) => blocks[1]?.type);
    expect(kinds).toEqual(['actions', 'container']);
  });

  test('is plain if it would be too large for all its blocks together', async () => {
    const setting = await OutboundSetting.start();
    const dense = Array.from({ length: 12 }, () => '`1`b'.repeat(100)).join('\n\n');
    const many = folded('All', `${dense}\n\n\`\`\`\n${'x'.repeat(3000)}\n\`\`\``);
    await setting.sender.send(general(), message(`May I?\n\n${many}`));
    expect(setting.server.chat(channel)[0]?.blocks.map(({ type }) => type)).toEqual(['markdown', 'actions']);
    expect(setting.calls('chat.postMessage')).toBe(1);
  });

  test('is edited in the same form', async () => {
    const setting = await OutboundSetting.start();
    const ref = await setting.sender.send(general(), message(card));
    await setting.sender.edit(general(), ref, message(card.replace('May I', 'Might I')));
    expect(setting.server.chat(channel)[0]?.blocks.map(({ type }) => type)).toEqual([
      'markdown',
      'container',
      'rich_text',
      'actions',
    ]);
  });
});

test('a reply has its folded block as a quotation, and its instants as words', async () => {
  const setting = await OutboundSetting.start();
  await setting.sender.send(general(), message(card, { kind: 'reply', buttons: [] }));
  expect(setting.server.chat(channel)[0]?.blocks.map(({ type }) => type)).toEqual(['markdown']);
});
