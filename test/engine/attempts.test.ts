import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { createRunQueue } from '../../src/engine/wake.ts';
import { engineWords } from '../../src/engine/words.ts';
import { sleep } from '../../src/lib/clock.ts';
import { silentLog } from '../../src/lib/log.ts';
import { llmOnly } from '../../src/tools/output.ts';
import { type DaemonSetting, daemonSetting } from '../support/daemon-setting.ts';
import { direct } from '../support/deed.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { RecordingTool } from '../support/recording-tool.ts';
import { call, held, wordsOf } from '../support/scripted-model.ts';
import { newStore, originOf, rowsOf, said } from '../support/store-setting.ts';
import { waitUntil } from '../support/wait-for.ts';

const people = ['ann', 'ben', 'cid', 'dan', 'eve', 'fay'];
const more = [...people, 'gil', 'hal', 'ivy'];

const run = { kind: 'run', key: 'test:ada', number: 1, model: null, counted: null };
const asked = { kind: 'ask', key: 'test:ada', number: 1, model: 'scripted', counted: 1 };

const open = 'SELECT kind, key, number, model, tokens > 1000 AS counted FROM attempts ORDER BY kind';

/** Changes what the last process has noted of itself. */
function edited(folder: string, changed: object): void {
  const file = join(folder, 'data/keyturn.process');
  writeFileSync(file, JSON.stringify({ ...JSON.parse(readFileSync(file, 'utf8')), ...changed }));
}

/** A process has died: in the runs of some people, as others before it, and while those of others waited. */
async function leftBehind(worked: readonly string[], kills = 1, all = people): Promise<DaemonSetting> {
  const { setting, model, channel } = await daemonSetting({ allowFrom: all });
  model.otherwise(held('never').script);
  for (const by of all) await channel.say('hello', { by });
  await model.asked(all.length);
  await setting.stop();
  for (const by of worked) {
    setting.tamper(`INSERT INTO attempts (kind, key, number, begun_at) VALUES ('run', 'test:${by}', ${kills}, 1)`);
  }
  return setting;
}

describe('after a process was killed', () => {
  test('what it has left is taken up several at a time, last what it worked on: a first death is no suspicion', async () => {
    const { setting, model } = await leftBehind(people.slice(0, 3), 1, more);
    const before = model.requests.length;
    const answers = more.map((by) => held(`for ${by}`));
    model.next(...answers.map(({ script }) => script));
    await setting.start();
    await model.asked(before + 6);
    expect(model.requests).toHaveLength(before + 6);
    answers[3]?.release();
    await model.asked(before + 7);
    expect(model.requests).toHaveLength(before + 7);
    for (const { release } of answers) release();
    await setting.channel.sees('for ivy', 'test:cid');
    expect(setting.channel.textsIn('test:cid')).toEqual(['for ivy']);
  });

  test('24 chats in which it was working wait for four answers at most', async () => {
    const all = Array.from({ length: 24 }, (_, index) => `p${index}`);
    const { setting, model, channel, clock } = await leftBehind(all, 1, all);
    model.otherwise(async (_request, signal) => {
      await sleep(clock, 6000, signal);
      return 'answered';
    });
    await setting.start();
    for (let round = 1; round <= 4; round += 1) {
      await waitUntil(() => clock.waits.filter((wait) => wait === 6000).length === 6, { what: `round ${round}` });
      clock.advance(6000);
    }
    for (const by of all) await channel.sees('answered', `test:${by}`);
  });

  test('who waits for more than ten seconds reads so, once, and with their place', async () => {
    const { setting, model, channel, clock } = await leftBehind(more, 1, more);
    const before = model.requests.length;
    model.otherwise(held('at last').script);
    await setting.start();
    await model.asked(before + 6);
    expect(more.flatMap((by) => channel.textsIn(`test:${by}`))).toEqual([]);
    await clock.passes(10_000);
    await channel.sees('I was interrupted. You are number 1 of 3.', 'test:gil');
    await channel.sees('I was interrupted. You are number 3 of 3.', 'test:ivy');
    const undelivered = `SELECT 1 FROM outbox WHERE id LIKE 'line%' AND state <> 'delivered'`;
    await waitUntil(() => setting.rows(undelivered).length === 0, { what: 'all notices to be delivered' });
    await setting.dies();
    model.otherwise(() => 'at last');
    await setting.start();
    // Two processes died in six of them: these have their last tries, one by one.
    await clock.passes(10_000);
    await channel.sees('You are number 6 of 6.', 'test:fay');
    clock.advance(5_000);
    for (const by of more) {
      await channel.sees('at last', `test:${by}`);
      expect(channel.textsIn(`test:${by}`)).toEqual([expect.stringContaining('I was interrupted'), 'at last']);
    }
  });

  test.each([
    ['was told to end', { told: true }, () => {}],
    ['went with its machine', {}, (folder: string) => edited(folder, { boot: 'another' })],
  ])('a process that %s says nothing against what it was working on', async (_, how, onTheWay) => {
    const { setting, model } = await daemonSetting({ allowFrom: more });
    model.otherwise(held('never').script);
    for (const by of more) await setting.channel.say('hello', { by });
    for (let deaths = 1; deaths <= 4; deaths += 1) {
      await model.asked(deaths * more.length);
      expect(setting.rows(`SELECT DISTINCT number FROM attempts WHERE kind = 'run'`)).toEqual([{ number: 1 }]);
      await setting.dies(how);
      onTheWay(setting.folder);
      await setting.start();
    }
    model.otherwise(() => 'at last');
    await setting.restart();
    for (const by of more) await setting.channel.sees('at last', `test:${by}`);
    expect(more.flatMap((by) => setting.channel.textsIn(`test:${by}`))).toEqual(more.map(() => 'at last'));
  });

  test('a message that kills the process is set aside after three times, whatever else ends it in between', async () => {
    const { setting, model, channel, clock } = await daemonSetting();
    model.otherwise(held('never').script);
    await channel.say('poison');
    for (let deaths = 1; deaths <= 3; deaths += 1) {
      await model.asked(2 * deaths - 1);
      await setting.dies({ told: true });
      await setting.start();
      if (deaths === 3) await clock.passes(steady);
      await model.asked(2 * deaths);
      await setting.dies();
      await setting.start();
      if (deaths === 2) await clock.passes(steady);
    }
    await channel.sees(engineWords.en.setAside);
    expect(model.requests).toHaveLength(6);
  });

  test('what stands there of a conversation at rest is nothing', async () => {
    const setting = await daemonSetting();
    await setting.channel.askAtRest('hello', 'echo: hello');
    await setting.stop();
    setting.tamper(`INSERT INTO attempts (kind, key, number, begun_at) VALUES ('run', 'test:ada', 2, 1)`);
    await setting.start();
    expect(setting.rows('SELECT * FROM attempts')).toEqual([]);
  });

  test('all at once, if it was not', async () => {
    const { setting } = await leftBehind([]);
    await setting.start();
    await setting.model.asked(2 * people.length);
  });
});

const steady = 15_000;

describe('a run in which two processes were killed', () => {
  test('is tried a last time alone, and only by a process that has lived for a while', async () => {
    const { setting, model, channel, clock } = await leftBehind(['ann'], 2);
    const before = model.requests.length;
    model.otherwise(() => 'for the others');
    await setting.start();
    // What they say meanwhile does not bring it forward.
    await channel.say('are you there?', { by: 'ann' });
    for (const by of people.slice(1)) await channel.sees('for the others', `test:${by}`);
    expect(model.requests).toHaveLength(before + 5);
    expect(setting.rows(open)).toEqual([expect.objectContaining({ key: 'test:ann', number: 2 })]);

    const [last, beside] = [held('for ann'), held('for ben')];
    model.next(last.script, beside.script);
    clock.advance(steady);
    expect(wordsOf(await model.asked(before + 6))).toContain('are you there?');
    expect(setting.rows(open)).toContainEqual(expect.objectContaining({ kind: 'run', key: 'test:ann', number: 3 }));
    await channel.say('and I?', { by: 'ben' });
    await channel.ask('/status', 'Keyturn', { by: 'ada', at: 'test:ada' });
    expect(model.requests).toHaveLength(before + 6);
    last.release();
    await channel.sees('for ann', 'test:ann');
    expect(wordsOf(await model.asked(before + 7))).toContain('and I?');
    beside.release();
    await channel.sees('for ben', 'test:ben');
    expect(setting.rows(open)).toEqual([]);
  });

  test('does not keep the others waiting for long', async () => {
    const { setting, model, channel, clock } = await leftBehind(['ann'], 2);
    const before = model.requests.length;
    model.otherwise(() => 'for the others');
    await setting.start();
    for (const by of people.slice(1)) await channel.sees('for the others', `test:${by}`);
    model.next(held('never').script);
    clock.advance(steady);
    await model.asked(before + 6);
    await channel.say('and I?', { by: 'ben' });
    clock.advance(20_000);
    expect(wordsOf(await model.asked(before + 7))).toContain('and I?');
  });

  test('has its last try yet when the process is killed before that', async () => {
    const { setting, model, channel, clock } = await leftBehind(['ann'], 2);
    model.otherwise(() => 'at last');
    for (let kills = 0; kills < 5; kills += 1) await setting.restart();
    await clock.passes(steady);
    await channel.sees('at last', 'test:ann');
  });

  test('is set aside when a process was killed in its last try, and others are taken up first', async () => {
    const { setting, model, channel } = await leftBehind(['ann'], 3);
    const asked = model.requests.length;
    model.otherwise(() => 'for the others');
    await setting.start();
    await channel.sees(engineWords.en.setAside, 'test:ann');
    expect(channel.textsIn('test:ben')).toContain('for the others');
    expect(model.requests).toHaveLength(asked + 5);
  });

  test('is over when a person stops it: what they say then is answered at once', async () => {
    const { setting, model, channel } = await leftBehind(['ann'], 2);
    const tries: unknown[] = [];
    model.otherwise(() => {
      tries.push(...setting.rows(`SELECT number FROM attempts WHERE kind = 'run' AND key = 'test:ann'`));
      return 'hello again';
    });
    await setting.start();
    await channel.say('/stop', { by: 'ann' });
    await channel.ask('something else', 'hello again', { by: 'ann', at: 'test:ann' });
    expect(tries.at(-1)).toEqual({ number: 1 });
  });
});

describe('what is begun', () => {
  test('is written down together with the message that it is for, unless one has failed there', async () => {
    const { store, file } = await newStore();
    const runs = () => rowsOf(file, 'SELECT kind, key, number, begun_at FROM attempts');
    await store.inbox.accept(said(originOf('ada', direct('test')), 'hello', 7));
    expect(runs()).toEqual([{ kind: 'run', key: 'test:ada', number: 1, begun_at: 7 }]);
    await store.attempts.recover();
    await store.inbox.accept(said(originOf('ada', direct('test')), 'hello again', 8));
    expect(runs()).toEqual([{ kind: 'run', key: 'test:ada', number: 1, begun_at: null }]);
  });

  test('is told to the next process, what was tried least often first, and a model that was asked is paid', async () => {
    const { store } = await newStore();
    for (const person of ['ann', 'ben'])
      await store.inbox.accept(said(originOf(person, direct('test', person)), 'hello'));
    await store.attempts.recover();
    await store.attempts.beginWork('test:ann', 8);
    const usage = { inputTokens: 70, outputTokens: 0, cost: 5 };
    const by = { conversationId: 'test:ann', runId: 'r1', principal: 'test:ann', model: 'main' };
    await store.attempts.beginAsk({ ...by, day: '2026-11-27', usage, begins: undefined, at: 9 });
    expect(await store.attempts.recover()).toEqual([
      { conversationId: 'test:ben', number: 1 },
      { conversationId: 'test:ann', number: 2 },
    ]);
    expect(await store.spending.entriesOf('2026-11-27')).toEqual([
      { principal: 'test:ann', conversationId: 'test:ann', model: 'main', tokens: 70, cost: 5 },
    ]);
  });

  test('is no wait for a model where the conversation has gone on meanwhile', async () => {
    const { store, file } = await newStore();
    await store.inbox.accept(said(originOf('ann', direct('test', 'ann')), 'hello'));
    const run = { conversationId: 'test:ann', runId: 'r1', principal: 'test:ann' };
    const wait = { ...run, number: 1, at: 1, after: 5, retryAt: 2, until: 3, messages: [] };
    expect(await store.attempts.waitForModel(wait)).toBe('outdated');
    expect(rowsOf(file, `SELECT * FROM attempts WHERE kind = 'wait'`)).toEqual([]);
  });

  test('is written down before anything of it is read, where a process was killed in it', async () => {
    const done: string[] = [];
    const attempts = { beginWork: async (id: string) => void done.push(`begun ${id}`), endWork: async () => {} };
    const note = (what: string) => async (id: string) => void done.push(`${what} ${id}`);
    const readerIn = () => ({ timeZone: 'UTC', isNamed: false, language: 'en' }) as const;
    const { store } = await newStore();
    const queue = createRunQueue(
      {
        attempts: { ...store.attempts, ...attempts },
        clock: new ManualClock(),
        log: silentLog,
        say: async () => {},
        readerIn,
        prepareReaders: async () => {},
      },
      { advance: note('read'), failRun: note('failed') },
      { steadyAfter: 0, isStorageAtFault: () => false },
    );
    queue.suspect([{ conversationId: 'ann', number: 1 }]);
    await queue.takeUp(['ann', 'ben']);
    await queue.whenIdle('ben');
    expect(done).toEqual(['read ben', 'begun ann', 'read ann']);
  });

  test('is written down before the model is asked where spending has a limit, and gone when it has answered', async () => {
    const look = new RecordingTool('look', 'memory');
    const config = { budget: { tokens_per_day: 1_000_000 } };
    const { setting, model, channel } = await daemonSetting({ tools: [look.registration], config });
    const seen: unknown[] = [];
    model.next(
      () => {
        seen.push(...setting.rows(open));
        return [call('look', { what: 'here' })];
      },
      () => {
        seen.push(...setting.rows(open));
        return 'seen';
      },
    );
    await channel.ask('look', 'seen');
    // It has come on in between: this try counts no more.
    expect(seen).toEqual([asked, run, asked, { ...run, number: 0 }]);
    await channel.whenIdle();
    expect(setting.rows(open)).toEqual([]);
  });

  test('is a request without a limit only if it takes long, and gone when it is answered', async () => {
    const { setting, model, channel, clock } = await daemonSetting();
    const answer = held('there');
    model.next(answer.script);
    await channel.say('hello');
    await model.asked(1);
    expect(setting.rows(open)).toEqual([run]);
    clock.advance(1000);
    await waitUntil(() => setting.rows(open).length === 2);
    expect(setting.rows(open)).toEqual([asked, run]);
    answer.release();
    await channel.sees('there');
    await channel.whenIdle();
    expect(setting.rows(open)).toEqual([]);
  });

  test('has not come on while what it calls may still kill the process, but when that has ended', async () => {
    const tries: unknown[] = [];
    const look = () => tries.push(...setting.rows(`SELECT number FROM attempts WHERE kind = 'run'`));
    const work = new RecordingTool('work', 'memory', () => {
      look();
      return llmOnly('done');
    });
    const { setting, model, channel } = await daemonSetting({ tools: [work.registration] });
    model.next([call('work', { what: 'here' })], () => {
      look();
      return 'ready';
    });
    setting.tamper(`INSERT INTO attempts (kind, key, number, begun_at) VALUES ('run', 'test:ada', 2, 1)`);
    await channel.ask('work', 'ready');
    expect(tries).toEqual([{ number: 2 }, { number: 0 }]);
  });

  test('has come on with a turn that calls nothing that runs', async () => {
    const { setting, model, channel } = await daemonSetting();
    const tries: unknown[] = [];
    model.next([call('no_such_tool', {})], () => {
      tries.push(...setting.rows(`SELECT number FROM attempts WHERE kind = 'run'`));
      return 'there is none';
    });
    setting.tamper(`INSERT INTO attempts (kind, key, number, begun_at) VALUES ('run', 'test:ada', 2, 1)`);
    await channel.ask('work', 'there is none');
    expect(tries).toEqual([{ number: 0 }]);
  });

  test('has not failed when the process ends in order', async () => {
    const { setting, model, channel } = await daemonSetting();
    model.otherwise(held('never').script);
    await channel.say('hello');
    for (let starts = 1; starts <= 5; starts += 1) {
      expect(wordsOf(await model.asked(starts))).toBe('hello');
      await setting.restart();
    }
    expect(channel.textsIn('test:ada')).toEqual([]);
  });

  test('is nothing while a run waits for a person', async () => {
    const deploy = new RecordingTool('deploy', 'shell');
    const setting = await daemonSetting({ tools: [deploy.registration] });
    setting.model.next([call('deploy', { what: 'site' })]);
    await setting.channel.cardFor('deploy');
    await setting.channel.whenIdle();
    expect(setting.rows('SELECT * FROM attempts')).toEqual([]);
  });
});
