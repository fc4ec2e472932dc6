import { describe, expect, test } from 'vitest';
import type { DirectChat } from '../../../src/conversation/inbox.ts';
import type { TrustSubject } from '../../../src/feature-points.ts';
import { createTrustStore, type TrustStore } from '../../../src/features/trust/tables.ts';
import { createTrustBook, type TrustBook, trustReport } from '../../../src/features/trust/trust.ts';
import { type Signal, signal } from '../../../src/lib/live.ts';
import { silentLog } from '../../../src/lib/log.ts';
import type { Language } from '../../../src/lib/words.ts';
import type { Database } from '../../../src/store/database.ts';
import type { Store } from '../../../src/store/index.ts';
import { coreWith } from '../../support/core-with.ts';
import { direct } from '../../support/deed.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { newStore, originOf, rowsOf, said } from '../../support/store-setting.ts';
import { waitUntil } from '../../support/wait-for.ts';

const own = originOf('ada', direct('test', 'ada'));

interface Setting {
  readonly store: Store;
  readonly trust: TrustStore;
  readonly database: Database;
  readonly file: string;
  readonly book: TrustBook;
  readonly calls: string[];
  readonly delivered: string[];
  readonly warned: string[];
  readonly heard: Signal<string>;
  chats: readonly DirectChat[];
}

async function bookSetting(former?: Setting): Promise<Setting> {
  const { store, database, file } = former ?? (await newStore());
  const trust = createTrustStore(database);
  if (former === undefined) await store.inbox.accept(said(own, 'hello'));
  const delivered: string[] = [];
  const warned: string[] = [];
  const heard = signal<string>();
  const setting: Setting = {
    store,
    trust,
    database,
    file,
    calls: [],
    delivered,
    warned,
    heard,
    chats: [{ conversationId: own.conversationId, conversation: own.conversation, principal: 'test:ada', seenAt: 1 }],
    book: createTrustBook(
      coreWith({
        owners: { isOwner: (principal: string) => principal === 'test:ada' },
        ownersChats: { best: async () => setting.chats },
        readers: { forConversation: () => ({ timeZone: 'UTC', isNamed: false, language: 'en' }) },
        clock: new ManualClock(),
        heard,
        log: { ...silentLog, warn: (_fields: object, message: string) => void warned.push(message) },
        deliver: (ids: readonly string[]) => delivered.push(...ids),
      }),
      trust,
    ),
  };
  return setting;
}

function subject(fingerprint: string, name = 'weather'): TrustSubject {
  return { kind: 'plugin', name, fingerprint: fingerprint.repeat(64), what: `It is ${fingerprint}.` };
}

/** Reviews it, and notes what is told of it later. */
async function review({ book, calls }: Setting, of: TrustSubject, how: 'review' | 'adopt' = 'review') {
  const letter = of.fingerprint.charAt(0);
  const decided = (isTrusted: boolean): void => void calls.push(`${letter} ${isTrusted ? 'trusted' : 'distrusted'}`);
  return (await book.review(of, decided, how === 'adopt')) ? 'trusted' : 'asked';
}

function noticesOf({ file }: Setting): readonly string[] {
  return rowsOf(file, 'SELECT markdown FROM outbox ORDER BY seq').map(({ markdown }) => String(markdown));
}

async function toldOf(setting: Setting, count: number): Promise<readonly string[]> {
  await waitUntil(() => noticesOf(setting).length === count, { describe: () => noticesOf(setting).join('\n') });
  return noticesOf(setting);
}

async function idOf({ trust }: Setting, name = 'weather'): Promise<string> {
  const entry = (await trust.all()).find((one) => one.name === name);
  return entry?.asked?.id ?? entry?.trusted?.id ?? 'none';
}

async function command(
  { store, trust, book }: Setting,
  type: 'trust' | 'distrust',
  ids: readonly string[],
): Promise<number> {
  const origin = originOf('ada', own.conversation);
  const obeyed = await store.inbox.obey({
    origin,
    name: type,
    effect: trust[type](ids),
    answer: () => undefined,
    at: 1,
  });
  const changes = obeyed.status === 'done' ? obeyed.result : [];
  book.decided(changes);
  return changes.length;
}

test('what is asked for is told in the language of who reads it, also after a restart', async () => {
  const setting = await bookSetting();
  await review(setting, { ...subject('a'), what: (language) => (language === 'zh' ? '这是天气。' : 'It is weather.') });
  await review(setting, subject('b', 'older'));
  const { trust } = await bookSetting(setting);
  const entries = await trust.all();
  const read = (language: Language): string =>
    trustReport(entries, { timeZone: 'UTC', isNamed: false, language }).markdown;
  expect(read('zh')).toContain('这是天气。');
  expect(read('zh')).not.toContain('It is weather.');
  expect(read('en')).toContain('It is weather.');
  // A text that is the same in each language.
  expect(read('zh')).toContain('It is b.');
});

describe('what others have written', () => {
  test('is off until an owner trusts exactly that, and the trust is kept', async () => {
    const setting = await bookSetting();
    expect(await review(setting, subject('a'))).toBe('asked');
    expect(await command(setting, 'trust', [await idOf(setting)])).toBe(1);
    expect(setting.calls).toEqual(['a trusted']);
    const later = await bookSetting(setting);
    expect(await review(later, subject('a'))).toBe('trusted');
    expect(await review(later, subject('b'))).toBe('asked');
    expect(later.calls).toEqual([]);
  });

  test('is told of once, also after a restart, and again when it is something new', async () => {
    const setting = await bookSetting();
    await review(setting, subject('a'));
    await toldOf(setting, 1);
    await review(setting, subject('a'));
    const later = await bookSetting(setting);
    await review(later, subject('a'));
    await later.book.stop();
    expect(noticesOf(later)).toHaveLength(1);
    const last = await bookSetting(later);
    await review(last, subject('b'));
    const [first, second] = await toldOf(last, 2);
    expect(first).toContain('is new here');
    expect(first).toContain('It is a.');
    expect(second).toContain('It is b.');
    expect(last.delivered).toEqual([own.conversationId]);
  });

  test('is told of together where much of it is looked at, one after the other', async () => {
    const setting = await bookSetting();
    for (const name of ['one', 'two', 'three']) await review(setting, subject('a', name));
    const [notice] = await toldOf(setting, 1);
    for (const name of ['one', 'two', 'three']) {
      expect(notice).toContain(`\`${name}\``);
      expect(notice).toContain(`/trust ${await idOf(setting, name)}\``);
    }
    await setting.book.stop();
    expect(noticesOf(setting)).toHaveLength(1);
  });

  test('is told of when the first owner is heard, if none could be told before', async () => {
    const setting = await bookSetting();
    const { chats } = setting;
    setting.chats = [];
    await Promise.all([review(setting, subject('a')), review(setting, subject('b', 'crm'))]);
    setting.heard.tell('test:eve');
    await new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
    expect(noticesOf(setting)).toEqual([]);
    expect(setting.warned).toHaveLength(1);
    setting.chats = chats;
    setting.heard.tell('test:ada');
    await toldOf(setting, 1);
    setting.heard.tell('test:ada');
    await setting.book.stop();
    expect(noticesOf(setting)).toHaveLength(1);
  });

  test.each(['shown', 'trusted'])('is not trusted by the id of what it was when it was %s', async (when) => {
    const setting = await bookSetting();
    await review(setting, subject('a'));
    const former = await idOf(setting);
    if (when === 'trusted') await command(setting, 'trust', [former]);
    expect(await review(setting, subject('b'))).toBe('asked');
    expect(await command(setting, 'trust', [former])).toBe(0);
    expect(setting.calls).not.toContain('b trusted');
    expect(await review(await bookSetting(setting), subject('b'))).toBe('asked');
  });

  test('stays what an owner trusts when a change of it is taken back', async () => {
    const setting = await bookSetting();
    await review(setting, subject('a'));
    await command(setting, 'trust', [await idOf(setting)]);
    expect(await review(setting, subject('b'))).toBe('asked');
    expect(await review(setting, subject('a'))).toBe('trusted');
    const [entry] = await setting.trust.all();
    expect(entry?.asked).toBeUndefined();
  });

  test('is off at once when an owner trusts it no more, is not asked for again, and can be trusted again', async () => {
    const setting = await bookSetting();
    await review(setting, subject('a'), 'adopt');
    const id = await idOf(setting);
    await command(setting, 'distrust', [id]);
    expect(setting.calls).toEqual(['a distrusted']);
    const later = await bookSetting(setting);
    expect(await review(later, subject('a'), 'adopt')).toBe('asked');
    await later.book.stop();
    expect(noticesOf(later)).toEqual([]);
    await command(later, 'trust', [id]);
    expect(later.calls).toEqual(['a trusted']);
  });

  test('is trusted without a question where the config names it, but not when it has changed', async () => {
    const setting = await bookSetting();
    expect(await review(setting, subject('a'), 'adopt')).toBe('trusted');
    expect(await review(setting, subject('b'), 'adopt')).toBe('asked');
    await command(setting, 'trust', [await idOf(setting)]);
    expect(setting.calls).toEqual(['b trusted']);
    const about = (letter: string): string =>
      JSON.stringify({ kind: 'plugin', name: 'weather', fingerprint: letter.repeat(64) });
    expect(rowsOf(setting.file, "SELECT kind, actor, detail FROM audit WHERE kind LIKE 'trust%'")).toEqual([
      { kind: 'trust-given', actor: 'keyturn', detail: about('a') },
      { kind: 'trust-ended', actor: 'keyturn', detail: about('b') },
      { kind: 'trust-given', actor: 'test:ada', detail: about('b') },
    ]);
  });

  test('is trusted once, whether the decision or the look at it comes first', async () => {
    const setting = await bookSetting();
    await review(setting, subject('a'));
    const id = await idOf(setting);
    const later = await bookSetting(setting);
    const [verdict] = await Promise.all([review(later, subject('a')), command(later, 'trust', [id])]);
    expect([verdict, ...later.calls]).toHaveLength(1 + (verdict === 'trusted' ? 0 : 1));
  });
});
