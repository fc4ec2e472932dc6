import { describe, expect, test } from 'vitest';
import { Marks } from '../../../channels/slack/outgoing/marks.ts';
import { ThreadStatus } from '../../../channels/slack/outgoing/thread-status.ts';
import { channel, OutboundSetting, place } from './outbound-setting.ts';

async function marked() {
  const setting = await OutboundSetting.start();
  const { ts } = setting.server.say(channel, 'hello');
  const marks = new Marks(setting);
  const reactions = (): readonly string[] =>
    setting.server.chat(channel)[0]?.reactions.flatMap(({ name, users }) => (users.length > 0 ? [name] : [])) ?? [];
  return { setting, ts, marks, reactions };
}

describe('a message of a person', () => {
  test('is marked when it is seen, otherwise when it is worked on, and otherwise when it is answered', async () => {
    const { setting, ts, marks, reactions } = await marked();
    await marks.mark(place(), ts, 'seen');
    expect(reactions()).toEqual(['eyes']);
    await marks.mark(place(), ts, 'working');
    expect(reactions()).toEqual(['hourglass_flowing_sand']);
    await marks.mark(place(), ts, 'done');
    await marks.mark(place(), ts, 'done');
    expect(reactions()).toEqual(['white_check_mark']);
    expect(setting.calls('reactions.add') + setting.calls('reactions.remove')).toBe(5);
  });

  test('may be marked twice, and by a process that has not seen it before', async () => {
    const { setting, ts, marks, reactions } = await marked();
    await marks.mark(place(), ts, 'seen');
    const next = new Marks(setting);
    await next.mark(place(), ts, 'working');
    for (let twice = 0; twice < 2; twice += 1) await next.mark(place(), ts, 'done');
    expect(reactions()).toEqual(['white_check_mark']);
  });
});

describe('the status of a thread', () => {
  test('says that an answer is coming', async () => {
    const setting = await OutboundSetting.start();
    const status = new ThreadStatus({ api: setting.api, log: setting.host.log });
    const to = setting.thread();
    await status.show(to);
    const statuses = setting.server.callsOf('assistant.threads.setStatus').map(({ params }) => params.status);
    expect(statuses).toEqual(['is thinking…']);
  });

  test('is not shown where there is no thread', async () => {
    const setting = await OutboundSetting.start();
    await new ThreadStatus({ api: setting.api, log: setting.host.log }).show(place());
    expect(setting.server.calls).toEqual([]);
  });

  test('is not asked for again where the app may not show it, and nobody is bothered with that', async () => {
    const setting = await OutboundSetting.start();
    setting.server.home.grant(['chat:write']);
    const status = new ThreadStatus({ api: setting.api, log: setting.host.log });
    const to = setting.thread();
    for (let twice = 0; twice < 2; twice += 1) await status.show(to);
    expect(setting.calls('assistant.threads.setStatus')).toBe(1);
  });
});
