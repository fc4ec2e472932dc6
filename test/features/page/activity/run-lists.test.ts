import { describe, expect, test } from 'vitest';
import type { RunInList, RunPage } from '../../../../src/features/page/wire/activity.ts';
import { pageSetting, type SignedIn } from '../../../support/page/page-setting.ts';
import { minute, noon, type StoredRun, withRuns } from './stored-runs.ts';

const runs: readonly StoredRun[] = [
  { at: noon, says: 'first', calls: [{ name: 'shell', outcome: 'error' }] },
  { at: noon + minute, says: 'bob asks', by: 'bob', calls: [{ name: 'read_file' }] },
  {
    at: noon + 2 * minute,
    says: 'in the team',
    chat: 'team',
    calls: [{ name: 'shell', outcome: 'denied', asked: 'denied' }],
  },
  { at: noon + 3 * minute, says: 'bob in the team', by: 'bob', chat: 'team', closing: 'stopped' },
  { at: noon + 4 * minute, says: '买牛奶 for the Café', calls: [{ name: 'shell', result: 'straße' }] },
];

async function people(stored = runs) {
  const setting = await pageSetting();
  await withRuns(setting.daemon, stored);
  return { setting, owner: await setting.browser(), friend: await setting.browser('bob') };
}

async function listed(who: SignedIn, query = ''): Promise<RunPage> {
  const answer = await who.get(`runs?${query}`);
  const page: RunPage = JSON.parse(await answer.text());
  return page;
}

const said = ({ runs: found }: RunPage): readonly string[] => found.map(({ text }) => text);

describe('a list of runs', () => {
  test('has all for an owner, the newest first, and for a friend what is theirs, whatever they ask for', async () => {
    const { owner, friend } = await people();
    expect(said(await listed(owner))).toEqual(runs.map(({ says }) => says).toReversed());
    expect(said(await listed(friend))).toEqual(['bob in the team', 'bob asks']);
    expect(said(await listed(friend, 'person=test:ada'))).toEqual([]);
    expect(said(await listed(friend, 'tool=shell'))).toEqual([]);
    expect(said(await listed(friend, 'q=first'))).toEqual([]);
  });

  test.each([
    { query: 'person=test:bob', found: ['bob in the team', 'bob asks'] },
    { query: 'tool=read_file', found: ['bob asks'] },
    { query: 'channel=test&tool=shell', found: ['买牛奶 for the Café', 'in the team', 'first'] },
    { query: 'channel=telegram', found: [] },
    { query: 'outcome=denied', found: ['in the team'] },
    { query: 'outcome=asked', found: ['in the team'] },
    { query: 'outcome=failed', found: ['first'] },
    { query: 'outcome=closed', found: ['bob in the team'] },
    { query: 'outcome=answered&person=test:bob', found: ['bob asks'] },
    { query: 'outcome=open', found: [] },
    { query: `from=${noon + 3 * minute}`, found: ['买牛奶 for the Café', 'bob in the team'] },
    { query: `to=${noon + minute}`, found: ['first'] },
    { query: `q=${encodeURIComponent('牛奶')}`, found: ['买牛奶 for the Café'] },
    { query: `q=${encodeURIComponent('CAFÉ STRASSE'.replace('STRASSE', 'Straße'))}`, found: ['买牛奶 for the Café'] },
  ])('is filtered by $query', async ({ query, found }) => {
    const { owner } = await people();
    expect(said(await listed(owner, query))).toEqual(found);
  });

  test('tells of each run who began it where, how it ended, and what did not run well', async () => {
    const { owner } = await people();
    const { runs: found } = await listed(owner);
    const inTeam = found.find(({ text }) => text === 'in the team');
    expect(inTeam).toMatchObject({
      id: 'run3',
      person: { principal: 'test:ada', name: 'ada' },
      place: { conversationId: 'test:team', channel: 'test', kind: 'group', title: 'team' },
      end: { end: 'answered' },
      calls: 1,
      turns: 1,
      tokens: 10,
      troubles: 1,
    });
    expect(found.find(({ text }) => text === 'bob in the team')?.end).toEqual({ end: 'closed', reason: 'stopped' });
  });

  test('refuses what cannot be asked for', async () => {
    const { owner } = await people([]);
    for (const query of ['outcome=lucky', 'before=-1', 'from=yesterday', 'most=1e9'])
      expect([query, (await owner.get(`runs?${query}`)).status]).toEqual([query, 400]);
  });

  test('goes on, page after page, until all ten thousand were there once, and each request is bounded', async () => {
    const many = Array.from({ length: 10_000 }, (_, index): StoredRun => {
      const by = index % 50 === 0 ? 'bob' : 'ada';
      return {
        at: noon + index * 1000,
        says: `message ${index}`,
        by,
        calls: index % 100 === 0 ? [{ name: 'rare' }] : [],
      };
    });
    const { owner, friend } = await people(many);
    const all = await everyPage(owner, 'most=200');
    expect(all.pages).toBe(51);
    expect(new Set(all.runs.map(({ id }) => id)).size).toBe(10_000);
    expect(all.runs.map(({ beganAt }) => beganAt)).toEqual(
      all.runs.map(({ beganAt }) => beganAt).toSorted((one, other) => other - one),
    );
    expect((await everyPage(owner, 'most=200&tool=rare')).runs).toHaveLength(100);
    expect((await everyPage(friend, 'most=200')).runs).toHaveLength(200);
    expect((await listed(owner, 'most=100000')).runs).toHaveLength(200);
  });
});

async function everyPage(who: SignedIn, query: string) {
  const found: RunInList[] = [];
  let pages = 0;
  for (let before: number | undefined, isFirst = true; isFirst || before !== undefined; isFirst = false) {
    const page: RunPage = await listed(who, `${query}${before === undefined ? '' : `&before=${before}`}`);
    found.push(...page.runs);
    before = page.next;
    pages += 1;
  }
  return { runs: found, pages };
}

describe('the list as JSON Lines', () => {
  test('has a line for each run, the same that the pages tell', async () => {
    const { owner, friend } = await people();
    const answer = await owner.get('runs.jsonl?tool=shell');
    expect(answer.headers.get('content-disposition')).toContain('keyturn-runs.jsonl');
    const lines = (await answer.text()).trimEnd().split('\n');
    expect(lines.map((line) => JSON.parse(line))).toEqual((await listed(owner, 'tool=shell')).runs);
    const ofFriend = await (await friend.get('runs.jsonl')).text();
    expect(
      ofFriend
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line)),
    ).toEqual((await listed(friend)).runs);
  });
});

test('what can be chosen is what the person sees', async () => {
  const { owner, friend } = await people();
  expect(await (await owner.get('runs/choices')).json()).toMatchObject({
    people: [{ name: 'Ada' }, { name: 'Bob' }],
    tools: ['read_file', 'shell'],
    currency: 'USD',
  });
  expect(await (await friend.get('runs/choices')).json()).toMatchObject({
    people: [{ name: 'Bob' }],
    tools: ['read_file'],
  });
});
