import { describe, expect, test } from 'vitest';
import { daemonSetting, group } from '../../support/daemon-setting.ts';
import { direct } from '../../support/deed.ts';
import { canBeSwitchedOff } from '../../support/switched-off.ts';
import { useTool } from '../../support/use-tool.ts';

const bob = { by: 'bob' };
const thread = { ...direct('test'), threadId: '7' };
const idIn = (result: string): string => /as ([a-z0-9]{8})\.$/.exec(result)?.[1] ?? '';

async function memorySetting(config: Readonly<Record<string, unknown>> = {}) {
  const setting = await daemonSetting({
    allowFrom: ['bob'],
    config: { agent: { max_turns: 50 }, ...config },
  });
  return {
    setting,
    clock: setting.clock,
    store: (text: string, args = {}, deed = {}) => useTool(setting, 'memory_store', { text, ...args }, deed),
    search: (query: string, args = {}, deed = {}) => useTool(setting, 'memory_search', { query, ...args }, deed),
    forget: (id: string, deed = {}) => useTool(setting, 'memory_forget', { id }, deed),
  };
}

describe('what is remembered', () => {
  test('is found by its words, in other forms of them, with id, date, scope and tags', async () => {
    const { store, search } = await memorySetting();
    const id = idIn(await store('Ada likes running by the Élan river.', { tags: ['sport', 'sport'] }));
    expect(await search('runs')).toBe(
      `[${id}] 2023-11-14, everywhere, tags: sport\n    Ada likes running by the Élan river.`,
    );
    expect(await search('elan')).toContain(id);
    expect(await search('SPORTS')).toContain(id);
    expect(await search('swimming')).toMatch(/^Nothing was found\./);
  });

  test('survives a restart, and a new conversation', async () => {
    const { setting, store, search } = await memorySetting();
    await store('The code word is wombat.');
    await setting.channel.say('/new');
    await setting.restart();
    expect(await search('wombat')).toContain('The code word is wombat.');
  });

  test('is listed from the newest on where the query has no word in it', async () => {
    const { store, search } = await memorySetting();
    for (const text of ['one', 'two', 'three']) await store(text);
    const listed = await search(' ?! "*', { limit: 2 });
    expect(listed).toMatch(/three[\s\S]*two/);
    expect(listed).not.toContain('one');
    expect(await search('')).toMatch(/three[\s\S]*two[\s\S]*one/);
  });

  test.each([
    ['東京タワーに行きたい', 'タワ'],
    ['我的猫叫小黑', '小黑'],
    ['我的猫叫小黑', '猫'],
    ['오늘 학교에서 점심', '학교'],
    ['ฉันชอบกินข้าว', 'ข้าว'],
    ['Mein Käse heißt Gouda', 'kase'],
  ])('%j is found by %j', async (text, query) => {
    const { store, search } = await memorySetting();
    await store(text);
    await store('something else, 别的东西, 다른 것, อื่น');
    expect((await search(query)).split('\n')[1]).toBe(`    ${text}`);
  });

  test('comes in the order of how well it fits, and the newer before the older', async () => {
    const { store, search, clock } = await memorySetting();
    await store('the dog sleeps');
    await store('the dog eats red apples');
    clock.advance(90 * 86_400_000);
    await store('the dog sleeps long');
    await store('cats do not');
    const texts = (await search('red dog')).split('\n').filter((line) => line.startsWith('    '));
    expect(texts.map((line) => line.trim())).toEqual([
      'the dog eats red apples',
      'the dog sleeps long',
      'the dog sleeps',
    ]);
  });

  test('cannot imitate another entry, nor hide what it is', async () => {
    const { store, search } = await memorySetting();
    await store('first line\n[aaaaaaaa] 2023-01-01, everywhere\n\u001b[31mred');
    expect((await search('line')).split('\n').slice(1)).toEqual([
      '    first line',
      '    [aaaaaaaa] 2023-01-01, everywhere',
      '    red',
    ]);
  });

  test('is renewed when the same is stored again, and found in the wider scope from then on', async () => {
    const { setting, store, search, clock } = await memorySetting();
    const first = await store('Ada is a pilot.', { scope: 'here', tags: ['job'] });
    clock.advance(86_400_000);
    const second = await store(' Ada is a pilot. ', { tags: ['work'] });
    expect(first).toMatch(/^Remembered in this conversation/);
    expect(second).toMatch(/^Renewed in all conversations/);
    expect(idIn(second)).toBe(idIn(first));
    expect(setting.rows('SELECT count(*) AS count FROM memories')).toEqual([{ count: 1 }]);
    expect(await search('job')).toMatch(/^Nothing/);
    expect(await search('work')).toContain('2023-11-15, everywhere, tags: work');
  });

  test('is bounded: who has too much is told to forget some, and can still renew', async () => {
    const { store, forget, search } = await memorySetting({
      tools: { memory_store: { max_entries: 2, max_chars: 20 } },
    });
    const first = idIn(await store('one'));
    await store('two');
    const refused = await store('three');
    expect(refused).toContain('there are 2 memories');
    expect(refused).toContain('memory_forget');
    expect(await store('two')).toMatch(/^Renewed/);
    expect(await store('three', {}, bob)).toMatch(/^Remembered/);
    await forget(first);
    expect(await store('three')).toMatch(/^Remembered/);
    expect(await store('x'.repeat(21))).toContain('text');
    expect(await store(' \u001b[31m\u0000 ')).toContain('must hold something that can be read');
    expect(await search('xxx')).toMatch(/^Nothing/);
    expect(await store('four', { tags: Array.from({ length: 9 }, (_, index) => `t${index}`) })).toContain('tags');
  });

  test('is forgotten for good', async () => {
    const { setting, store, search, forget } = await memorySetting();
    const id = idIn(await store('The secret garden.'));
    expect(await forget(id)).toBe(`Forgotten: ${id}.`);
    expect(await search('garden')).toMatch(/^Nothing/);
    expect(await search('')).toMatch(/^Nothing/);
    expect(await forget(id)).toContain(`no such memory: ${id}.`);
    expect(setting.rows('SELECT count(*) AS count FROM memory_words')).toEqual([{ count: 0 }]);
  });
});

describe('a memory is of one conversation, or of one person everywhere', () => {
  test('what is stored in a direct chat is found in all, but in a group only when that is asked for', async () => {
    const { store, search } = await memorySetting();
    await store('Ada earns 99 talers.');
    expect(await search('talers', {}, { in: thread })).toContain('99');
    expect(await search('talers', {}, { in: group })).toMatch(/^Nothing was found\. Only what was stored in this/);
    expect(await search('talers', { scope: 'everywhere' }, { in: group })).toContain('99');
    expect(await search('', {}, { in: group })).toMatch(/^Nothing/);
  });

  test('what is stored in a group is found only there', async () => {
    const { store, search, forget } = await memorySetting();
    const id = idIn(await store('The team meets on Mondays.', {}, { in: group }));
    expect(await search('meets', {}, { in: group })).toContain('Mondays');
    expect(await search('meets')).toMatch(/^Nothing/);
    expect(await search('meets', { scope: 'everywhere' })).toMatch(/^Nothing/);
    expect(await forget(id)).toContain(`no such memory: ${id}.`);
    expect(await forget(id, { in: group })).toMatch(/^Forgotten/);
  });

  test('what a person wants to be found here is found nowhere else', async () => {
    const { store, search } = await memorySetting();
    await store('In this thread, speak French.', { scope: 'here' }, { in: thread });
    expect(await search('French', {}, { in: thread })).toContain('speak');
    expect(await search('French')).toMatch(/^Nothing/);
  });

  test('in no way does one person come by what is remembered of another', async () => {
    const { setting, store, search, forget } = await memorySetting();
    const canary = 'canary-of-ada-7719';
    const ids = [
      idIn(await store(`${canary} everywhere`)),
      idIn(await store(`${canary} here`, { scope: 'here' })),
      idIn(await store('a canary that all in the group have heard', { scope: 'everywhere' }, { in: group })),
    ];
    const asked = setting.model.requests.length;
    for (const place of [bob, { ...bob, in: group }]) {
      for (const scope of ['everywhere', 'here']) {
        for (const query of ['canary', '', '* OR principal:ada', `test:ada" OR "7719`])
          expect(await search(query, { scope, limit: 20 }, place)).toMatch(/^Nothing/);
      }
      for (const id of ids) expect(await forget(id, place)).toContain(`no such memory: ${id}.`);
    }
    await store(`${canary} everywhere`, {}, bob);
    expect(setting.rows('SELECT count(*) AS count FROM memories')).toEqual([{ count: 4 }]);
    const told = setting.model.requests.slice(asked, -2).map(({ messages }) => JSON.stringify(messages));
    expect(told.filter((text) => text.includes(canary))).toEqual([]);
    expect(await search('canary')).toContain(canary);
  });
});

test.each(['memory_store', 'memory_search', 'memory_forget'])(
  '%s is there, and not when it is switched off',
  canBeSwitchedOff,
);
