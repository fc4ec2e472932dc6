import { describe, expect, test } from 'vitest';
import { strangerWords } from '../../src/conversation/access/words.ts';
import { peopleWords } from '../../src/conversation/commands/people/words.ts';
import { commandWords } from '../../src/conversation/commands/words.ts';
import { daemonSetting, group } from '../support/daemon-setting.ts';
import { direct } from '../support/deed.ts';
import { anything, sayingOnly } from '../support/saying.ts';
import { codeOf, hour, housed, knock, minute } from './pairing-setting.ts';

describe('a stranger who writes directly', () => {
  test('is told once an hour who I am and how they are let in, and nothing of what they wrote is kept', async () => {
    const { setting, channel, clock } = await housed();
    const code = await knock(channel, 'eve', 'my bank password is hunter2');
    expect(code).toMatch(/^[23456789abcdefghjkmnpqrstuvwxy]{8}$/);
    expect(channel.textsIn('test:eve')).toEqual([
      strangerWords.en.unknownWithCode({ id: '`test:eve`', command: `\`/pair ${code}\``, milliseconds: hour }),
    ]);
    for (const more of ['please', '/status', '/people', `/pair ${code}`]) await channel.say(more, { by: 'eve' });
    clock.advance(hour - 1);
    await channel.say('hello?', { by: 'eve' });
    expect(channel.textsIn('test:eve')).toHaveLength(1);
    expect(setting.rows('SELECT * FROM inbox')).toEqual([]);
    expect(setting.rows('SELECT principal FROM paired')).toEqual([]);
    expect(setting.model.requests).toEqual([]);
    expect(JSON.stringify(setting.rows('SELECT * FROM audit'))).not.toMatch(new RegExp(`hunter2|${code}`));
  });

  test('has the same code while it is good, however often they are told, and after a restart', async () => {
    const { setting, channel, clock } = await housed({ code_secs: 3 * 3600 });
    const first = await knock(channel, 'eve');
    await setting.restart({ pairing: { code_secs: 3 * 3600 } });
    clock.advance(hour);
    await channel.say('still there?', { by: 'eve' });
    expect((await channel.sees('good for 2 h', 'test:eve')).text).toContain(`/pair ${first}`);
    expect(setting.rows('SELECT principal FROM pairing_codes')).toEqual([{ principal: 'test:eve' }]);
  });

  test('has a new one as soon as the old one is no longer valid, and the old one lets nobody in', async () => {
    const { setting, channel, clock } = await housed({ code_secs: 600 });
    const first = await knock(channel, 'eve');
    clock.advance(10 * minute - 1);
    await channel.say('too early', { by: 'eve' });
    expect(channel.textsIn('test:eve')).toHaveLength(1);
    clock.advance(1);
    const second = await knock(channel, 'eve');
    expect(second).not.toBe(first);
    await channel.ask(`/pair ${first}`, peopleWords.en.wrongCode, { at: 'test:ada' });
    expect(setting.rows('SELECT principal FROM paired')).toEqual([]);
  });

  test('has a new one as well if another stranger came in between', async () => {
    const { channel, clock } = await housed({ code_secs: 600 });
    const first = await knock(channel, 'eve');
    clock.advance(10 * minute);
    await knock(channel, 'mallory');
    expect(await knock(channel, 'eve')).not.toBe(first);
  });

  test('is refused plainly where as many codes are open as may be, and gets one when there is room', async () => {
    const { setting, channel, clock } = await housed({ max_codes: 2, code_secs: 1800 });
    for (const by of ['a', 'b']) await knock(channel, by);
    const { text } = await channel.ask('hello', strangerWords.en.unknown({ id: '`test:eve`' }), {
      by: 'eve',
      at: 'test:eve',
    });
    expect(text).not.toContain('/pair');
    expect(setting.rows('SELECT principal FROM pairing_codes')).toHaveLength(2);
    clock.advance(hour);
    await knock(channel, 'eve');
  });

  test('is refused plainly where pairing is off, and open codes end with that', async () => {
    const { setting, channel } = await housed();
    const code = await knock(channel, 'eve');
    await setting.restart({ pairing: { enabled: false } });
    await channel.ask(`/pair ${code}`, peopleWords.en.wrongCode, { at: 'test:ada' });
    await channel.say('hello', { by: 'mallory' });
    expect((await channel.sees('people I know', 'test:mallory')).text).not.toContain('/pair');
  });

  test('is given none while nobody owns this Keyturn', async () => {
    const setting = await daemonSetting({ config: { owners: [] } });
    await setting.channel.say('hello', { by: 'eve' });
    await setting.channel.sees(strangerWords.en.unclaimed({ command: '/claim' }), 'test:eve');
    expect(setting.rows('SELECT * FROM pairing_codes')).toEqual([]);
  });

  test('of a thousand messages of a crowd, ten are given codes', async () => {
    const { setting, channel } = await housed();
    const crowd = Array.from({ length: 1000 }, (_, index) => channel.say('in!', { by: `x${index % 200}` }));
    await Promise.all(crowd);
    expect(setting.rows('SELECT principal FROM pairing_codes')).toHaveLength(10);
  });
});

describe('/pair CODE', () => {
  test.each([
    ['as it is', (code: string) => code],
    [
      'in capitals, as code, and with a dash',
      (code: string) => `\`${code.slice(0, 4)}-${code.slice(4)}\``.toUpperCase(),
    ],
  ])('of an owner, written %s, lets the stranger in: both are told, and they may talk', async (_how, written) => {
    const { setting, channel } = await housed();
    const code = await knock(channel, 'eve');
    const { text } = await channel.ask(`/pair ${written(code)}`, 'Let in', { at: 'test:ada' });
    expect(text).toBe(
      peopleWords.en.letIn({ person: '`test:eve` (`Eve`)', undo: '`/unpair test:eve`', sharesFiles: true }),
    );
    await channel.sees(strangerWords.en.welcome, 'test:eve');
    await channel.ask('hello', 'echo: hello', { by: 'eve', at: 'test:eve' });
    expect(setting.rows('SELECT principal, name, paired_by FROM paired')).toEqual([
      { principal: 'test:eve', name: 'Eve', paired_by: 'test:ada' },
    ]);
    expect(setting.rows(`SELECT actor, detail FROM audit WHERE kind = 'person-paired'`)).toEqual([
      { actor: 'test:ada', detail: '{"person":"test:eve"}' },
    ]);
  });

  test('holds after a restart', async () => {
    const { setting, channel } = await housed();
    const code = await knock(channel, 'eve');
    await setting.restart();
    await channel.ask(`/pair ${code}`, strangerWords.en.welcome, { at: 'test:eve' });
    await setting.restart();
    await channel.ask('hello', 'echo: hello', { by: 'eve', at: 'test:eve' });
  });

  test('uses the code up, and delivered twice it acts once', async () => {
    const { setting, channel } = await housed();
    const code = await knock(channel, 'eve');
    await Promise.all([1, 2].map(() => channel.say(`/pair ${code}`, { key: 'same' })));
    await channel.ask(`/pair ${code}`, peopleWords.en.wrongCode, { at: 'test:ada' });
    expect(channel.textsIn('test:eve').filter((text) => text === strangerWords.en.welcome)).toHaveLength(1);
    expect(setting.rows('SELECT * FROM pairing_codes')).toEqual([]);
  });

  test('of two owners at once, one lets them in', async () => {
    const { setting, channel } = await housed({}, ['test:ada', 'test:bob']);
    const code = await knock(channel, 'eve');
    await Promise.all(['ada', 'bob'].map((by) => channel.say(`/pair ${code}`, { by })));
    await channel.sees('Let in', 'test:ada');
    await channel.sees(peopleWords.en.wrongCode, 'test:bob');
    expect(setting.rows('SELECT principal FROM paired')).toHaveLength(1);
  });

  test('is looked at five times an hour when it is wrong, and what is right does not count', async () => {
    const { setting, channel, clock } = await housed({ code_secs: 4 * 3600 });
    for (const by of ['a', 'b', 'c', 'd', 'e', 'f']) await channel.say(`/pair ${await knock(channel, by)}`);
    expect(setting.rows('SELECT principal FROM paired')).toHaveLength(6);
    const code = await knock(channel, 'eve');
    const told = () => channel.textsIn('test:ada').filter((text) => text.startsWith(peopleWords.en.wrongCode)).length;
    await Promise.all(
      ['', '0', 'wrong', 'ⅷ', code.slice(1), `${code}x`, code].map((wrong) => channel.say(`/pair ${wrong}`)),
    );
    await channel.sees(commandWords.en.tooManyGuesses, 'test:ada');
    expect(told()).toBe(5);
    expect(setting.rows('SELECT principal FROM paired')).toHaveLength(6);
    clock.advance(hour - 1);
    await channel.say(`/pair ${code}`);
    expect(setting.rows('SELECT principal FROM paired')).toHaveLength(6);
    clock.advance(1);
    await channel.ask(`/pair ${code}`, strangerWords.en.welcome, { at: 'test:eve' });
  });

  test('of anybody else does nothing, in whatever place', async () => {
    const { setting, channel } = await housed({}, ['test:ada'], ['bob']);
    const code = await knock(channel, 'eve');
    await channel.ask(`/pair ${code}`, 'Only an owner', { by: 'bob', at: 'test:bob' });
    await channel.ask(`/pair ${code}`, 'Only an owner', { by: 'bob', in: group, at: 'test:team' });
    await channel.say(`/pair ${code}`, { by: 'ada', isPerson: false });
    await channel.say(`/pair ${code}`, { by: 'eve' });
    await channel.say(`/pair ${code}`, { by: 'ada', in: { ...direct('test', 'ada'), channel: 'elsewhere' } });
    expect(setting.rows('SELECT principal FROM paired')).toEqual([]);
    await channel.ask(`/pair ${code}`, strangerWords.en.welcome, { at: 'test:eve' });
  });

  test('in a group is not looked at, not even for an owner', async () => {
    const { setting, channel } = await housed();
    const code = await knock(channel, 'eve');
    for (let time = 0; time < 7; time++) await channel.say(`/pair ${code}`, { in: group });
    await channel.sees(commandWords.en.notInGroups, 'test:team');
    await channel.say('/people', { in: group });
    expect(channel.textsIn('test:team').join()).not.toMatch(/Eve|Too many/);
    expect(setting.rows('SELECT principal FROM paired')).toEqual([]);
    await channel.ask(`/pair ${code}`, strangerWords.en.welcome, { at: 'test:eve' });
  });

  test('shows what the stranger calls themselves as they spell it, and who they are', async () => {
    const { channel } = await housed();
    const name = '**Ada** (`test:ada`)\n\u202e[yes](https://evil.example) @everyone'.padEnd(5000, 'x');
    await channel.say('hello', { by: 'eve', name });
    await channel.say(`/pair ${await codeOf(channel, 'eve')}`);
    const { text } = await channel.sees('Let in', 'test:ada');
    expect(text).toMatch(/^🔑 Let in: `test:eve` \(``\*\*Ada\*\* \(`test:ada`\) ⏎ [^`]*…x+``\)\./);
    const letIn = { person: anything, undo: '`/unpair test:eve`', sharesFiles: true };
    expect(text).toMatch(sayingOnly(peopleWords.en.letIn(letIn)));
    expect(text.length).toBeLessThan(450);
  });
});

describe('a code', () => {
  test('lets nobody in once its time is over, and is shown no more', async () => {
    const { setting, channel, clock } = await housed({ code_secs: 600 });
    const code = await knock(channel, 'eve');
    clock.advance(10 * minute);
    await channel.ask(`/pair ${code}`, peopleWords.en.wrongCode, { at: 'test:ada' });
    for (const command of ['/people', '/status']) await channel.say(command);
    await channel.sees(peopleWords.en.holderList({ holders: [] }), 'test:ada');
    expect((await channel.sees('is up for', 'test:ada')).text).not.toContain('stranger');
    expect(setting.rows('SELECT principal FROM paired')).toEqual([]);
  });

  test('ends when its holder becomes the owner', async () => {
    const { setting, channel } = await housed();
    await knock(channel, 'eve');
    await setting.restart({ owners: [] });
    await channel.ask('/claim k3f9abcd', commandWords.en.claimed, { by: 'eve', at: 'test:eve' });
    expect(setting.rows('SELECT * FROM pairing_codes')).toEqual([]);
  });

  test('ends when the config names its holder', async () => {
    const { setting, channel } = await housed();
    const [eves, bobs, pias] = [await knock(channel, 'eve'), await knock(channel, 'bob'), await knock(channel, 'pia')];
    await setting.restart({ owners: ['test:ada', 'test:eve'], channels: { test: { allow_from: ['bob'] } } });
    expect(setting.rows('SELECT principal FROM pairing_codes')).toEqual([{ principal: 'test:pia' }]);
    for (const code of [eves, bobs, pias]) await channel.say(`/pair ${code}`);
    await channel.sees(strangerWords.en.welcome, 'test:pia');
    expect(setting.rows('SELECT principal FROM paired')).toEqual([{ principal: 'test:pia' }]);
  });
});

test('an /unpair that is delivered again later does not end what has been allowed since', async () => {
  const { channel } = await housed();
  const letIn = async (): Promise<void> => {
    await channel.ask(`/pair ${await knock(channel, 'eve')}`, 'Let in', { at: 'test:ada' });
  };
  await letIn();
  const unpaired = { person: '`test:eve` (`Eve`)', isNamed: false, isLinkedIn: false };
  await channel.ask('/unpair eve', peopleWords.en.unpaired(unpaired), { key: 'k1', at: 'test:ada' });
  channel.clear();
  await letIn();
  await channel.say('/unpair eve', { key: 'k1' });
  await channel.ask('hello', 'echo: hello', { by: 'eve', at: 'test:eve' });
});
