import { describe, expect, test } from 'vitest';
import type { DaemonSettingOptions } from '../support/daemon-setting.ts';
import { call, wordsOf } from '../support/scripted-model.ts';
import { approveButton, deploySetting } from './deploy-setting.ts';

const halfTime = 900_000;
const unreachable = 'I know of no chat in which an owner could give it';
const refusal = { type: 'permanent' } as const;

/** Bob asks for what only Ada and Zoe may allow, who read it in chats of their own. */
async function forwarded(config: DaemonSettingOptions['config'] = {}) {
  const owners = ['test:ada', 'test:zoe'];
  const around = await deploySetting({ config: { owners, ...config }, allowFrom: ['bob'] });
  const { channel, model } = around;
  for (const by of owners.map((owner) => owner.slice('test:'.length))) {
    await channel.ask('hello', 'echo: hello', { by, at: `test:${by}` });
  }
  model.next([call('deploy', { what: 'site' })]);
  return around;
}

describe('a card that the platform refuses for good', () => {
  test('is told at once where it was asked, and nobody is reminded of it', async () => {
    const { setting, model, channel, clock, deploy } = await deploySetting();
    model.next([call('deploy', { what: 'site' })]);
    channel.failNext(refusal);
    await channel.askAtRest('deploy the site', unreachable, { at: 'test:ada' });
    expect(channel.screen.map(({ text }) => text)).toEqual([
      expect.stringMatching(unreachable),
      expect.stringContaining('Say "go on"'),
    ]);
    expect(channel.screen[0]?.buttons).toEqual([]);
    expect(setting.rows('SELECT state, outcome FROM calls')).toEqual([{ state: 'done', outcome: 'expired' }]);
    expect(setting.rows('SELECT is_open FROM conversations')).toEqual([{ is_open: 0 }]);

    for (const _half of ['reminder', 'expiry']) {
      clock.advance(halfTime);
      await channel.whenIdle();
    }
    expect(channel.screen).toHaveLength(2);
    expect(model.requests).toHaveLength(1);
    await channel.say('and now?');
    expect(wordsOf(await model.asked(2))).toContain('and now?');
    expect(deploy.executed).toEqual([]);
  });

  test('is told by the next process, if the one that was refused died before it could say so', async () => {
    const { setting, model, channel } = await deploySetting();
    model.next([call('deploy', { what: 'site' })]);
    await channel.cardFor('deploy the site');
    await channel.whenIdle();
    await setting.stop();
    setting.tamper(`UPDATE outbox SET state = 'failed', failure = 'refused' WHERE kind = 'card'`);
    await setting.start();
    await channel.seesAtRest(unreachable, 'test:ada');
    expect(setting.rows('SELECT state, outcome FROM calls')).toEqual([{ state: 'done', outcome: 'expired' }]);
    expect(setting.rows('SELECT state FROM approvals')).toEqual([{ state: 'expired' }]);
  });

  test('leaves the other one as it is: it still decides', async () => {
    const { channel, deploy } = await forwarded();
    channel.failNext(refusal, { in: 'test:ada' });
    await channel.say('deploy', { by: 'bob' });
    const button = await approveButton(channel, 'test:zoe');
    await channel.whenIdle();
    await channel.pressToSee(button, /^✅ Approved by `test:zoe`/, { by: 'zoe', at: 'test:bob' });
    await deploy.ran(1);
    expect(channel.screen.filter(({ text }) => text.includes(unreachable))).toEqual([]);
  });

  test('in both of its places is told to the one who asked, once', async () => {
    const { setting, channel, clock } = await forwarded();
    for (const place of ['test:ada', 'test:zoe']) channel.failNext(refusal, { in: place });
    await channel.askAtRest('deploy', unreachable, { by: 'bob', at: 'test:bob' });
    clock.advance(halfTime);
    await channel.whenIdle();
    expect(channel.textsIn('test:bob').filter((text) => text.includes(unreachable))).toHaveLength(1);
    expect(channel.screen.filter(({ text }) => text.includes('Still waiting'))).toEqual([]);
    expect(setting.rows('SELECT outcome FROM calls')).toEqual([{ outcome: 'expired' }]);
    expect(setting.rows('SELECT reminded_at FROM approvals')).toEqual([{ reminded_at: null }]);
  });
});
