import { describe, expect, test } from 'vitest';
import { commandWords } from '../../src/conversation/commands/words.ts';
import { daemonSetting } from '../support/daemon-setting.ts';
import { RecordingTool } from '../support/recording-tool.ts';
import { call, held, wordsOf } from '../support/scripted-model.ts';
import { askedSetting, deploySetting } from './deploy-setting.ts';

const soon = { config: { agent: { burst_ms: 3000 } } };

describe('several messages of a person in quick succession', () => {
  test('are answered together, though the first was already being thought about', async () => {
    const { model, channel, clock, setting } = await deploySetting(soon);
    model.next(held('about the first').script, held('about the first two').script, 'about all three');
    await channel.say('one');
    await model.asked(1);
    await channel.say('two');
    clock.advance(400);
    await model.asked(2);
    await channel.say('three');
    clock.advance(600);
    await channel.seesAtRest('about all three');
    expect(model.requests.map(wordsOf)).toEqual(['one', 'one\n\ntwo', 'one\n\ntwo\n\nthree']);
    expect(channel.textsIn('test:ada')).toEqual(['about all three']);
    expect(setting.rows('SELECT seen_seq FROM turns')).toEqual([{ seen_seq: 3 }]);
  });

  test('in a row are waited for: six of them take two requests', async () => {
    const { model, channel, clock } = await deploySetting(soon);
    model.next(held('about the first').script, 'about all six');
    for (let number = 1; number <= 6; number += 1) {
      await channel.say(`message ${number}`);
      await model.asked(1);
      clock.advance(300);
    }
    clock.advance(150);
    await channel.sees('about all six');
    expect(model.requests).toHaveLength(2);
    expect(wordsOf(await model.asked(2)).split('\n\n')).toHaveLength(6);
  });

  test.each([
    { think: 500, pause: 700 },
    { think: 800, pause: 900 },
    { think: 20, pause: 130 },
    { think: 0, pause: 300 },
  ])('each written $pause ms after the answer to the last, wait for nothing', async ({ think, pause }) => {
    const { model, channel, clock } = await deploySetting(soon);
    for (const [index, words] of ['first', 'second', 'third', 'fourth'].entries()) {
      const answer = held(`about the ${words}`);
      model.next(answer.script);
      clock.advance(pause);
      await channel.say(words);
      // No time passes before it is asked.
      await model.asked(index + 1);
      clock.advance(think);
      answer.release();
      await channel.seesAtRest(`about the ${words}`);
    }
    expect(model.requests.map(wordsOf).at(-1)).toMatch(/fourth$/);
    expect(model.requests).toHaveLength(4);
  });

  test('behind an answered one are a burst of their own: two requests', async () => {
    const { model, channel, clock } = await deploySetting(soon);
    model.next('about the first', held('about the second').script, 'about three more');
    await channel.askAtRest('one', 'about the first');
    clock.advance(300);
    await channel.say('two');
    await model.asked(2);
    for (const words of ['three', 'four']) {
      clock.advance(300);
      await channel.say(words);
    }
    expect(model.requests).toHaveLength(2);
    clock.advance(450);
    await channel.seesAtRest('about three more');
    expect(wordsOf(model.last)).toMatch(/two\n\nthree\n\nfour$/);
    expect(model.requests).toHaveLength(3);
  });

  test('behind a stopped burst, the next waits for nothing', async () => {
    const { model, channel, clock } = await deploySetting(soon);
    model.next(held('about the first').script, 'about something else');
    await channel.say('one');
    await model.asked(1);
    clock.advance(300);
    await channel.say('two');
    await channel.say('/stop');
    await channel.whenIdle();
    await channel.ask('something else', 'about something else');
    expect(model.requests).toHaveLength(2);
  });

  test('and a first one, while the outcome of a late approval is being told, waits for nothing', async () => {
    const told = held('it is deployed');
    const answers = ['it waits for you', told.script, 'deployed, and hello'];
    const { setting, model, channel, clock, card } = await askedSetting({ ...soon, answers });
    await channel.whenIdle();
    await channel.askAtRest('never mind, go on', 'it waits for you');
    await setting.restart();
    await channel.press(card);
    await model.asked(3);
    clock.advance(300);
    await channel.say('hello');
    expect(wordsOf(await model.asked(4))).toMatch(/hello$/);
    await channel.seesAtRest('deployed, and hello');
  });

  test('in a row take two requests though the first is answered in between', async () => {
    const { model, channel, clock } = await deploySetting(soon);
    const first = held('about the first');
    model.next(first.script, 'about the rest');
    await channel.say('one');
    await model.asked(1);
    await channel.say('two');
    first.release();
    await channel.sees('about the first');
    await channel.say('three');
    await clock.waitsFor(400);
    expect(model.requests).toHaveLength(1);
    clock.advance(400);
    await channel.sees('about the rest');
    expect(model.requests).toHaveLength(2);
  });

  test('are answered one after the other when the answer to the first has begun to show', async () => {
    const { model, channel, clock } = await deploySetting({ ...soon, channel: { streams: true } });
    const rest = held(' – that is all');
    model.next({ early: 'The first', rest: rest.script }, 'about the second');
    await channel.ask('one', 'The first');
    await channel.say('two');
    clock.advance(400);
    rest.release();
    await channel.sees('about the second');
    expect(channel.textsIn('test:ada')).toEqual(['The first – that is all', 'about the second']);
  });

  test('are answered one after the other when the second comes late', async () => {
    const { model, channel, clock } = await deploySetting(soon);
    const first = held('about one');
    model.next(first.script, 'about two');
    await channel.say('one');
    await model.asked(1);
    clock.advance(3000);
    await channel.say('two');
    first.release();
    await channel.sees('about two');
    expect(channel.textsIn('test:ada')).toEqual(['about one', 'about two']);
  });

  test('cannot keep the model from answering for ever', async () => {
    const { model, channel, clock } = await deploySetting(soon);
    model.otherwise(async (_request, signal) => {
      if (!signal.aborted) await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
      return 'never';
    });
    for (let second = 1; second <= 3; second += 1) {
      await channel.say(`message ${second}`);
      if (second > 1) clock.advance(1200);
      await model.asked(second);
      if (second === 1) clock.advance(1000);
    }
    await channel.say('message 4');
    await channel.say('message 5');
    expect(model.requests).toHaveLength(3);
    await channel.say('/stop');
  });

  test('of which one comes while a tool runs join at the next turn', async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const slow = new RecordingTool('deploy', 'memory', async () =>
      promise.then(() => ({ forLlm: 'done', isError: false, isAsync: false })),
    );
    const { model, channel, clock } = await deploySetting(soon, slow);
    model.next([call('deploy', { what: 'site' })], 'done, and hello to you too');
    await channel.say('deploy the site');
    await slow.ran(1);
    await channel.say('hello');
    clock.advance(400);
    resolve();
    await channel.seesAtRest('hello to you too');
    expect(model.requests).toHaveLength(2);
    expect(wordsOf(await model.asked(2))).toContain('hello');
  });
});

test('what comes in pieces is answered once, a second after the last of them', async () => {
  const { model, channel, clock } = await daemonSetting();
  await channel.say('one', { isPiece: true });
  clock.advance(900);
  await channel.say('two', { isPiece: true });
  clock.advance(900);
  await channel.say('three', { isPiece: true });
  expect(model.requests).toEqual([]);
  clock.advance(1000);
  await channel.seesAtRest('three');
  expect(model.requests.map(wordsOf)).toEqual(['one\n\ntwo\n\nthree']);
});

test('what was not answered yet when the process ended is answered by the next one', async () => {
  const { setting, model, channel } = await daemonSetting();
  await channel.say('one', { isPiece: true });
  await setting.restart();
  expect(wordsOf(await model.asked(1))).toBe('one');
});

test('a whole message behind the pieces waits for nothing', async () => {
  const { model, channel } = await daemonSetting();
  await channel.say('one', { isPiece: true });
  await channel.say('what is that?');
  expect(wordsOf(await model.asked(1))).toBe('one\n\nwhat is that?');
});

describe('what a chat delivers together is taken in its order', () => {
  test.each(['/new', '/stop'])(
    'a greeting behind %s is answered, though nobody owns this Keyturn yet',
    async (text) => {
      const { channel } = await daemonSetting({ config: { owners: [] }, allowFrom: ['bob'] });
      await channel.ask('hello', 'echo: hello', { by: 'bob' });
      await Promise.all([channel.say(text, { by: 'bob' }), channel.say('hello there', { by: 'bob' })]);
      await channel.sees(/^echo: .*hello there$/s, 'test:bob');
    },
  );

  test('/new puts nothing out of mind that stands behind it', async () => {
    const { channel, model } = await daemonSetting({ config: { owners: [] }, allowFrom: ['bob'] });
    const deeds = ['before', '/new', 'behind'].map((text) => channel.say(text, { by: 'bob' }));
    await Promise.all(deeds);
    await channel.sees('echo: behind');
    expect(wordsOf(await model.asked(1))).toBe('behind');
  });

  test('who claims this Keyturn is its owner for the message behind the code', async () => {
    const { channel, rows } = await unclaimed();
    await Promise.all([channel.say('/claim k3f9abcd'), channel.say('list the files')]);
    await channel.sees(commandWords.en.claimed);
    await channel.sees('echo: list the files');
    expect(rows('SELECT principal FROM owners')).toEqual([{ principal: 'test:ada' }]);
    expect(rows('SELECT subject FROM hints')).toEqual([]);
  });

  test('a wrong code before the right one does not keep them out', async () => {
    const { channel, rows } = await unclaimed();
    const texts = ['/claim k3f9abcc', '/claim k3f9abcd', 'list the files', '/status'];
    await Promise.all(texts.map((text) => channel.say(text)));
    await channel.sees(commandWords.en.wrongClaim);
    await channel.sees(commandWords.en.claimed);
    await channel.sees('is up for');
    await channel.sees('echo: list the files');
    expect(rows('SELECT subject FROM hints')).toEqual([]);
  });

  test('who shows a wrong code is refused with the message behind it, and others are not kept waiting', async () => {
    const { channel, model } = await unclaimed();
    const [eve] = ['/claim wrong', 'list the files'].map((text) => channel.say(text, { by: 'eve' }));
    await channel.say('/claim k3f9abcd');
    await eve;
    await channel.sees(commandWords.en.wrongClaim, 'test:eve');
    await channel.sees('people I know', 'test:eve');
    await channel.sees(commandWords.en.claimed, 'test:ada');
    expect(model.requests).toEqual([]);
  });
});

async function unclaimed() {
  const setting = await daemonSetting({ config: { owners: [] } });
  return { channel: setting.channel, model: setting.model, rows: (sql: string) => setting.rows(sql) };
}
