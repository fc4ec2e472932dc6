import { describe, expect, test } from 'vitest';
import { cardWords } from '../../src/approval/asking/words.ts';
import { approvalWords } from '../../src/approval/words.ts';
import { askedSetting, deploySetting } from '../engine/deploy-setting.ts';
import { group } from '../support/daemon-setting.ts';
import { direct } from '../support/deed.ts';
import { buttonOf } from '../support/platform-traffic.ts';
import { RecordingTool } from '../support/recording-tool.ts';
import { anything, sayingOnly } from '../support/saying.ts';
import { call } from '../support/scripted-model.ts';

/** Buttons of a card in Chinese, and the first line of one that was approved. */
const approve = '✅ 批准';
const approved = /^✅ .* 于 .*\d\d:\d\d( UTC)?<\/time> 批准：/;

describe('a card', () => {
  test('is in the language of its person, and so is its outcome after a restart', async () => {
    const { setting, channel, model } = await deploySetting();
    await channel.ask('/language zh', /^从现在起/);
    model.next([call('deploy', { what: 'site' })], 'deployed');
    const card = await channel.cardFor('deploy the site');
    expect(card.text).toContain('过期');
    await setting.restart();
    await channel.pressToSee(buttonOf(card, approve), approved);
  });

  test('stays in the language that it was written in when its person chooses another one', async () => {
    const setting = await askedSetting({ answers: ['deployed'] });
    const { channel, card } = setting;
    await channel.ask('/language zh', /^从现在起/);
    await channel.pressToSee(buttonOf(card, 'Approve'), /^✅ .* allowed it at /);
    await channel.sees(/done in \d/);
  });

  test('of several calls separates them with the mark of its language', async () => {
    const erase = new RecordingTool('deploy', 'unreadable');
    const { channel, model } = await deploySetting({}, erase);
    await channel.ask('/language zh', /^从现在起/);
    model.next([call('deploy', { what: 'site' }), call('deploy', { what: 'docs' })], 'deployed');
    const card = await channel.cardFor('deploy both');
    await channel.pressToSee(buttonOf(card, cardWords.zh.buttonApproveAll(2)), /批准：\(1\) [^;]+；\(2\) [^;]+/);
  });

  test('of a question shows the answer with the mark of its language', async () => {
    const { channel, model } = await deploySetting();
    await channel.ask('/language zh', /^从现在起/);
    model.next([call('ask', { question: 'Which colour?', options: ['red', 'blue'] })], 'thanks');
    const card = await channel.cardFor('ask me');
    await channel.pressToSee(
      buttonOf(card, 'red'),
      approvalWords.zh.answered({ person: '`test:ada` (`Ada`)', answer: 'red' }),
    );
  });

  test('is in the language of the owner whose chat it goes to, and its conversation reads of it in its own', async () => {
    const setting = await deploySetting({ allowFrom: ['bob'] });
    const { channel, model } = setting;
    await channel.ask('/language zh', /^从现在起/);
    model.next([call('deploy', { what: 'site' })], 'deployed');
    await channel.say('deploy the site, please', { by: 'bob' });
    await channel.sees(sayingOnly(approvalWords.en.forwarded(anything)), 'test:bob');
    const card = await channel.card('test:ada');
    expect(card.text).toContain('过期');
    await channel.pressToSee(buttonOf(card, approve), approved, { at: 'test:ada' });
    await channel.sees(/^✅ .* allowed it at /, 'test:bob');
  });

  test('of a group is in the language of the config, and of the person who was the first to talk there without one', async () => {
    const setting = await deploySetting({ allowFrom: ['bob'] });
    const { channel, model } = setting;
    await channel.ask('/language zh', /^从现在起/);
    await channel.ask('你好，在吗', 'echo', { in: group, at: 'test:team' });
    model.next([call('deploy', { what: 'site' })], 'deployed');
    const card = await channel.cardFor('deploy the site, please', { in: group, at: 'test:team', by: 'bob' });
    expect(card.text).toContain('过期');
  });
});

test('who may not decide is told in their own language', async () => {
  const { channel, card } = await askedSetting({ allowFrom: ['bob'], answers: ['deployed'] });
  await channel.ask('/language zh', /^从现在起/, { by: 'bob' });
  const { notice } = await channel.press(buttonOf(card, 'Approve'), { by: 'bob', in: direct('test', 'ada') });
  expect(notice).toBe('你不能决定这件事，只有此 Keyturn 的批准人可以。');
});
