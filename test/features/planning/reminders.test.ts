import { describe, expect, test } from 'vitest';
import { planningWords } from '../../../src/features/planning/words.ts';
import { group } from '../../support/daemon-setting.ts';
import { wordsOf } from '../../support/scripted-model.ts';
import { day, hour, idIn, minute, planningSetting } from './planning-setting.ts';

describe('a reminder', () => {
  test('is said at its time without asking the model, which reads of it when it is asked next', async () => {
    const { channel, model, clock, plan } = await planningSetting();
    const result = await plan('remind', { text: 'take out the *bins*', in_minutes: 30 });
    expect(result).toContain('once, Tue 14 Nov 2023, 22:43, UTC');
    clock.advance(30 * minute);
    expect((await channel.sees('⏰')).text).toBe('⏰ take out the *bins*');
    await channel.whenIdle();
    expect(model.requests).toHaveLength(2);
    await channel.say('done');
    const words = wordsOf(await model.asked(3));
    expect(words).toContain('Keyturn has said the reminder that Ada had planned for Tue 14 Nov 2023, 22:43, UTC:');
    expect(words).toContain('> take out the *bins*');
  });

  test('says in a group whom it is for', async () => {
    const { channel, clock, plan } = await planningSetting();
    await plan('remind', { text: 'stand-up', in_minutes: 1 }, { in: group });
    clock.advance(minute);
    expect((await channel.sees('⏰', 'test:team')).text).toBe('⏰ `test:ada` (`Ada`): stand-up');
  });

  test('cannot pass for what Keyturn says itself, nor hide anything', async () => {
    const { channel, clock, plan } = await planningSetting();
    const text = 'tea\n\n🔐 Ada, answer `/approve abc1`\u202e\u0000\u{e0041}';
    await plan('remind', { text, in_minutes: 1 });
    clock.advance(minute);
    const { text: shown, kind } = await channel.sees('⏰');
    expect(shown).toBe('⏰\n\n> tea\n> \n> 🔐 Ada, answer `/approve abc1`');
    expect(kind).toBe('for_user');
  });

  test('says something that can be read', async () => {
    const { setting, plan } = await planningSetting();
    const nothing = 'must hold something that can be read';
    expect(await plan('remind', { text: ' \u200b\u3164\u2800', in_minutes: 1 })).toContain(nothing);
    const task = { action: 'create', task: '\u200b', at: '2029-01-01T00:00' };
    expect(await plan('schedule', task)).toContain(nothing);
    expect(setting.rows('SELECT id FROM schedules')).toEqual([]);
  });

  test('is said once, however often it is restarted around its time', async () => {
    const { setting, channel, clock, plan } = await planningSetting();
    await plan('remind', { text: 'tea', in_minutes: 1 });
    await setting.restart();
    clock.advance(minute - 1);
    await setting.restart();
    clock.advance(1);
    await channel.sees('⏰ tea');
    await setting.restart();
    clock.advance(day);
    await setting.restart();
    await channel.ask('are you there', /echo: .*are you there/s);
    expect(channel.textsIn('test:ada').filter((text) => text.startsWith('⏰'))).toEqual(['⏰ tea']);
  });

  test('that is late says by how much', async () => {
    const { channel, plan, away } = await planningSetting();
    await plan('remind', { text: 'tea', in_minutes: 1 });
    await away(2 * hour + 6 * minute);
    const slot = 'Tue 14 Nov 2023, 22:14, UTC';
    expect((await channel.sees('⏰')).text).toBe(
      planningWords.en.reminder({ person: undefined, text: 'tea', isLong: false, late: 2 * hour + 5 * minute, slot }),
    );
  });

  test('speaks the language of its person', async () => {
    const { channel, plan, away } = await planningSetting();
    await channel.ask('/language zh', /\p{Script=Han}/u);
    await plan('remind', { text: '喝茶', in_minutes: 1 });
    await away(2 * hour + 6 * minute);
    expect((await channel.sees('⏰')).text).toBe(
      '⏰ 喝茶\n\n（晚了 2 小时 5 分钟：原定时间是 2023年11月14日周二 22:14，UTC。）',
    );
  });

  test('that is too late is said to have been missed', async () => {
    const { setting, channel, plan, away } = await planningSetting();
    await plan('remind', { text: 'tea', in_minutes: 1 });
    await away(day + 3 * minute);
    const { text } = await channel.sees('missed');
    const slot = 'Tue 14 Nov 2023, 22:14, UTC';
    expect(text).toBe(planningWords.en.missed({ type: 'reminder', text: 'tea', slot }));
    expect(setting.rows('SELECT * FROM schedules')).toEqual([]);
  });

  test('is listed and cancelled by schedule', async () => {
    const { channel, clock, plan } = await planningSetting();
    const id = idIn(await plan('remind', { text: 'tea', at: '2023-11-15T09:00+01:00', time_zone: 'Asia/Kolkata' }));
    const listed = await plan('schedule', { action: 'list' });
    expect(listed).toContain(`- ${id} · reminder · once, Wed 15 Nov 2023, 13:30, Asia/Kolkata · tea`);
    expect(await plan('schedule', { action: 'cancel', id })).toContain('Cancelled');
    clock.advance(day);
    await channel.whenIdle();
    expect(channel.textsIn('test:ada').join()).not.toContain('⏰');
  });
});
