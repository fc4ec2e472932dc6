import { describe, expect, test } from 'vitest';
import { daemonSetting } from '../support/daemon-setting.ts';
import { call } from '../support/scripted-model.ts';
import { nextAnswer } from './writing-setting.ts';

const secret = '4242:AAtele_gram-token-canary';
const secrets = [secret];

test('a friend reads no secret in /status, when a platform repeats one where it says what is wrong', async () => {
  const { channel, channels } = await daemonSetting({ secrets, allowFrom: ['bob'], moreChannels: [{ name: 'other' }] });
  const reason = `502 Bad Gateway: The requested URL /bot${secret}/getUpdates was not found`;
  for (const one of channels) one.sessions.hosts.at(-1)?.reportHealth({ status: 'failing', reason });
  for (const by of ['ada', 'bob']) {
    const { text } = await channel.ask('/status', 'is up for', { by, at: `test:${by}` });
    expect(text).toMatch(/\/bot\\\[secret\\\]\/getUpdates/);
    expect(text).not.toMatch(/4242|canary/);
  }
});

describe('what the model says', () => {
  test('is without secrets, also where it is cut into several messages', async () => {
    const { channel, model } = await daemonSetting({ secrets, channel: { capabilities: { maxLength: 100 } } });
    for (let before = 80; before < 100; before++) {
      model.next(`${'x'.repeat(before)} ${secret} end`);
      await channel.askAtRest(`tell me ${before}`, 'end');
      const all = channel.textsIn('test:ada').join('');
      expect(all).not.toMatch(/4242|canary/);
      channel.clear();
    }
  });

  test.each([true, false])('is without them while it is written, by the platform itself: %s', async (streams) => {
    const setting = await daemonSetting({ secrets, channel: { streams } });
    const { channel, clock } = setting;
    const answer = nextAnswer(setting);
    await channel.say('what is it?');
    const words = `The token of your bot, as it stands there, is ${secret}`;
    for (const piece of words.match(/.{1,7}/g) ?? []) {
      await answer.write(piece);
      clock.advance(2000);
    }
    await channel.sees('as it stands there');
    await answer.end();
    await channel.seesAtRest('[secret]');
    expect(channel.traffic.map(({ text }) => text).join('\n')).not.toMatch(/4242|canary/);
  });
});

test('the card of a call and its notices are without them, and what a press is answered with', async () => {
  const { channel, model } = await daemonSetting({ secrets });
  model.next([call('shell', { command: `echo ${secret}` })]);
  const card = await channel.cardFor('run it');
  expect(card.text).toContain('[secret]');
  await channel.ask(`/deny ${/\/deny ([a-z0-9]+)/.exec(card.text)?.[1]} it is ${secret}`, '❌ Denied');
  await channel.askAtRest(`/model ${secret}`, '[secret]');
  expect(channel.traffic.map(({ text }) => text).join('\n')).not.toMatch(/4242|canary/);
});
