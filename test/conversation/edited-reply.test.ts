import { describe, expect, test } from 'vitest';
import { daemonSetting, group } from '../support/daemon-setting.ts';
import { TestChannel } from '../support/test-channel.ts';
import { waitUntil } from '../support/wait-for.ts';
import { nextAnswer, previewIsNoted, shownSetting, writingSetting } from './writing-setting.ts';

const sentence = 'The quick brown fox jumps over';
const long = 'and runs on until the evening comes';

function requestsOf(channel: TestChannel): readonly string[] {
  return channel.traffic.map(({ type, text }) => `${type}: ${text}`);
}

describe('a reply that its platform was to show, and does not', () => {
  /** The platform takes the first words, and then refuses. */
  async function refusedSetting() {
    const parts = await daemonSetting();
    const { channel } = parts;
    const cancelled: string[] = [];
    const refusing = Promise.withResolvers<() => void>();
    channel.openStream = (_to, refused = () => {}) => {
      refusing.resolve(refused);
      return { push: () => {}, finish: async () => {}, cancel: async () => void cancelled.push('cancelled') };
    };
    await parts.restart();
    const answer = nextAnswer(parts);
    await channel.say('tell me');
    await answer.write(sentence);
    const refuse = await refusing.promise;
    await waitUntil(() => parts.rows(`SELECT 1 FROM outbox WHERE state = 'streaming'`).length === 1);
    return { ...parts, setting: parts, channel, answer, refuse, cancelled };
  }

  test('is shown by edits from then on, with all its words, and finished in its place', async () => {
    const { setting, channel, clock, answer, refuse, cancelled } = await refusedSetting();
    refuse();
    refuse();
    await clock.waitsFor(400);
    clock.advance(400);
    const { ref } = await channel.sees(sentence);
    await answer.write(' the dog.');
    await answer.end();
    expect((await channel.sees('the dog.')).ref).toBe(ref);
    await channel.whenIdle();
    expect(requestsOf(channel)).toEqual([`send: ${sentence}`, `edit: ${sentence} the dog.`]);
    expect(cancelled).toEqual(['cancelled']);
    expect(setting.rows('SELECT state FROM outbox')).toEqual([{ state: 'delivered' }]);
  });

  test('is continued by the next process where this one ends', async () => {
    const { setting, model, channel, clock, refuse } = await refusedSetting();
    refuse();
    await clock.waitsFor(400);
    clock.advance(400);
    const { ref } = await channel.sees(sentence);
    await previewIsNoted(setting);
    delete channel.openStream;
    const stopped = setting.stop();
    await stopped;
    model.next(`${sentence} the cat.`);
    await setting.start();
    expect((await channel.sees('the cat.')).ref).toBe(ref);
  });
});

test('a reply whose channel is connected again while it is written arrives by the new connection', async () => {
  const { setting, channel, answer } = await shownSetting(sentence);
  channel.failNext({ type: 'auth' }, { lasts: true });
  await answer.write(' the dog.');
  await answer.end();
  await waitUntil(() => setting.rows('SELECT 1 FROM outbox WHERE failures > 0').length > 0);
  const anew = new TestChannel();
  await setting.edit({}, { made: new Map([['test', anew]]) });
  // What stands there was sent by the former one.
  setting.clock.advance(6_000);
  await anew.sees('the dog.');
  await anew.whenIdle();
  expect(setting.rows('SELECT state FROM outbox')).toEqual([{ state: 'delivered' }]);
});

describe('a reply that is edited while it is written', () => {
  test('is shown when 400 ms have passed and there are 30 characters, and finished in its place', async () => {
    const { setting, channel, clock, answer } = await writingSetting(sentence);
    clock.advance(399);
    expect(clock.waits).toContain(400);
    clock.advance(1);
    const { ref } = await channel.sees(sentence);
    expect(setting.rows('SELECT state, kind FROM outbox')).toEqual([{ state: 'streaming', kind: 'reply' }]);
    await answer.write(' the dog.');
    await answer.end();
    expect((await channel.sees('the dog.')).ref).toBe(ref);
    await channel.whenIdle();
    expect(requestsOf(channel)).toEqual([`send: ${sentence}`, `edit: ${sentence} the dog.`]);
    expect(setting.rows('SELECT state, previews, refs FROM outbox')).toEqual([
      { state: 'delivered', previews: null, refs: JSON.stringify([{ id: ref }]) },
    ]);
  });

  test('is shown after 1,500 ms, however short it is', async () => {
    const { channel, clock } = await writingSetting('Well');
    clock.advance(1499);
    expect(clock.waits).toContain(1500);
    clock.advance(1);
    await channel.sees('Well');
  });

  test('is sent like any other if it is complete before that: nothing is noted before, and no timer is left', async () => {
    const { setting, channel, clock } = await daemonSetting();
    const answer = nextAnswer(setting);
    const idle = clock.waits;
    await channel.say('tell me');
    await answer.write(sentence);
    clock.advance(399);
    await answer.end();
    await channel.seesAtRest(sentence);
    expect(clock.waits).toEqual(idle);
    expect(requestsOf(channel)).toEqual([`send: ${sentence}`]);
    expect(setting.rows('SELECT state, previews FROM outbox')).toEqual([{ state: 'delivered', previews: null }]);
  });

  test('changes at most once a pause, to what is newest then', async () => {
    const { channel, clock, answer } = await shownSetting(sentence);
    for (const letter of ['a', 'b', 'c']) await answer.write(` ${letter} ${long}`);
    await clock.waitsFor(100);
    clock.advance(99);
    expect(channel.traffic).toHaveLength(1);
    clock.advance(1);
    await channel.sees(` c ${long}`);
    expect(channel.traffic).toHaveLength(2);
  });

  test('that is shown already as it will be costs no further request', async () => {
    const { setting, channel, answer, ref } = await shownSetting(sentence);
    await answer.end();
    await waitUntil(() => setting.rows("SELECT 1 FROM outbox WHERE state = 'delivered'").length === 1);
    expect(requestsOf(channel)).toEqual([`send: ${sentence}`]);
    expect(setting.rows('SELECT refs FROM outbox')).toEqual([{ refs: JSON.stringify([{ id: ref }]) }]);
  });

  test('says how it was written where messages grow, and ends them though they show all of it', async () => {
    const { channel, answer } = await shownSetting('See **the lazy', { channel: { capabilities: { grows: true } } });
    await answer.write(' dog**');
    await answer.end();
    await channel.whenIdle();
    expect(channel.traffic.map(({ type, text, written }) => [type, text, written])).toEqual([
      ['send', 'See **the lazy**', 'See **the lazy'],
      ['edit', 'See **the lazy dog**', undefined],
    ]);
    const { channel: other, answer: whole } = await shownSetting(sentence, {
      channel: { capabilities: { grows: true } },
    });
    await whole.end();
    await other.whenIdle();
    expect(other.traffic.map(({ type, written }) => [type, written])).toEqual([
      ['send', sentence],
      ['edit', undefined],
    ]);
  });

  test('that does not grow in a place is not changed once it shows all of it', async () => {
    const { channel, clock, answer } = await writingSetting(sentence, { channel: { capabilities: { grows: true } } });
    const send = channel.send.bind(channel);
    channel.send = async (...given) => ({ ...(await send(...given)), grows: false });
    clock.advance(1500);
    await channel.sees(sentence);
    await answer.end();
    await channel.whenIdle();
    expect(channel.traffic.map(({ type }) => type)).toEqual(['send']);
  });

  test('waits 2 s for a change of a few characters', async () => {
    const { channel, clock, answer } = await shownSetting(sentence);
    await answer.write(' it');
    await clock.waitsFor(2000);
    clock.advance(1999);
    expect(channel.traffic).toHaveLength(1);
    clock.advance(1);
    await channel.sees('over it');
  });

  test('has one request under way, however much is written meanwhile, and ends with the whole text', async () => {
    const { setting, channel, clock, answer } = await writingSetting(sentence);
    const release = channel.hold();
    clock.advance(400);
    await waitUntil(() => setting.rows('SELECT 1 FROM outbox').length === 1);
    await answer.write(` first ${long}`);
    clock.advance(10_000);
    await answer.write(` second ${long}`);
    clock.advance(10_000);
    await answer.end();
    await waitUntil(() => setting.rows("SELECT 1 FROM outbox WHERE state = 'queued'").length === 1);
    release();
    await channel.whenIdle();
    expect(requestsOf(channel)).toEqual([`send: ${sentence}`, `edit: ${sentence} first ${long} second ${long}`]);
  });

  test('shows no open markdown', async () => {
    const { channel } = await shownSetting('This is **very important, and `so is th');
    expect(channel.textsIn('test:ada')).toEqual(['This is **very important, and `so is th`**']);
  });

  test('begins when what is queued before it has been delivered', async () => {
    const { setting, channel, clock, answer } = await writingSetting(sentence);
    channel.failNext({ type: 'rate-limited', retryAfter: 5000 });
    await channel.say('/status');
    await clock.waitsFor(5000);
    clock.advance(4900);
    await clock.waitsFor(300);
    await answer.write(long);
    expect(setting.rows("SELECT id FROM outbox WHERE kind = 'reply'")).toEqual([]);
    clock.advance(100);
    await waitUntil(() => {
      clock.advance(300);
      return channel.screen.length === 2;
    });
    expect(channel.screen.map(({ kind }) => kind)).toEqual(['notice', 'reply']);
  });

  test('is not shown before it is complete if the config says so', async () => {
    const { channel, clock, answer } = await writingSetting(sentence, { config: { delivery: { stream: false } } });
    expect(clock.waits).not.toContain(400);
    clock.advance(5000);
    await answer.end();
    await channel.whenIdle();
    expect(requestsOf(channel)).toEqual([`send: ${sentence}`]);
  });

  test('answers, in a group, the message that it will answer', async () => {
    const { setting, channel, clock } = await daemonSetting();
    const answer = nextAnswer(setting);
    await channel.say('tell us', { in: group, key: 'm7' });
    await answer.write(sentence);
    clock.advance(400);
    expect((await channel.sees(sentence)).replyTo).toBe('m7');
  });
});

describe('a reply that grows too long for one message', () => {
  const capabilities = { maxLength: 60 };

  test('goes on in another one, and what is full stays as it is', async () => {
    const { setting, channel, clock, answer } = await shownSetting(sentence, { channel: { capabilities } });
    await answer.write(` the dog, ${long}. And it runs`);
    await clock.passes(100);
    await channel.sees('And it runs');
    await previewIsNoted(setting, 2);
    const [first] = channel.textsIn('test:ada');
    await answer.write(' and runs and runs and runs');
    clock.advance(2000);
    await channel.sees('and runs and runs');
    const edits = channel.traffic.slice(-2).map(({ ref }) => ref);
    expect(new Set(edits).size).toBe(1);
    expect(channel.textsIn('test:ada')[0]).toBe(first);
    await answer.end();
    await channel.whenIdle();
    const texts = channel.textsIn('test:ada');
    expect(texts.join(' ')).toBe(`${sentence} the dog, ${long}. And it runs and runs and runs and runs`);
    expect(channel.traffic.filter(({ type }) => type === 'send')).toHaveLength(texts.length);
  });

  test('leaves what is full alone even where the text would be cut elsewhere by now', async () => {
    const { setting, channel, clock, answer, ref } = await shownSetting(sentence, { channel: { capabilities } });
    const firstEdits = () => channel.traffic.filter((request) => request.type === 'edit' && request.ref === ref);
    // As long as it is not closed, it could be a block of code, before which the text is cut.
    await answer.write(' it.\n\n1. The cat sat\n```on a mat and a hat');
    await clock.passes(100);
    await previewIsNoted(setting, 2);
    await answer.write(' ```\nand all of that went on and on');
    await clock.passes(100);
    await channel.sees('went on and on');
    expect(firstEdits().map(({ text }) => text)).toEqual([`${sentence} it.\n\n1. The cat sat`]);
    await answer.end();
    await channel.whenIdle();
    expect(channel.textsIn('test:ada')[0]).toBe(`${sentence} it.`);
  });

  test('is shown in no more messages than a text may have before it becomes a file', async () => {
    const config = { delivery: { max_messages: 3 } };
    const { channel, clock, answer } = await shownSetting(sentence, { channel: { capabilities }, config });
    await answer.write(` ${`${long} `.repeat(6)}`);
    clock.advance(2000);
    await channel.changes.waitFor(() => channel.screen.length === 2);
    await answer.write(`${long} `.repeat(6));
    clock.advance(60_000);
    expect(channel.screen).toHaveLength(2);
    await answer.end();
    await channel.whenIdle();
    expect(channel.textsIn('test:ada').length).toBeGreaterThan(3);
  });
});

describe('when the platform refuses a preview', () => {
  test('for a while, nothing is shown before the time is over, and then all of it', async () => {
    const { channel, clock, answer } = await shownSetting(sentence);
    channel.failNext({ type: 'rate-limited', retryAfter: 31_000 }, { of: 'edit' });
    await answer.write(` one ${long}`);
    clock.advance(100);
    await clock.waitsFor(31_000);
    await answer.write(` two ${long}`);
    clock.advance(30_999);
    expect(channel.traffic.map(({ failed }) => failed)).toEqual([false, true]);
    clock.advance(1);
    await channel.sees(` two ${long}`);
    expect(channel.traffic).toHaveLength(3);
  });

  test('the final text waits for that, too, and is one request', async () => {
    const { channel, clock, answer } = await shownSetting(sentence);
    channel.failNext({ type: 'rate-limited', retryAfter: 31_000 }, { of: 'edit' });
    await answer.write(` one ${long}`);
    clock.advance(100);
    await clock.waitsFor(31_000);
    clock.advance(10_000);
    await answer.end();
    await clock.passes(21_000);
    await channel.whenIdle();
    expect(channel.traffic.map(({ type, failed }) => [type, failed])).toEqual([
      ['send', false],
      ['edit', true],
      ['edit', false],
    ]);
    expect(channel.textsIn('test:ada')).toEqual([`${sentence} one ${long}`]);
  });

  test.each([true, false])(
    'without an answer (shown: %s), it is not tried again, and the reply is sent',
    async (isShown) => {
      const { channel, clock, answer } = await writingSetting(sentence);
      channel.failNext({ type: 'ambiguous' }, { of: 'send', isShown });
      clock.advance(400);
      await channel.changes.waitFor(() => channel.traffic.length === 1);
      await answer.write(long);
      clock.advance(60_000);
      // A preview would be tried again while this is obeyed.
      await channel.ask('/grants', 'permission');
      await answer.end();
      await channel.whenIdle();
      const preview = isShown ? [sentence] : [];
      const replies = channel.screen.filter(({ kind }) => kind === 'reply');
      expect(replies.map(({ text }) => text)).toEqual([...preview, sentence + long]);
      // A platform that takes the id for a nonce must not drop the reply.
      expect(new Set(channel.traffic.map(({ id }) => id)).size).toBe(3);
    },
  );

  test('because somebody has deleted it, the reply is sent again', async () => {
    const { channel, clock, answer, ref } = await shownSetting(sentence);
    channel.delete(ref);
    await answer.write(` ${long}`);
    clock.advance(100);
    await channel.changes.waitFor(() => channel.traffic.length === 2);
    await answer.write(` ${long}`);
    clock.advance(60_000);
    await answer.end();
    await channel.whenIdle();
    expect(channel.textsIn('test:ada')).toEqual([`${sentence} ${long} ${long}`]);
    expect(channel.traffic).toHaveLength(3);
  });

  test('again and again, no more are tried, and the reply arrives', async () => {
    const { channel, clock, answer } = await writingSetting(sentence);
    for (let count = 1; count <= 5; count += 1) {
      channel.failNext({ type: 'transient' }, { of: 'send' });
      clock.advance(2000);
      await channel.changes.waitFor(() => channel.traffic.length === count);
    }
    await answer.write(long);
    clock.advance(60_000);
    expect(channel.traffic).toHaveLength(5);
    await answer.end();
    await channel.whenIdle();
    expect(channel.textsIn('test:ada')).toEqual([sentence + long]);
  });

  test('and then the final text, that is edited later and not sent a second time', async () => {
    const { channel, clock, answer } = await shownSetting(sentence);
    channel.failNext({ type: 'transient' }, { of: 'edit' });
    await answer.write(long);
    await answer.end();
    await clock.passes(500);
    await channel.whenIdle();
    expect(channel.traffic.map(({ type, failed }) => [type, failed])).toEqual([
      ['send', false],
      ['edit', true],
      ['edit', false],
    ]);
  });
});

test.each([{}, { removes: true }])(
  'a reply that a person stops stays as far as it was read, and says that it goes no further',
  async (options) => {
    const { setting, channel } = await shownSetting(sentence, { channel: options });
    await channel.askAtRest('/stop', 'Stopped');
    expect(channel.textsIn('test:ada')).toEqual([`${sentence}\n\n*(interrupted)*`, '🛑 Stopped.']);
    expect(setting.rows("SELECT state FROM outbox WHERE kind = 'reply'")).toEqual([{ state: 'delivered' }]);
  },
);

test('a reply to what is taken back, where the platform takes nothing away, says that it goes no further', async () => {
  const { setting, channel, answer } = await shownSetting(sentence);
  const [{ message_id: key } = {}] = setting.rows('SELECT message_id FROM inbox');
  await channel.takeBack(String(key));
  await answer.end();
  await channel.whenIdle();
  expect(channel.textsIn('test:ada')).toEqual([`${sentence} …`]);
});
