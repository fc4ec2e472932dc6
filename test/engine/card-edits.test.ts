import { describe, expect, test } from 'vitest';
import type { DaemonSettingOptions } from '../support/daemon-setting.ts';
import { call, resultsOf } from '../support/scripted-model.ts';
import { deploySetting } from './deploy-setting.ts';

/** A card that asks, with these arguments. */
async function withCard(what: string, options: DaemonSettingOptions = {}) {
  const setting = await deploySetting(options);
  setting.model.next([call('deploy', { what })], 'deployed');
  const card = await setting.channel.cardFor('deploy');
  await setting.channel.whenIdle();
  return { ...setting, card, approve: card.buttons[0]?.[0]?.actionId ?? '' };
}

const short = { channel: { capabilities: { maxLength: 650 } } };
const long = Array.from({ length: 300 }, (_, index) => `word${index}`).join(' ');

describe('a card on a channel that can ask for a text', () => {
  const forms = { channel: { capabilities: { forms: true } } };

  test('can be refused with words, which people and the model read', async () => {
    const { model, channel, card, deploy } = await withCard('site', forms);
    const button = card.buttons.flat().find(({ asks }) => asks !== undefined);
    expect(button?.asks).toBe('Why not?');
    await channel.press(button?.actionId ?? '', { text: 'not on a Friday' });
    await channel.sees(/^❌ Denied by `test:ada` .*not on a Friday/);
    expect(resultsOf(await model.asked(2)).join()).toContain('Their reason: not on a Friday');
    expect(deploy.executed).toEqual([]);
  });

  test('has no such button elsewhere', async () => {
    const { card } = await withCard('site');
    expect(card.buttons.flat().filter(({ asks }) => asks !== undefined)).toEqual([]);
    expect(card.buttons).toHaveLength(2);
  });
});

describe('a card that changes', () => {
  test('is edited in its place, and loses its buttons', async () => {
    const { channel, card, approve } = await withCard('site');
    await channel.pressToSee(approve, 'deployed');
    const shown = channel.screen.find(({ ref }) => ref === card.ref);
    expect(shown).toMatchObject({ text: expect.stringMatching(/^✅ Approved by `test:ada`.*✔️ Done in/s), buttons: [] });
    expect(channel.screen.filter(({ kind }) => kind === 'card')).toHaveLength(1);
  });

  test('of several messages keeps its arguments, and shows the outcome where the buttons were', async () => {
    const { channel, card, approve } = await withCard(long, short);
    const before = channel.screen;
    expect(before.length).toBeGreaterThan(2);
    expect(before.filter(({ buttons }) => buttons.length > 0)).toEqual([card]);
    await channel.pressToSee(approve, 'deployed');
    const after = channel.screen.filter(({ kind }) => kind === 'card');
    expect(after.map(({ ref }) => ref)).toEqual(before.map(({ ref }) => ref));
    expect(after.slice(0, -1)).toEqual(before.slice(0, -1));
    expect(after.at(-1)?.text).toMatch(/^✅ Approved by `test:ada`/);
  });

  test('that somebody has deleted is sent again', async () => {
    const { channel, card, approve } = await withCard('site');
    channel.delete(card.ref);
    await channel.pressToSee(approve, /^✅ Approved by `test:ada`/);
    await channel.seesAtRest('deployed');
    expect(channel.screen.filter(({ kind }) => kind === 'card')).toHaveLength(1);
  });

  test('whose edit is refused for a while is edited later, once', async () => {
    const { channel, clock, approve } = await withCard('site');
    channel.failNext({ type: 'rate-limited', retryAfter: 2000 }, { of: 'edit' });
    await channel.press(approve);
    await clock.passes(2000);
    await channel.seesAtRest('deployed');
    expect(channel.screen.filter(({ kind }) => kind === 'card')).toHaveLength(1);
  });

  test('before it was ever sent is sent as it is by then', async () => {
    const setting = await deploySetting();
    const { model, channel } = setting;
    model.next([call('deploy', { what: 'site' })], 'deployed');
    const release = channel.hold();
    await channel.say('deploy');
    await channel.changes.waitFor(() => true);
    await model.asked(1);
    await channel.say('/stop');
    release();
    await channel.seesAtRest('🛑 Stopped');
    expect(channel.screen.filter(({ buttons }) => buttons.length > 0)).toEqual([]);
  });

  test('and whose messages were deleted sends none of the new ones twice when the last of them fails', async () => {
    const { channel, clock, card } = await withCard('site', { channel: { capabilities: { maxLength: 160 } } });
    for (const { ref } of channel.screen) channel.delete(ref);
    channel.failNext({ type: 'transient' }, { of: 'send', says: 'LAST' });
    const id = card.buttons[0]?.[0]?.actionId.split(':')[1] ?? '';
    await channel.say(`/deny ${id} ${'because '.repeat(60)} LAST`);
    await clock.passes(500);
    await channel.seesAtRest('LAST');
    const cards = channel.screen.filter(({ kind }) => kind === 'card').map(({ text }) => text);
    expect(cards.length).toBeGreaterThan(2);
    expect(cards.filter((text) => text.includes('Denied by `test:ada`'))).toHaveLength(1);
    expect(cards.join(' ').match(/because/g)).toHaveLength(60);
  });
});
