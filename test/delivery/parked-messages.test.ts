import { isDeepStrictEqual } from 'node:util';
import { describe, expect, test } from 'vitest';
import type { ChannelFault } from '../../src/contract.ts';
import { statusWords } from '../../src/conversation/commands/reports/words.ts';
import { commandWords } from '../../src/conversation/commands/words.ts';
import { deliveryWords } from '../../src/delivery/words.ts';
import type { Language } from '../../src/lib/words.ts';
import type { FileDraft } from '../../src/tools/output.ts';
import { stubWords } from '../../src/words/words.ts';
import { deploySetting } from '../engine/deploy-setting.ts';
import { daemonSetting } from '../support/daemon-setting.ts';
import { bobs, deliverySetting, home } from '../support/delivery-setting.ts';
import type { ManualClock } from '../support/manual-clock.ts';
import { newFile } from '../support/new-folder.ts';
import { anything, saidLike } from '../support/said.ts';
import { stubElsewhere, stubOf, unshownMessage } from '../support/said-stubs.ts';
import { call } from '../support/scripted-model.ts';
import { originOf } from '../support/store-setting.ts';
import { waitUntil } from '../support/wait-for.ts';

/** A file to send. */
async function draftOf(name: string): Promise<FileDraft> {
  return { name, mediaType: 'text/plain', path: await newFile('content', name) };
}

type Setting = Awaited<ReturnType<typeof deliverySetting>>;

const poison = { says: 'poison', lasts: true } as const;
const stub = stubOf();
/** What owners read of a chat that takes nothing. */
const closed = saidLike(stubWords.en.nothingGetsThrough({ chat: '`test:ada`', why: anything }));

/** The pauses after which a message is given up that a proxy refuses; any other one after 16 s more. In milliseconds. */
const steps = [500, 1000, 2000, 4000, 8000];

async function isBlockedForLong(clock: ManualClock): Promise<void> {
  for (const pause of steps) await clock.passes(pause);
}

async function failsForLong(clock: ManualClock): Promise<void> {
  await isBlockedForLong(clock);
  await clock.passes(16_000);
}

/** Somebody says of the message that is parked that it is tried again. */
async function isTriedAgain({ store, clock }: Setting): Promise<void> {
  const [parked] = await store.outbox.undeliveredMessages();
  const wish = { verb: 'retry', anywhere: false, words: () => '🔁 Tried again.' } as const;
  await store.inbox.obey({
    origin: originOf('ada', home),
    name: 'retry',
    effect: store.effects.unpark({ ...wish, stubId: parked?.stubId ?? '' }),
    answer: () => undefined,
    at: clock.now(),
  });
}

describe('a message that fails while the platform takes others', () => {
  const patient = { settings: { longestPause: 900_000, lateAfter: 1e9 } };
  test.each<[how: string, fault: ChannelFault, pauses: readonly number[], failures: number]>([
    ['for half a minute', { type: 'transient' }, [...steps, 16_000], 8],
    ['as our credentials are not accepted for just that', { type: 'auth' }, [5000, 5000, 5000, 5000, 8000, 16_000], 8],
    ['sooner where a proxy refuses just this request', { type: 'transient', isBlocked: true }, steps, 7],
    [
      'for a quarter of an hour in which the platform has only asked for patience',
      { type: 'rate-limited', retryAfter: 100_000 },
      [...Array.from({ length: 8 }, () => 100_000), 128_000],
      10,
    ],
  ])(
    'is parked %s: a stub is in its place, and what waits behind it arrives',
    async (_how, fault, pauses, failures) => {
      const { channel, clock, say, whenIdle, rows, told } = await deliverySetting(patient);
      channel.failNext(fault, poison);
      await say('poison', home, { kind: 'reply' });
      await say('behind it', home, { kind: 'reply' });
      for (const pause of pauses.slice(0, -1)) await clock.passes(pause);
      await clock.waitsFor(pauses.at(-1) ?? 0);
      expect(channel.screen).toEqual([]);
      await clock.passes(pauses.at(-1) ?? 0);
      await whenIdle();
      const words = stubOf({ what: unshownMessage('reply', 6), why: `the platform is ${fault.type}` });
      expect(channel.textsIn('test:ada')).toEqual([expect.stringMatching(words), 'behind it']);
      expect(channel.screen[0]?.buttons.flat().map(({ label }) => label)).toEqual([
        stubWords.en.buttonRetry,
        stubWords.en.buttonDrop,
      ]);
      // The last of them right behind the stub.
      expect(rows(`SELECT state, failures FROM outbox WHERE markdown = 'poison'`)).toEqual([
        { state: 'failed', failures },
      ]);
      expect(told).toEqual([expect.stringMatching(stubElsewhere('`test:ada`'))]);
    },
  );

  test('is said to fail for the reason that its platform gives, in the language of those who read it', async () => {
    const { channel } = await daemonSetting({ config: { language: 'zh' } });
    const words = (language: Language): string => ({ en: 'it is too large', zh: '它太大了' })[language];
    channel.failNext({ type: 'permanent' }, { says: 'echo: 你好', lasts: true, words });
    await channel.say('你好');
    const { text } = await channel.sees('它太大了');
    expect(text).not.toContain(words('en'));
  });

  test('is tried eight times where it does not fail in the same way each time', async () => {
    const { channel, clock, say, whenIdle } = await deliverySetting();
    for (let times = 0; times < 4; times += 1) {
      channel.failNext({ type: 'transient' }, { says: 'poison' });
      channel.failNext({ type: 'ambiguous' }, { says: 'poison' });
    }
    channel.failNext({ type: 'transient' }, { says: 'poison' });
    await say('poison', home, { kind: 'reply' });
    for (let tries = 1; tries < 8; tries += 1) {
      await waitUntil(() => clock.waits.length > 0);
      expect(channel.screen).toEqual([]);
      clock.advance(60_000);
    }
    await whenIdle();
    expect(channel.textsIn('test:ada')).toEqual([expect.stringMatching(stub)]);
  });

  test('counts its failures over restarts', async () => {
    const { channel, clock, say, whenIdle, restart } = await deliverySetting();
    channel.failNext({ type: 'transient' }, poison);
    await say('poison', home, { kind: 'reply' });
    for (const pause of [500, 1000, 2000, 4000]) {
      await clock.waitsFor(pause);
      await restart();
    }
    await clock.waitsFor(8000);
    clock.advance(29_999);
    await clock.waitsFor(16_000);
    expect(channel.screen).toEqual([]);
    clock.advance(1);
    await restart();
    await whenIdle();
    expect(channel.textsIn('test:ada')).toEqual([expect.stringMatching(stub)]);
  });

  test('is shown after all where everything gets through again by then', async () => {
    const { channel, clock, say, whenIdle } = await deliverySetting({ settings: { lateAfter: 1e9 } });
    for (let times = 0; times < 7; times += 1) channel.failNext({ type: 'transient' }, { says: 'poison' });
    await say('poison', home, { kind: 'reply' });
    await failsForLong(clock);
    await whenIdle();
    expect(channel.textsIn('test:ada')).toEqual([stubWords.en.shownAfterAll, 'poison']);
    expect(channel.screen.flatMap(({ buttons }) => buttons)).toEqual([]);
  });

  test('waits as long as there is no connection, which says nothing about it', async () => {
    const { channel, clock, say, whenIdle } = await deliverySetting({ settings: { lateAfter: 1e9 } });
    channel.failNext({ type: 'transient', isUnsent: true }, poison);
    await say('poison', home, { kind: 'reply' });
    await failsForLong(clock);
    for (let tries = 7; tries < 14; tries += 1) await clock.passes(30_000);
    await clock.waitsFor(30_000);
    expect(channel.screen).toEqual([]);
    channel.recover();
    clock.advance(30_000);
    await whenIdle();
    expect(channel.textsIn('test:ada')).toEqual(['poison']);
  });

  test('leaves a stub without any of its words, where those are what is refused', async () => {
    const { channel, clock, share, whenIdle } = await deliverySetting();
    channel.failNext({ type: 'transient', isBlocked: true }, poison);
    await share('poison', [await draftOf('poison.bin')]);
    await failsForLong(clock);
    await whenIdle();
    expect(channel.textsIn('test:ada')).toEqual([expect.stringMatching(stubOf({ what: stubWords.en.anyMessage }))]);
  });

  test('has its file named, and shows it when somebody has it tried again', async () => {
    const setting = await deliverySetting({ capabilities: { maxFileBytes: 1000 } });
    const { channel, clock, share, whenIdle, restart, wake } = setting;
    channel.failNext({ type: 'transient', isBlocked: true }, { withFile: true, lasts: true });
    await share('', [await draftOf('big.bin')]);
    await isBlockedForLong(clock);
    await whenIdle();
    const files = [{ name: '`big.bin`', size: '7 bytes' }];
    const what = stubWords.en.message({ kind: 'for_user', size: 0, files, more: false, shown: 'nothing' });
    expect(channel.screen[0]?.text).toMatch(stubOf({ what }));
    await restart();
    channel.recover();
    await isTriedAgain(setting);
    wake();
    await whenIdle();
    expect(channel.screen.map(({ text, file }) => file?.content ?? text)).toEqual(['🔁 Tried again.', 'content']);
  });
});

describe('a message that kills the process which sends it', () => {
  /** It was sent so often, and kills the process now: another one goes on. */
  async function killsAt(tries: number, { channel, dies }: Setting): Promise<void> {
    await waitUntil(() => channel.swallowed === tries, { what: `try ${tries}` });
    await dies();
  }
  const kills = ({ rows }: Setting) => rows(`SELECT kills FROM outbox WHERE markdown = 'poison'`);

  test('is not to blame for deaths whose cause is known, even in its last try', async () => {
    const setting = await deliverySetting();
    const { channel, clock, dies, whenIdle } = setting;
    channel.swallows = 'poison';
    await setting.say('poison', home, { kind: 'reply' });
    for (let tries = 1; tries <= 4; tries += 1) {
      await waitUntil(() => channel.swallowed === tries, { what: `try ${tries}` });
      expect(kills(setting)).toEqual([{ kills: 0 }]);
      await dies(false);
    }
    await waitUntil(() => channel.swallowed === 5, { what: 'try 5' });
    await dies();
    await waitUntil(() => channel.swallowed === 6, { what: 'try 6' });
    await dies();
    await clock.passes(15_000);
    await waitUntil(() => channel.swallowed === 7, { what: 'its last try' });
    expect(kills(setting)).toEqual([{ kills: 3 }]);
    await dies(false);
    channel.swallows = undefined;
    await clock.passes(15_000);
    await whenIdle();
    expect(channel.textsIn('test:ada')).toEqual(['poison']);
  });

  async function killsTwice(setting: Setting): Promise<void> {
    setting.channel.swallows = 'poison';
    await setting.say('poison', home, { kind: 'reply' });
    await setting.say('behind it', home, { kind: 'reply' });
    await killsAt(1, setting);
    await killsAt(2, setting);
  }

  /** Its last try kills nothing. */
  async function arrives({ channel, clock, whenIdle }: Setting): Promise<void> {
    channel.swallows = undefined;
    await clock.passes(15_000);
    await whenIdle();
    expect(channel.textsIn('test:ada')).toEqual(['poison', 'behind it']);
  }

  test('is parked after three, and what waits behind it arrives', async () => {
    const setting = await deliverySetting();
    const { channel, clock, whenIdle, rows, told } = setting;
    await killsTwice(setting);
    // Its last try is made by a process that has lived for a while.
    await clock.waitsFor(15_000);
    expect(kills(setting)).toEqual([{ kills: 2 }]);
    clock.advance(15_000);
    await killsAt(3, setting);
    await whenIdle();
    const words = stubOf({ why: deliveryWords.en.stoppedWhileSent({ times: 3 }) });
    expect(channel.textsIn('test:ada')).toEqual([expect.stringMatching(words), 'behind it']);
    expect(told).toEqual([expect.stringMatching(stubElsewhere('`test:ada`'))]);
    expect(rows(`SELECT failures FROM outbox WHERE markdown = 'poison'`)).toEqual([{ failures: 0 }]);
  });

  test('is not held up by what happens to a process that has not begun its last try', async () => {
    const setting = await deliverySetting();
    const { clock } = setting;
    await killsTwice(setting);
    for (let times = 0; times < 5; times += 1) {
      await clock.waitsFor(15_000);
      await setting.restart();
    }
    await arrives(setting);
  });

  test('is not parked for a death that comes while its last try waits for the platform', async () => {
    const setting = await deliverySetting();
    const { channel, clock } = setting;
    await killsTwice(setting);
    for (let tries = 3; tries < 6; tries += 1) {
      await clock.passes(15_000);
      await waitUntil(() => channel.swallowed === tries, { what: `try ${tries}` });
      clock.advance(2_000);
      await waitUntil(() => isDeepStrictEqual(kills(setting), [{ kills: 2 }]), { what: 'the acquittal' });
      await setting.dies();
    }
    await arrives(setting);
  });

  test('is no suspect once the platform has answered, be it with a no', async () => {
    const setting = await deliverySetting();
    const { channel, clock, whenIdle } = setting;
    setting.channel.swallows = 'poison';
    await setting.say('poison', home, { kind: 'reply' });
    await killsAt(1, setting);
    await waitUntil(() => channel.swallowed === 2, { what: 'the second try' });
    expect(kills(setting)).toEqual([{ kills: 2 }]);
    channel.swallows = undefined;
    channel.failNext({ type: 'transient' });
    await setting.dies();
    await clock.passes(15_000);
    await clock.waitsFor(500);
    expect(kills(setting)).toEqual([{ kills: 0 }]);
    clock.advance(500);
    await whenIdle();
    expect(channel.textsIn('test:ada')).toEqual(['poison']);
  });

  test('has one more try when somebody says so', async () => {
    const setting = await deliverySetting();
    const { channel, clock, whenIdle, wake } = setting;
    await killsTwice(setting);
    await clock.passes(15_000);
    await killsAt(3, setting);
    await whenIdle();
    await isTriedAgain(setting);
    expect(kills(setting)).toEqual([{ kills: 2 }]);
    wake();
    await clock.passes(15_000);
    await killsAt(4, setting);
    await whenIdle();
    expect(kills(setting)).toEqual([{ kills: 3 }]);
    expect(channel.textsIn('test:ada').filter((text) => stub.test(text))).toHaveLength(1);
  });
});

describe('while nothing gets through', () => {
  test('nothing is parked, it is tried ever more seldom, and all arrives in order once the platform is back', async () => {
    const { channel, clock, say, whenIdle } = await deliverySetting({
      settings: { longestPause: 900_000, lateAfter: 1e9 },
    });
    channel.failNext({ type: 'transient' }, { lasts: true });
    await say('reply', home, { kind: 'reply' });
    await say('notice');
    await say('second reply', home, { kind: 'reply' });
    for (let tries = 0; tries < 40; tries += 1) {
      await clock.waitsFor(Math.min(900_000, 500 * 2 ** Math.min(tries, 11)));
      clock.advance(900_000);
    }
    await waitUntil(() => clock.waits.filter((wait) => wait === 900_000).length === 2);
    expect(channel.screen).toEqual([]);
    channel.recover();
    clock.advance(900_000);
    await whenIdle();
    expect(channel.textsIn('test:ada')).toEqual(['reply', 'notice', 'second reply']);
  });
});

describe('a chat that takes nothing', () => {
  test('is told to owners once after ten minutes in which others of its channel take something', async () => {
    const { channel, clock, say, whenIdle, told } = await deliverySetting();
    channel.failNext({ type: 'transient' }, { in: 'test:ada', lasts: true });
    await say('hello');
    for (let minutes = 0; minutes < 11; minutes += 1) {
      await waitUntil(() => clock.waits.length > 0);
      clock.advance(60_000);
    }
    await waitUntil(() => clock.waits.length > 0);
    expect(told).toEqual([]);
    await say('hello', bobs);
    await whenIdle('test:bob');
    const known = [stubWords.en.nothingGetsThrough({ chat: '`test:ada`', why: 'the platform is transient' })];
    await waitUntil(() => told.length > 0);
    for (let minutes = 0; minutes < 3; minutes += 1) {
      await waitUntil(() => clock.waits.length > 0);
      clock.advance(60_000);
    }
    await waitUntil(() => clock.waits.length > 0);
    expect(told).toEqual(known);
  });

  test('is told to owners at once, and once, where it refuses for good whatever is sent', async () => {
    const { channel, say, whenIdle, told } = await deliverySetting();
    channel.failNext({ type: 'permanent' }, { in: 'test:ada', lasts: true });
    await say('hello');
    await say('hello again');
    await whenIdle();
    expect(told).toEqual([expect.stringMatching(closed)]);
    channel.recover();
    await say('now');
    await whenIdle();
    channel.failNext({ type: 'permanent' }, { in: 'test:ada', lasts: true });
    await say('and again');
    await whenIdle();
    expect(told).toHaveLength(2);
  });
});

describe('in a chat in which a file does not get through', () => {
  test('a card, and the answer to a command, wait for a few seconds at most', async () => {
    const { channel, model, clock } = await deploySetting();
    channel.failNext({ type: 'transient' }, { says: 'poison', lasts: true });
    model.next('poison');
    await channel.say('hello');
    await clock.waitsFor(500);
    await channel.say('/status');
    await clock.waitsFor(5000);
    clock.advance(4999);
    expect(channel.screen).toEqual([]);
    clock.advance(1);
    await channel.sees('is up for');
    model.next([call('deploy', { what: 'site' })]);
    expect((await channel.cardFor('deploy')).text).toContain('deploy');
  });

  test('one that takes long to be sent holds neither back for longer', async () => {
    const { channel, clock, say, whenIdle } = await deliverySetting();
    const release = channel.hold();
    await say('slow', home, { kind: 'reply' });
    await channel.changes.waitFor(() => clock.waits.length === 0, { what: 'it to be sent' });
    await say('notice');
    await clock.waitsFor(5000);
    const opened = channel.hold();
    opened();
    clock.advance(5000);
    await channel.sees('notice');
    // The time is counted from when it was begun, and not again for each that waits behind it.
    await say('second notice');
    await channel.sees('second notice');
    release();
    await whenIdle();
    expect(channel.textsIn('test:ada')).toContain('slow');
  });
});

describe('people', () => {
  async function parked() {
    const { setting, channel, model, clock } = await daemonSetting({ allowFrom: ['bob'] });
    await channel.ask('hello', 'echo: hello', { at: 'test:ada' });
    channel.failNext({ type: 'transient', isBlocked: true }, poison);
    model.next('poison');
    await channel.say('hi', { by: 'bob' });
    await isBlockedForLong(clock);
    const { buttons } = await channel.sees(stub, 'test:bob');
    const [retry = '', drop = ''] = buttons.flat().map(({ actionId }) => actionId);
    const typed = retry.split(':')[1] ?? '';
    return { ...setting, setting, channel, model, clock, retry, drop, typed };
  }

  test('who talk there have it tried again by the card, once', async () => {
    const { channel, retry } = await parked();
    channel.recover();
    for (let times = 0; times < 2; times += 1)
      expect(await channel.press(retry, { by: 'bob', key: 'delivered twice' })).toEqual({});
    await channel.sees('poison', 'test:bob');
    await channel.sees(/^🔁 Tried again for bob/i, 'test:bob');
    expect(channel.screen.filter(({ buttons }) => buttons.length > 0)).toEqual([]);
    expect(await channel.press(retry, { by: 'bob' })).toEqual({ notice: commandWords.en.waitsNoLonger });
    expect(channel.textsIn('test:bob').filter((text) => text === 'poison')).toHaveLength(1);
  });

  test.each(['first', 'second'] as const)(
    'press the %s of two stubs whose answer was lost, and both say so',
    async (which) => {
      const { channel, clock } = await daemonSetting();
      channel.failNext({ type: 'transient', isBlocked: true }, poison);
      channel.failNext({ type: 'ambiguous' }, { says: '⚠️', isShown: true });
      await channel.say('poison');
      await isBlockedForLong(clock);
      const { ref: first } = await channel.sees(stub);
      await clock.passes(16_000);
      const [, second] = await channel.changes.waitFor(() => {
        const stubs = channel.screen.filter(({ text }) => stub.test(text));
        return stubs.length === 2 && stubs;
      });
      await channel.whenIdle();
      // Its words were not the matter: it has them again.
      expect(second?.text).toContain(unshownMessage('reply', 12));
      const drop = second?.buttons.flat()[1]?.actionId ?? '';
      for (const on of [which === 'first' ? first : second?.ref, first, second?.ref]) await channel.press(drop, { on });
      await channel.whenIdle();
      expect(channel.screen.map(({ text, buttons }) => [text.split(' by ')[0], buttons])).toEqual([
        ['🗑 Dropped', []],
        ['🗑 Dropped', []],
      ]);
    },
  );

  test('drop it, also after a restart', async () => {
    const { channel, drop, setting } = await parked();
    await setting.restart();
    await channel.pressToSee(drop, /^🗑 Dropped by bob/i, { by: 'bob', at: 'test:bob' });
    channel.recover();
    await setting.restart();
    await channel.ask('and now?', 'echo: and now?', { by: 'bob', at: 'test:bob' });
    expect(channel.textsIn('test:bob')).not.toContain('poison');
  });

  test('who may not talk there decide nothing, and those who talk elsewhere neither', async () => {
    const { channel, drop, typed } = await parked();
    expect((await channel.press(drop, { by: 'eve' })).notice).toMatch(/^Only people/);
    await channel.say(`/drop ${typed}`, { by: 'bob', in: { channel: 'test', chatId: 'bob2', kind: 'direct' } });
    await channel.sees(commandWords.en.noSuchMessage, 'test:bob2');
    expect((await channel.sees(stub, 'test:bob')).buttons).toHaveLength(1);
  });

  test('who own it are told, read of it in /status, and decide by typing anywhere', async () => {
    const { channel, typed } = await parked();
    await channel.sees(stubElsewhere('`test:bob`', { what: unshownMessage('reply', 6) }), 'test:ada');
    await channel.say('/status');
    expect((await channel.sees('is up for', 'test:ada')).text).toMatch(
      saidLike(
        statusWords.en.undeliveredLine({
          what: stubWords.en.kind('reply'),
          time: '00:00',
          conversationId: '`test:bob`',
          fate: 'asks',
          channel: 'test',
          reason: anything,
        }),
      ),
    );
    channel.recover();
    await channel.ask(`/retry ${typed}`, commandWords.en.triedAgain, { at: 'test:ada' });
    await channel.sees('poison', 'test:bob');
  });
});

test('owners are told of a notice, too, that is parked in the chat of others, but not in one of theirs', async () => {
  const { channel, clock } = await daemonSetting({ config: { owners: ['test:ada', 'test:owen'] }, allowFrom: ['bob'] });
  await channel.ask('hello', 'echo: hello', { at: 'test:ada' });
  await channel.ask('hello', 'echo: hello', { by: 'owen', at: 'test:owen' });
  for (const by of ['bob', 'owen']) {
    channel.failNext({ type: 'transient', isBlocked: true }, { says: 'is up for', in: `test:${by}`, lasts: true });
    await channel.say('/status', { by });
    await isBlockedForLong(clock);
    await channel.sees(stub, `test:${by}`);
  }
  await channel.seesAtRest(stubElsewhere('`test:bob`'), 'test:ada');
  const told = channel.textsIn('test:ada').filter((text) => stubElsewhere(anything).test(text));
  expect(told).toEqual([
    expect.stringMatching(stubElsewhere('`test:bob`', { what: `${stubWords.en.kind('notice')} (${anything})` })),
  ]);
});

test('what waits in the own chat of an owner, who sees its stub there, is told to no other', async () => {
  const setting = await daemonSetting({ config: { owners: ['test:ada', 'test:owen'] } });
  const { channel, clock, model } = setting;
  await channel.ask('hello', 'echo: hello', { at: 'test:ada' });
  channel.failNext({ type: 'transient', isBlocked: true }, { ...poison, in: 'test:owen' });
  model.next('poison');
  await channel.say('hi', { by: 'owen' });
  await isBlockedForLong(clock);
  await channel.sees(stub, 'test:owen');
  await waitUntil(() => setting.rows('SELECT 1 FROM outbox WHERE parked_at IS NOT NULL').length === 1);
  // What is told later comes later.
  setting.configFault('what is told later');
  await channel.seesAtRest('what is told later', 'test:ada');
  expect(channel.textsIn('test:ada').filter((text) => stub.test(text) || stubElsewhere(anything).test(text))).toEqual(
    [],
  );
});

test('/status tells owners what cannot be sent for now, and that it is tried again', async () => {
  const { channel, clock } = await daemonSetting({ allowFrom: ['bob'] });
  channel.failNext({ type: 'rate-limited', retryAfter: 999_999_000 }, { in: 'test:bob' });
  await channel.say('hello', { by: 'bob' });
  await clock.waitsFor(900_000);
  const line = statusWords.en.undeliveredLine({
    what: stubWords.en.kind('reply'),
    time: '00:00',
    conversationId: '`test:bob`',
    fate: 'retried',
    channel: 'test',
    reason: 'the platform is rate-limited',
  });
  expect((await channel.ask('/status', 'is up for', { at: 'test:ada' })).text).toMatch(saidLike(line));
});
