import { describe, expect, test } from 'vitest';
import { strangerWords } from '../../src/conversation/access/words.ts';
import { deploySetting } from '../engine/deploy-setting.ts';
import { daemonSetting, group } from '../support/daemon-setting.ts';
import { direct } from '../support/deed.ts';
import { call } from '../support/scripted-model.ts';
import { nextAnswer } from './writing-setting.ts';

const inPrivate = { in: group, privateTo: 'ada:1' } as const;

describe('a command that is given where nobody else reads it', () => {
  test('is answered to its giver alone, in all parts of the answer, and also by the next process', async () => {
    const { setting, channel } = await daemonSetting({ channel: { capabilities: { maxLength: 130 } } });
    channel.failNext({ type: 'transient' });
    await channel.say('/help', inPrivate);
    await setting.restart();
    await channel.whenIdle(group);
    expect(channel.screen.length).toBeGreaterThan(2);
    expect(new Set(channel.screen.map(({ privateTo }) => privateTo))).toEqual(new Set(['ada:1']));
  });

  test('is refused to its giver alone', async () => {
    const config = { channels: { test: { groups: { team: { allow_from: ['*'], commands_from: [] } } } } };
    const { channel } = await daemonSetting({ config });
    await channel.say('/stop', { ...inPrivate, by: 'eve' });
    expect(await channel.sees(strangerWords.en.noCommand, 'test:team')).toMatchObject({ privateTo: 'ada:1' });
  });

  test('that somebody gives where all can read it is answered to all', async () => {
    const { channel } = await daemonSetting();
    expect((await channel.ask('/status', 'is up for', { in: group, at: 'test:team' })).privateTo).toBeUndefined();
  });
});

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
    const { setting, channel, clock } = await daemonSetting({ secrets, channel: { streams } });
    const answer = nextAnswer(setting);
    await channel.say('what is it?');
    const words = `The token of your bot, as it was sent, is ${secret}`;
    for (const piece of words.match(/.{1,7}/g) ?? []) {
      await answer.write(piece);
      clock.advance(2000);
    }
    await channel.sees('as it was sent');
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
  await channel.ask(`/deny ${/\/deny ([a-z0-9]+)/.exec(card.text)?.[1]} it is ${secret}`, /^❌ .* denied it/);
  await channel.askAtRest(`/model ${secret}`, '[secret]');
  expect(channel.traffic.map(({ text }) => text).join('\n')).not.toMatch(/4242|canary/);
});

const carls = direct('test', 'carl');

/** A card for Carl, who decides and may not talk, in a conversation where they can read it. */
async function cardForCarl(conversationId: 'test:carl' | 'test:team') {
  const config = { approval: { approvers: ['test:carl'], forward_to: [conversationId] } };
  const { setting, model, channel, deploy } = await deploySetting({ config });
  // The conversations become known: Ada talks in the group, and Carl is refused in their chat.
  await channel.say('hello', { in: group });
  await channel.ask('hello', 'people I know', { by: 'carl', at: 'test:carl' });
  await channel.sees(/^echo: /, 'test:team');
  model.next([call('deploy', { what: 'site' })]);
  await channel.cardFor('deploy the site', { at: conversationId });
  const [approval] = setting.rows('SELECT id FROM approvals');
  return { setting, model, channel, deploy, id: String(approval?.id) };
}

describe.each([
  { conversationId: 'test:carl', conversation: carls },
  { conversationId: 'test:team', conversation: group },
] as const)('an approver who may not talk, in $conversationId', ({ conversationId, conversation }) => {
  const deed = { by: 'carl', in: conversation };

  test('types /approve, and the call runs', async () => {
    const { channel, deploy, id } = await cardForCarl(conversationId);
    await channel.ask(`/approve ${id}`, /^✅ .* allowed it/, { ...deed, at: conversationId });
    await deploy.ran(1);
    expect(deploy.executed).toEqual(['site']);
  });

  test('types /deny, and the model reads their reason', async () => {
    const { setting, channel, deploy, id } = await cardForCarl(conversationId);
    await channel.askAtRest(`/deny ${id} too risky`, '(too risky)', { ...deed, at: conversationId });
    expect(setting.rows('SELECT outcome FROM calls')).toEqual([{ outcome: 'denied' }]);
    expect(deploy.executed).toEqual([]);
  });

  test('types /deny with an id that has no digit', async () => {
    const { setting, channel, id } = await cardForCarl(conversationId);
    await channel.whenIdle();
    const renamed = ['approvals SET id', 'outbox SET approval_id', 'calls SET approval_id'].map((column) => {
      const [, name] = column.split(' SET ');
      return `UPDATE ${column} = 'uapjpkge' WHERE ${name} = '${id}'`;
    });
    setting.tamper(`BEGIN; PRAGMA defer_foreign_keys = ON; ${renamed.join('; ')}; COMMIT`);
    await channel.ask('/deny uapjpkge too risky', '(too risky)', { ...deed, at: conversationId });
  });

  test('is not heard otherwise', async () => {
    const { setting, model, channel } = await cardForCarl(conversationId);
    const [asked, shown] = [model.requests.length, channel.screen.length];
    for (const text of ['list the files', '/new', '/stop', '/status', '/grants', '/claim k3f9abcd']) {
      await channel.say(text, deed);
    }
    await channel.whenIdle(conversation);
    expect(model.requests).toHaveLength(asked);
    expect(channel.screen).toHaveLength(shown);
    expect(setting.rows(`SELECT key FROM inbox WHERE principal = 'test:carl'`)).toEqual([]);
    expect(setting.rows('SELECT state FROM approvals')).toEqual([{ state: 'pending' }]);
  });

  test('is no approver as a machine, nor where the message is not for Keyturn', async () => {
    const { setting, channel, id } = await cardForCarl(conversationId);
    await channel.say(`/approve ${id}`, { ...deed, isPerson: false });
    await channel.say(`/approve ${id}`, { ...deed, addressed: false });
    expect(setting.rows('SELECT state FROM approvals')).toEqual([{ state: 'pending' }]);
  });

  test('and a stranger cannot do what they can', async () => {
    const { setting, channel, id } = await cardForCarl(conversationId);
    await channel.say(`/approve ${id}`, { by: 'eve', in: conversation });
    expect(setting.rows('SELECT state FROM approvals')).toEqual([{ state: 'pending' }]);
    expect(setting.rows(`SELECT key FROM inbox WHERE principal = 'test:eve'`)).toEqual([]);
  });
});
