import { describe, expect, test } from 'vitest';
import type { Conversation, MessageRef, OutboundMessage } from '../../../src/contract.ts';
import { channel, general, OutboundSetting, reply } from './outbound-setting.ts';

const sentence = 'The sky is blue and wide today. ';

/** So much of a reply is written, and more will be. */
function preview(written: string): OutboundMessage {
  return reply(written, { id: 'm1p0', written });
}

/** A reply that has begun to grow in a thread. */
async function begun() {
  const setting = await OutboundSetting.start();
  const to = setting.thread();
  return { setting, ...growing(setting, to, await setting.sender.send(to, preview(sentence))) };
}

function growing({ sender, server }: OutboundSetting, to: Conversation, ref: MessageRef) {
  return {
    ...{ to, ref },
    grow: (written: string) => sender.edit(to, ref, preview(written)),
    end: (markdown: string, rest: Partial<OutboundMessage> = {}) => sender.edit(to, ref, reply(markdown, rest)),
    message: () => server.chat(channel).find(({ ts }) => ts === ref.id),
  };
}

describe('a reply that is written in a thread', () => {
  test('grows as one message, and ends without a change that people would see as one', async () => {
    const { setting, grow, end, message } = await begun();
    await grow(`${sentence}**All`);
    expect(message()).toMatchObject({ text: sentence.trim(), streaming: 'in_progress' });
    await grow(`${sentence}**All is well.** And `);
    expect(message()).toMatchObject({ text: `${sentence}**All is well.** And` });
    await end(`${sentence}**All is well.** And so on.`);
    expect(message()).toMatchObject({
      text: `${sentence}**All is well.** And so on.`,
      streaming: 'completed',
      edits: 0,
      metadata: { event_payload: { id: 'm1' } },
    });
    expect(setting.calls('chat.update')).toBe(0);
  });

  test('shows nothing that may still become something else', async () => {
    const { grow, message } = await begun();
    await grow(`${sentence}a **bold word that is open\n\n| a | b |\n`);
    expect(message()?.text).toBe(`${sentence}a **bold word that is open`);
    await grow(`${sentence}a **bold word that is open\n\n| a | b |\n|---|---|\n| 1 | 2 |\n`);
    expect(message()?.text).toContain('| 1 | 2 |');
  });

  test('calls nobody while it is written', async () => {
    const { grow, end, message } = await begun();
    await grow(`${sentence}Hi <!channel> and @here! `);
    expect(message()).toMatchObject({ text: expect.stringContaining('Hi'), pings: [] });
    await end(`${sentence}Hi <!channel> and @here!`);
    expect(message()?.pings).toEqual([]);
  });

  test('may begin with what cannot be shown yet', async () => {
    const setting = await OutboundSetting.start();
    const to = setting.thread();
    const { grow, end, message } = growing(setting, to, await setting.sender.send(to, preview('**The sky is')));
    await grow('**The sky is blue.** And ');
    expect(message()).toMatchObject({ text: '**The sky is blue.** And', streaming: 'in_progress' });
    await end('**The sky is blue.** And wide.');
    expect(setting.texts).toEqual(['**The sky is blue.** And wide.']);
  });

  test('is stopped before Slack would break it off, and goes on by changes', async () => {
    const { setting, grow, end, message } = await begun();
    setting.clock.advance(241_000);
    await setting.server.waitFor(() => message()?.streaming === 'completed');
    await grow(`${sentence}One.\n\nTwo. `);
    expect(message()).toMatchObject({ text: `${sentence}One.\n\nTwo. `, streaming: 'completed', edits: 1 });
    await end(`${sentence}One.\n\nTwo. Three.`);
    expect(setting.texts).toEqual([`${sentence}One.\n\nTwo. Three.`]);
  });

  test('that Slack has broken off is mended at once, and whole at the end', async () => {
    const { setting, grow, end, message } = await begun();
    await setting.api.call('chat.stopStream', { channel, ts: message()?.ts });
    await grow(`${sentence}More of it. `);
    expect(message()).toMatchObject({ text: `${sentence}More of it. `, edits: 1 });
    await end(`${sentence}More of it. All of it.`);
    expect(setting.texts).toEqual([`${sentence}More of it. All of it.`]);
  });

  test.each([
    ['first part', []],
    [`${sentence}?`, [[{ actionId: 'a', label: 'A', shortcut: '/a', style: 'plain' }]]],
  ] as const)('is changed where its end is another text, or has buttons: %s', async (text, buttons) => {
    const { end, message } = await begun();
    await end(text, { buttons });
    expect(message()).toMatchObject({ text, streaming: 'completed', edits: 1 });
    expect(message()?.buttons).toHaveLength(buttons.length);
  });

  test('that somebody has taken away meanwhile cannot be shown any more', async () => {
    const { setting, end, message } = await begun();
    setting.server.people.delete(channel, message()?.ts ?? '');
    expect(await setting.faultOf(end(`${sentence}The end.`))).toMatchObject({ type: 'permanent' });
  });

  test.each(['taken away', 'changed'] as const)('that is %s while it grows, grows no more', async (deed) => {
    const { setting, to, ref, grow } = await begun();
    await (deed === 'changed' ? grow('Another text. ') : setting.sender.remove(to, ref));
    expect(setting.texts).toEqual(deed === 'changed' ? ['Another text. '] : []);
    await setting.sender.showTyping(to);
    expect(setting.calls('assistant.threads.setStatus')).toBe(1);
  });

  test('that the next process goes on with is stopped, and stays', async () => {
    const { setting, message } = await begun();
    await setting.sender.stop();
    expect(message()).toMatchObject({ text: sentence.trim(), streaming: 'completed' });
  });

  test('is posted where there is no thread, or nobody who reads it', async () => {
    const setting = await OutboundSetting.start();
    const unread = { ...general(), threadId: setting.server.say(channel, 'hello').ts };
    for (const to of [general(), unread])
      expect(await setting.sender.send(to, preview(sentence))).toMatchObject({ grows: false });
    expect(setting.calls('chat.startStream')).toBe(0);
    expect(setting.texts).toEqual([sentence, sentence]);
  });
});

/** A reply whose beginning is shown, and the answer was lost. */
async function lostStart() {
  const setting = await OutboundSetting.start();
  const to = setting.thread();
  setting.server.fault({ method: 'chat.startStream', kind: 'drop-after', times: 1 });
  const send = () => setting.sender.send(to, preview(sentence));
  expect(await setting.faultOf(send())).toMatchObject({ type: 'transient' });
  return { setting, to, send };
}

describe('a fault while it is written', () => {
  test.each(['drop-after', 'drop-before', 'html'] as const)('leaves it whole at the end (%s)', async (kind) => {
    const { setting, grow, end } = await begun();
    setting.server.fault({ method: 'chat.appendStream', kind, times: 1 });
    expect(await setting.faultOf(grow(`${sentence}One more. `))).toMatchObject({ type: 'transient' });
    await grow(`${sentence}One more. And another. `);
    expect(setting.texts).toEqual([`${sentence}One more. And another. `]);
    await end(`${sentence}One more. And another.`);
    expect(setting.texts).toEqual([`${sentence}One more. And another.`]);
  });

  test.each(['drop-after', 'drop-before', 'html'] as const)('at its end is made up for (%s)', async (kind) => {
    const { setting, end } = await begun();
    setting.server.fault({ method: 'chat.stopStream', kind, times: 1 });
    expect(await setting.faultOf(end(`${sentence}End.`))).toMatchObject({ type: 'transient' });
    await end(`${sentence}End.`);
    expect(setting.texts).toEqual([`${sentence}End.`]);
  });

  test.each([0, 2])('at its beginning leaves one message, though Slack cannot be asked %d times', async (times) => {
    const { setting, to, send } = await lostStart();
    setting.server.fault({ method: 'conversations.replies', kind: 'status', status: 500, times });
    if (times > 0) expect(await setting.faultOf(send())).toMatchObject({ type: 'transient' });
    const { grow, end } = growing(setting, to, await send());
    await grow(`${sentence}More. `);
    await end(`${sentence}More. End.`);
    expect(setting.texts).toEqual([`${sentence}More. End.`]);
  });

  test('at its beginning leaves one message, also if the reply is whole by then', async () => {
    const { setting, to } = await lostStart();
    await setting.sender.send(to, reply(`${sentence}End.`));
    expect(setting.texts).toEqual([`${sentence}End.`]);
  });

  test.each([true, false])('at its beginning leaves the reply before it as it is (ended: %s)', async (isEnded) => {
    const { setting, to, end } = await begun();
    if (isEnded) await end(sentence.trim());
    setting.server.fault({ method: 'chat.startStream', kind: 'drop-before', times: 1 });
    const send = () => setting.sender.send(to, preview('The second one. '));
    expect(await setting.faultOf(send())).toMatchObject({ type: 'transient' });
    await send();
    expect(setting.texts).toEqual([sentence.trim(), 'The second one.']);
  });

  test('at its beginning leaves what another bot writes to that bot', async () => {
    const setting = await OutboundSetting.start();
    const others = { ts: '1700000000.000900', user: 'U0OTHER01', streaming_state: 'in_progress' };
    const body = JSON.stringify({ ok: true, messages: [others] });
    setting.server.fault({ method: 'chat.startStream', kind: 'drop-before', times: 1 });
    setting.server.fault({ method: 'conversations.replies', kind: 'status', status: 200, body });
    const to = setting.thread();
    const send = () => setting.sender.send(to, preview(sentence));
    expect(await setting.faultOf(send())).toMatchObject({ type: 'transient' });
    expect(await send()).not.toMatchObject({ id: others.ts });
  });

  test('by which Slack asks for a pause is told, and what was not taken comes after it', async () => {
    const { setting, to, grow, end, message } = await begun();
    for (const method of ['chat.startStream', 'chat.appendStream'])
      setting.server.fault({ method, kind: '429', retryAfter: 20, times: 1 });
    for (const request of [setting.sender.send(to, preview(sentence)), grow(`${sentence}One more. `)])
      expect(await setting.faultOf(request)).toMatchObject({ type: 'rate-limited', retryAfter: 20_000 });
    await grow(`${sentence}One more. Two. `);
    expect(message()).toMatchObject({ text: `${sentence}One more. Two.`, edits: 0 });
    setting.server.fault({ method: 'chat.stopStream', kind: '429', retryAfter: 20, times: 1 });
    expect(await setting.faultOf(end(`${sentence}One more. Two. Three.`))).toMatchObject({ type: 'rate-limited' });
    await end(`${sentence}One more. Two. Three.`);
    expect(message()).toMatchObject({ text: `${sentence}One more. Two. Three.`, edits: 0, streaming: 'completed' });
  });

  test.each(['feature_not_enabled', 'method_deprecated', 'unknown_method', 'missing_scope'])(
    'that says %s switches streams off, and the reply is a message that is changed',
    async (error) => {
      const setting = await OutboundSetting.start();
      const to = setting.thread();
      setting.server.fault({ method: 'chat.startStream', kind: 'error', error });
      const { end } = growing(setting, to, await setting.sender.send(to, preview(sentence)));
      await end(`${sentence}End.`);
      await setting.sender.send(to, preview('Another. '));
      expect(setting.texts).toEqual([`${sentence}End.`, 'Another. ']);
      expect(setting.calls('chat.startStream')).toBe(1);
      expect(setting.host.logged.join()).toContain('slack shows no growing replies here');
    },
  );
});
