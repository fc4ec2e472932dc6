import { describe, expect, test } from 'vitest';
import type { Hit, HitPage } from '../../../../src/features/page/wire/activity.ts';
import { pageSetting, type SignedIn } from '../../../support/page/page-setting.ts';
import { minute, noon, type StoredRun, withRuns } from './stored-runs.ts';

const runs: readonly StoredRun[] = [
  {
    at: noon,
    says: 'Where is the Lighthouse?',
    answers: 'On the cliff.',
    calls: [{ name: 'shell', arguments: { command: 'grep cliff map' } }],
  },
  {
    at: noon + minute,
    says: '灯塔在哪里？',
    answers: '灯塔在悬崖上。',
    calls: [{ name: 'web', result: 'the lighthouse of the cliff' }],
  },
  { at: noon + 2 * minute, says: 'bob looks for a lighthouse', by: 'bob' },
];

async function people(stored = runs, options: Parameters<typeof pageSetting>[0] = {}) {
  const setting = await pageSetting(options);
  await withRuns(setting.daemon, stored);
  return { owner: await setting.browser(), friend: await setting.browser('bob') };
}

/** All hits, page after page. */
async function found(who: SignedIn, words: string): Promise<readonly Hit[]> {
  const hits: Hit[] = [];
  for (let before: string | undefined, isFirst = true; isFirst || before !== undefined; isFirst = false) {
    const query = new URLSearchParams({ q: words, ...(before === undefined ? {} : { before }) });
    const page: HitPage = JSON.parse(await (await who.get(`search?${query}`)).text());
    hits.push(...page.hits);
    before = page.next;
  }
  return hits;
}

const shown = (hits: readonly Hit[]) =>
  hits.map(({ kind, runId, anchor, text, found: ranges }) => [
    kind,
    runId,
    anchor,
    ranges.map(([from, to]) => text.slice(from, to)),
  ]);

describe('the search', () => {
  test('finds in messages, answers, arguments and outputs, the newest first, and says where', async () => {
    const { owner } = await people();
    expect(shown(await found(owner, 'LIGHTHOUSE'))).toEqual([
      ['message', 'run3', 'message-3', ['lighthouse']],
      ['output', 'run2', 'call2x0', ['lighthouse']],
      ['message', 'run1', 'message-1', ['Lighthouse']],
    ]);
    expect(shown(await found(owner, 'cliff map'))).toEqual([['arguments', 'run1', 'call1x0', ['cliff', 'map']]]);
    expect(shown(await found(owner, '灯塔'))).toEqual([
      ['answer', 'run2', 'turn-2', ['灯塔']],
      ['message', 'run2', 'message-2', ['灯塔']],
    ]);
  });

  test('finds for a friend only what is theirs', async () => {
    const { friend } = await people();
    expect(shown(await found(friend, 'lighthouse'))).toEqual([['message', 'run3', 'message-3', ['lighthouse']]]);
    expect(await found(friend, 'cliff')).toEqual([]);
  });

  test('does not tell which secrets there are', async () => {
    const secret = 'hunter2-hunter2';
    const { owner } = await people([{ at: noon, says: `my password is ${secret}` }], { secrets: [secret] });
    expect(await found(owner, 'hunter2')).toEqual([]);
    const [hit] = await found(owner, 'password');
    expect(hit?.text).not.toContain('hunter2');
  });

  test('finds each thing once, however many pages and windows it takes', async () => {
    const many = Array.from({ length: 1_500 }, (_, index) => ({
      at: noon + index * 1000,
      says: index % 10 === 0 ? `needle ${index}` : `hay ${index}`,
      by: index % 100 === 0 ? 'bob' : 'ada',
    }));
    const { owner, friend } = await people(many);
    const hits = await found(owner, 'needle');
    expect(hits.map(({ text }) => text)).toEqual(
      many.flatMap(({ says }) => (says.startsWith('needle') ? [says] : [])).toReversed(),
    );
    expect(await found(friend, 'needle')).toHaveLength(15);
  });

  test('refuses to search for nothing, and from nowhere', async () => {
    const { owner } = await people([]);
    expect((await owner.get('search?q=%20')).status).toBe(400);
    expect((await owner.get('search?q=x&before=then')).status).toBe(400);
  });
});
