import { describe, expect, test } from 'vitest';
import { OutboundSetting, place } from './outbound-setting.ts';

describe('the status of a thread', () => {
  test('says that an answer is coming', async () => {
    const setting = await OutboundSetting.start();
    const outgoing = setting.outgoing();
    const to = setting.thread();
    await outgoing.showTyping(to);
    const statuses = setting.server.callsOf('assistant.threads.setStatus').map(({ params }) => params.status);
    expect(statuses).toEqual(['is thinking…']);
  });

  test('is not shown where there is no thread', async () => {
    const setting = await OutboundSetting.start();
    await setting.outgoing().showTyping(place());
    expect(setting.server.calls).toEqual([]);
  });

  test('is not asked for again where the app may not show it, and nobody is bothered with that', async () => {
    const setting = await OutboundSetting.start();
    setting.server.home.grant(['chat:write']);
    const outgoing = setting.outgoing();
    const to = setting.thread();
    for (let twice = 0; twice < 2; twice += 1) await outgoing.showTyping(to);
    expect(setting.calls('assistant.threads.setStatus')).toBe(1);
  });
});
