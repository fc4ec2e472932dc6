import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { AdapterSetting, ada, reply, to } from './adapter-setting.ts';

let setting: AdapterSetting;

beforeEach(async () => {
  setting = await AdapterSetting.start({ reactions: true });
});

afterEach(() => setting.close());

const shown = () => setting.server.chat(ada);

describe('a mark', () => {
  test('is shown only if the config wants it', () => {
    expect(setting.another({}).mark).toBeUndefined();
  });

  test('is refused for good where there is no such message, or no such reaction is allowed', async () => {
    expect(await setting.faultOf(setting.adapter.mark?.(to, '9', 'seen'))).toMatchObject({ type: 'permanent' });
    expect(await setting.faultOf(setting.adapter.mark?.(to, 'x', 'seen'))).toMatchObject({ type: 'permanent' });
    const description = 'Bad Request: REACTION_INVALID';
    setting.server.fault({ method: 'setMessageReaction', kind: 'status', status: 400, description });
    expect(await setting.faultOf(setting.adapter.mark?.(to, '7', 'seen'))).toMatchObject({ type: 'permanent' });
  });
});

describe('taking a message away', () => {
  test('is refused for good where the message cannot be deleted, or is none of Telegram', async () => {
    const ref = await setting.adapter.send(to, reply('one'));
    setting.clock.advance(49 * 3_600_000);
    const fault = await setting.faultOf(setting.adapter.remove?.(to, ref));
    expect(fault).toMatchObject({ type: 'permanent', message: expect.stringContaining("can't be deleted") });
    expect(await setting.faultOf(setting.adapter.remove?.(to, { id: 'x' }))).toMatchObject({ type: 'permanent' });
    expect(shown()).toHaveLength(1);
  });
});

describe('a message that answers another', () => {
  test('is sent all the same where that is gone, or was none of Telegram', async () => {
    for (const replyTo of ['99', '', 'x', '-1']) await setting.adapter.send(to, reply('Hello', { replyTo }));
    expect(shown().map((message) => message.replyTo)).toEqual([undefined, undefined, undefined, undefined]);
    expect(setting.server.callsOf('sendMessage').every(({ status }) => status === 200)).toBe(true);
  });
});

test('never asks for more formatting than Telegram takes', async () => {
  const links = Array.from({ length: 60 }, (_, index) => `[${index}](https://a.com/${'x'.repeat(82)}${index + 100})`);
  const code = Array.from({ length: 40 }, (_, index) => `\`\`\`${'l'.repeat(32)}\n${index}\n\`\`\``);
  await setting.adapter.send(to, reply(`${links.join('\n')}\n\n${code.join('\n')}`));
  const [message] = shown();
  expect(message?.entities).toHaveLength(100);
  expect(setting.server.callsOf('sendMessage')).toHaveLength(1);

  const longLinks = Array.from({ length: 5 }, (_, index) => `[${index}](https://a.com/${'x'.repeat(1_900)})`);
  expect(setting.adapter.measure(longLinks.join('\n'))).toBeGreaterThan(setting.adapter.capabilities.maxLength);
});
