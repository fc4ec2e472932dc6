import { describe, expect, test } from 'vitest';
import { refusalLasts } from '../../src/conversation/access/request-desk.ts';
import { requestWords, strangerWords } from '../../src/conversation/access/words.ts';
import { group } from '../support/daemon-setting.ts';
import type { Shown } from '../support/platform-traffic.ts';
import type { TestChannel } from '../support/test-channel.ts';
import { hour, housed, knock } from './pairing-setting.ts';

const words = requestWords.en;
const day = 24 * hour;

/** The owners have talked with it, so that they can be asked. */
async function known(owners = ['test:ada'], pairing: object = {}) {
  const house = await housed(pairing, owners);
  for (const owner of owners) {
    const by = owner.slice('test:'.length);
    await house.channel.askAtRest('hello', 'echo: hello', { by, at: owner });
  }
  return house;
}

/** A stranger writes, and is told that the owners were asked. Resolves with Ada's card. */
async function ask(channel: TestChannel, by = 'eve'): Promise<Shown> {
  await channel.ask('let me in', strangerWords.en.ownerAsked, { by, at: `test:${by}` });
  return channel.sees(`(\`test:${by}\`)`, 'test:ada');
}

function actionOf({ buttons }: Shown, verb: 'let-in' | 'refuse'): string {
  return buttons.flat().find(({ actionId }) => actionId.endsWith(`:${verb}`))?.actionId ?? 'none';
}

/** The card in this chat once it says this. */
function ended(channel: TestChannel, what: RegExp, at = 'test:ada'): Promise<Shown> {
  return channel.sees(what, at);
}

const letIn = /^✅ `Ada` let `Eve` in at /;

describe('a stranger who writes directly, where an owner can be asked', () => {
  test('is let in by a press on the card of the owner, and what they wrote is not kept', async () => {
    const { setting, channel } = await known();
    const card = await ask(channel);
    expect(card.kind).toBe('card');
    expect(card.text.split('\n')).toHaveLength(3);
    expect(card.text).not.toContain('let me in');
    expect(card.buttons.flat().map(({ label }) => label)).toEqual([words.buttonLetIn, words.buttonNo]);
    expect(channel.textsIn('test:eve').join()).not.toContain('/pair');
    expect(await channel.press(actionOf(card, 'let-in'))).toEqual({});
    await channel.sees(strangerWords.en.welcome, 'test:eve');
    expect((await ended(channel, letIn)).buttons).toEqual([]);
    await channel.ask('me again', 'echo: me again', { by: 'eve', at: 'test:eve' });
    expect(setting.rows('SELECT principal, paired_by FROM paired')).toEqual([
      { principal: 'test:eve', paired_by: 'test:ada' },
    ]);
    expect(setting.rows('SELECT text FROM inbox').map(({ text }) => text)).not.toContain('let me in');
  });

  test('is refused by a press for a month, is not told so, and can be let in all the same', async () => {
    const { setting, channel, clock } = await known();
    const card = await ask(channel);
    expect(await channel.press(actionOf(card, 'refuse'))).toEqual({});
    await ended(channel, /^🚫 `Ada` did not let `Eve` in at /);
    expect(channel.textsIn('test:eve')).toHaveLength(1);
    await channel.ask('please', strangerWords.en.unknown({ id: '`test:eve`' }), { by: 'eve', at: 'test:eve' });
    await setting.restart();
    clock.advance(refusalLasts - 1);
    await channel.say('once more', { by: 'eve' });
    expect(setting.rows('SELECT * FROM pairing_codes')).toEqual([]);
    await channel.ask('/people', '(`Eve`); I ask', { at: 'test:ada' });
    await channel.ask('/pair test:eve', strangerWords.en.welcome, { at: 'test:eve' });
    expect(setting.rows('SELECT * FROM refused_people')).toEqual([]);
  });

  test('is asked about again when the month is over', async () => {
    const { channel, clock } = await known();
    await channel.press(actionOf(await ask(channel), 'refuse'));
    clock.advance(refusalLasts);
    await ask(channel);
  });

  test.each(['eve', 'mallory', 'bob'])('cannot press for themselves, nor can %s', async (by) => {
    const { setting, channel } = await housed({}, ['test:ada'], ['bob']);
    await channel.askAtRest('hello', 'echo: hello');
    const card = await ask(channel);
    for (const where of [{}, { in: group }])
      for (const verb of ['let-in', 'refuse'] as const)
        expect(await channel.press(actionOf(card, verb), { by, ...where })).toEqual({ notice: words.toastOnlyOwners });
    expect(setting.rows('SELECT * FROM paired')).toEqual([]);
    expect(setting.rows('SELECT principal FROM pairing_codes')).toEqual([{ principal: 'test:eve' }]);
  });

  test('is decided once: the other owners see by whom, and a second press decides nothing', async () => {
    const { setting, channel } = await known(['test:ada', 'test:bob']);
    const card = await ask(channel);
    const other = await channel.card('test:bob');
    const answers = await Promise.all([
      channel.press(actionOf(card, 'let-in')),
      channel.press(actionOf(other, 'refuse'), { by: 'bob' }),
    ]);
    expect(answers).toEqual([{}, { notice: words.toastOver }]);
    for (const at of ['test:ada', 'test:bob']) await ended(channel, letIn, at);
    expect(setting.rows('SELECT * FROM refused_people')).toEqual([]);
    expect(await channel.press(actionOf(card, 'refuse'))).toEqual({ notice: words.toastOver });
    expect(setting.rows('SELECT principal FROM paired')).toEqual([{ principal: 'test:eve' }]);
  });

  test('a press that the platform delivers twice acts once', async () => {
    const { setting, channel } = await known();
    const action = actionOf(await ask(channel), 'let-in');
    expect(await Promise.all([1, 2].map(() => channel.press(action, { key: 'same' })))).toEqual([{}, {}]);
    await channel.whenIdle();
    expect(channel.textsIn('test:eve').filter((text) => text === strangerWords.en.welcome)).toHaveLength(1);
    expect(setting.rows(`SELECT kind FROM audit WHERE kind = 'person-paired'`)).toHaveLength(1);
  });

  test('is still decided by the same button after a restart', async () => {
    const { setting, channel } = await known();
    const card = await ask(channel);
    await setting.restart();
    await channel.press(actionOf(card, 'let-in'));
    await ended(channel, letIn);
    await setting.restart();
    await channel.ask('me again', 'echo: me again', { by: 'eve', at: 'test:eve' });
  });

  test('no longer waits when a day is over, and may ask again; who is no owner any more decides nothing', async () => {
    const { setting, channel, clock } = await known();
    const card = await ask(channel);
    clock.advance(day);
    await ended(channel, /^⌛ `Eve`/);
    expect(await channel.press(actionOf(card, 'let-in'))).toEqual({ notice: words.toastOver });
    const again = await ask(channel);
    await setting.restart({ owners: ['test:bob'] });
    expect(await channel.press(actionOf(again, 'let-in'))).toEqual({ notice: words.toastOnlyOwners });
    expect(setting.rows('SELECT * FROM paired')).toEqual([]);
  });

  test.each([
    ['a command', async ({ channel }: House) => channel.say('/pair test:eve'), letIn],
    [
      'the config',
      async ({ setting }: House) => setting.edit({ channels: { test: { allow_from: ['eve'] } } }),
      /^👋 `Eve` no longer/,
    ],
  ])('no longer waits once %s lets them in', async (_what, lets, words) => {
    const house = await known();
    await ask(house.channel);
    await lets(house);
    expect((await ended(house.channel, words)).buttons).toEqual([]);
  });

  test('rings no owner a second time within the request, nor for a crowd: three are asked about, others get a code', async () => {
    const { channel, clock } = await known();
    await ask(channel);
    clock.advance(2 * hour);
    await channel.ask('hello?', strangerWords.en.ownerAsked, { by: 'eve', at: 'test:eve' });
    for (const by of ['a', 'b']) await ask(channel, by);
    expect(await knock(channel, 'mallory')).toMatch(/^[a-z0-9]{8}$/);
    await channel.whenIdle();
    expect(channel.textsIn('test:ada').filter((text) => text.startsWith('👋'))).toHaveLength(3);
  });
});

type House = Awaited<ReturnType<typeof housed>>;
