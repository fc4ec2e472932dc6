import { describe, expect, test } from 'vitest';
import { deploySetting } from '../../engine/deploy-setting.ts';
import { group } from '../../support/daemon-setting.ts';
import { RecordingTool } from '../../support/recording-tool.ts';
import { call, held, resultsOf, wordsOf } from '../../support/scripted-model.ts';
import { agents, agentsSetting, delegated, isHelper, isScout } from './agents-setting.ts';

describe('an agent that has others work in the background', () => {
  test('is not over before they are, and answers with what they came to', async () => {
    const { setting, model, channel } = await agentsSetting();
    const slow = held('the helper found 42');
    model.otherwise((request, signal) => {
      if (isHelper(request)) return slow.script(request, signal);
      if (!isScout(request)) return resultsOf(request).length > 0 ? 'All done.' : [delegated('scout', 'look')];
      if (wordsOf(request).includes('the helper found 42')) return 'It is 42.';
      return resultsOf(request).length > 0 ? 'I wait.' : [delegated('helper', 'help', { is_async: true })];
    });
    await channel.say('go');
    await model.asked(4);
    slow.release();
    await channel.sees('All done.');
    expect(resultsOf(model.last)).toEqual(['It is 42.']);
    expect(setting.rows('SELECT id FROM conversations WHERE is_open = 1')).toEqual([]);
  });

  test('ends them with itself if it fails, and nothing is paid for after that', async () => {
    const { setting, model, channel } = await agentsSetting({ agent: { max_turns: 1 } });
    const slow = held('too late');
    model.otherwise((request, signal) => {
      if (isHelper(request)) return slow.script(request, signal);
      return isScout(request) ? [delegated('helper', 'help', { is_async: true })] : 'never asked';
    });
    model.next([delegated('scout', 'look', { is_async: true })]);
    await channel.say('go');
    await expect.poll(() => setting.rows(`SELECT outcome FROM calls WHERE state = 'done'`)).toHaveLength(2);
    slow.release();
    await expect
      .poll(() => setting.rows('SELECT id FROM conversations WHERE is_open = 1 AND sub_run IS NOT NULL'))
      .toEqual([]);
    const asked = model.requests.filter((request) => isScout(request) || isHelper(request)).length;
    expect(asked).toBe(2);
    expect(setting.rows(`SELECT name FROM calls WHERE state <> 'done'`)).toEqual([]);
  });
});

describe('the budget of a run', () => {
  const budget = { budget: { tokens_per_run: 100 } };

  test('holds for what its agents say, too, who answer at once', async () => {
    const { model, channel } = await agentsSetting(budget);
    model.usage = { inputTokens: 30, outputTokens: 10 };
    model.otherwise((request) => (isScout(request) ? 'found' : [delegated('scout', `look ${model.requests.length}`)]));
    await channel.ask('go', /tokens/i);
    expect(model.requests.length).toBeLessThanOrEqual(4);
  });

  test('is one for all agents that work for it at once', async () => {
    const { model, channel } = await agentsSetting(budget);
    model.usage = { inputTokens: 20, outputTokens: 5 };
    model.otherwise((request) => {
      if (isScout(request)) return [call('echo', { message: `${model.requests.length}` })];
      return resultsOf(request).length > 0 ? 'Well.' : ['a', 'b', 'c'].map((task) => delegated('scout', task));
    });
    await channel.ask('go', /tokens/i);
    expect(model.requests.length).toBeLessThanOrEqual(7);
  });

  test('is not forgotten when an agent of an earlier run comes to its end', async () => {
    const { model, channel } = await agentsSetting(budget);
    model.usage = { inputTokens: 20, outputTokens: 10 };
    const slow = held('found');
    model.otherwise((request, signal) => {
      if (isScout(request)) return slow.script(request, signal);
      const words = wordsOf(request);
      if (!words.includes('again'))
        return resultsOf(request).length > 0 ? 'I have asked him.' : [delegated('scout', 'look', { is_async: true })];
      if (model.requests.length === 6) slow.release();
      return [call('echo', { message: `${model.requests.length}` })];
    });
    await channel.ask('go', 'I have asked him.');
    await channel.ask('again', /tokens/i);
    expect(model.requests.length).toBeLessThanOrEqual(8);
  });
});

describe('what the operator takes away from an agent while another works for them', () => {
  test('is gone for that one, too', async () => {
    const wide = { ...agents, scout: { ...agents.scout, tools: ['delegate', 'deploy'] } };
    const { setting, model, channel, deploy } = await agentsSetting({ agents: wide });
    const first = held('never said');
    model.next([delegated('scout', 'one')], [delegated('helper', 'two')], first.script);
    await channel.say('go');
    await model.asked(3);
    model.next([call('deploy', { what: 'site' })], 'I may not.', 'so it is', 'That is all.');
    await setting.restart({ agents: { ...agents, scout: { ...agents.scout, tools: ['delegate'] } } });
    await channel.sees('That is all.');
    expect(model.requests[3]?.tools.map(({ name }) => name)).not.toContain('deploy');
    expect(deploy.executed).toEqual([]);
  });

  test('is gone with them: nobody works any more for an agent that is not there', async () => {
    const { setting, model, channel } = await agentsSetting();
    const first = held('never said');
    model.next([delegated('scout', 'one')], [delegated('helper', 'two')], first.script);
    await channel.say('go');
    await model.asked(3);
    model.otherwise((request) => (isHelper(request) ? [call('deploy', { what: 'site' })] : 'That is all.'));
    await setting.restart({ agents: { helper: agents.helper, builder: agents.builder } });
    await channel.sees('That is all.');
    await expect.poll(() => setting.rows('SELECT id FROM conversations WHERE is_open = 1')).toEqual([]);
    expect(setting.rows(`SELECT id FROM approvals WHERE state = 'pending'`)).toEqual([]);
  });
});

describe('what an agent asks for', () => {
  test('runs once though two agents want the very same, and both are told', async () => {
    const { setting, model, channel, deploy } = await agentsSetting();
    const bothAsked = Promise.withResolvers<void>();
    let working = 0;
    model.otherwise((request) => {
      if (request.system.includes('You work for')) {
        if (resultsOf(request).length > 0) return `I read: ${resultsOf(request).join()}`;
        working += 1;
        if (working === 2) bothAsked.resolve();
        return bothAsked.promise.then(() => [call('deploy', { what: 'site' })]);
      }
      return resultsOf(request).length > 0
        ? 'Both are done.'
        : [delegated('builder', 'one'), delegated('builder', 'two')];
    });
    await channel.say('go');
    const called = "SELECT id FROM calls WHERE name = 'deploy'";
    await expect.poll(() => setting.rows(called)).toHaveLength(2);
    expect(setting.rows("SELECT id FROM approvals WHERE state = 'pending'")).toHaveLength(1);
    await channel.pressToSee(await channel.card(), 'Both are done.');
    expect(deploy.executed).toEqual(['site']);
    const results = resultsOf(model.last).toSorted();
    expect(results[0]).toContain('Already awaiting approval');
    expect(results[1]).toContain('done: site');
  });

  test('is asked for again where it was to share a card with what another agent has asked for', async () => {
    const deploy = new RecordingTool('deploy', 'unreadable');
    const { setting, model, channel } = await deploySetting({ config: { agents } }, deploy);
    const bothAsked = Promise.withResolvers<void>();
    let working = 0;
    model.otherwise((request) => {
      if (request.system.includes('You work for')) {
        const results = resultsOf(request);
        const own = wordsOf(request).includes('second task') ? 'second' : 'first';
        if (results.at(-1)?.includes('Call it again') === true) return [call('deploy', { what: own })];
        if (results.length > 0) return 'I have done it.';
        working += 1;
        if (working === 2) bothAsked.resolve();
        return bothAsked.promise.then(() => [call('deploy', { what: 'site' }), call('deploy', { what: own })]);
      }
      return resultsOf(request).length > 0
        ? 'Both are done.'
        : [delegated('builder', 'first task'), delegated('builder', 'second task')];
    });
    await channel.say('go');
    const pending = () => setting.rows("SELECT id FROM approvals WHERE state = 'pending'");
    await expect.poll(pending).toHaveLength(2);
    for (const { id } of pending()) await channel.say(`/approve ${id}`);
    await channel.sees('Both are done.');
    expect(deploy.executed.toSorted()).toEqual(['first', 'second', 'site']);
  });

  test.each([
    ['is not opened by an approval of the same call in another folder', { workspace: './another' }],
    ['does not run if the agent may not use it any more, no matter who has approved it', { mode: 'observer' }],
  ])('%s', async (_what, changed) => {
    const { setting, model, channel, deploy } = await agentsSetting();
    model.next([delegated('builder', 'build')], [call('deploy', { what: 'site' })]);
    const card = await channel.cardFor('build it');
    model.next('Nothing ran.', 'So it is.');
    await setting.restart({ agents: { builder: { ...agents.builder, ...changed } } });
    await channel.pressToSee(card, 'So it is.');
    expect(deploy.executed).toEqual([]);
  });

  test.each([
    ['the agent that asked for this one', 'observer', 'autonomous'],
    ['the agent itself', 'autonomous', 'observer'],
  ])('does not run if the mode forbids it of %s', async (_who, outer, inner) => {
    const scout = { ...agents.scout, tools: ['delegate', 'deploy'], mode: outer };
    const { setting, model, channel, deploy } = await agentsSetting({
      ...{ agent: { mode: 'autonomous' }, approval: { policy: 'always_allow' } },
      agents: { scout, builder: { ...agents.builder, mode: inner } },
    });
    model.next([delegated('scout', 'look')], [delegated('builder', 'build')], [call('deploy', { what: 'site' })]);
    model.next('I may not.', 'They may not.', 'That is all.');
    await channel.ask('go', 'That is all.');
    expect(deploy.executed).toEqual([]);
    expect(setting.rows(`SELECT outcome FROM calls WHERE name = 'deploy'`)).toEqual([{ outcome: 'refused' }]);
  });

  test('expires as other calls do, and the run that asked goes on without it', async () => {
    const { setting, model, channel, deploy } = await agentsSetting();
    model.next([delegated('builder', 'build')], [call('deploy', { what: 'site' })], 'Nobody was there.');
    const card = await channel.cardFor('build it');
    await channel.whenIdle();
    setting.clock.advance(31 * 60_000);
    await channel.sees('Nobody was there.');
    await channel.press(card);
    expect(deploy.executed).toEqual([]);
    expect(resultsOf(await model.asked(3))).toEqual([expect.stringContaining('nobody decided in time')]);
  });

  test('is called off by a new conversation, which hears nothing of it', async () => {
    const { setting, model, channel, deploy } = await agentsSetting();
    model.next([delegated('builder', 'build', { is_async: true })], [call('deploy', { what: 'site' })]);
    model.otherwise(() => 'I am here.');
    const card = await channel.cardFor('build it');
    await channel.say('/new');
    await channel.press(card);
    await channel.askAtRest('hello', 'I am here.');
    expect(deploy.executed).toEqual([]);
    expect(wordsOf(model.last)).not.toContain('deploy');
    await expect.poll(() => setting.rows('SELECT id FROM conversations WHERE is_open = 1')).toEqual([]);
  });
});

describe('four agents at once', () => {
  test('are all stopped, and nothing of them goes on', async () => {
    const { setting, model, channel } = await agentsSetting();
    const slow = held('never said');
    model.otherwise((request, signal) =>
      isScout(request) ? slow.script(request, signal) : ['a', 'b', 'c', 'd'].map((task) => delegated('scout', task)),
    );
    await channel.say('go');
    await model.asked(5);
    await channel.ask('/stop', /Stopped/);
    await expect.poll(() => setting.rows('SELECT id FROM conversations WHERE is_open = 1')).toEqual([]);
    expect(setting.rows("SELECT DISTINCT outcome FROM calls WHERE state = 'done'")).toEqual([{ outcome: 'cancelled' }]);
    expect(setting.rows("SELECT id FROM calls WHERE state <> 'done'")).toEqual([]);
    await setting.restart();
    await channel.whenIdle();
    expect(model.requests).toHaveLength(5);
  });

  test('are stopped in the instant in which they begin, and nobody is told that it is not known what became of them', async () => {
    let isStopped = false;
    const { setting, model, channel } = await agentsSetting(
      {},
      {
        crashPoint: (point) => {
          if (point !== 'call-executed' || isStopped) return;
          isStopped = true;
          void channel.say('/stop');
        },
      },
    );
    model.next([delegated('scout', 'look')]);
    await channel.ask('go', /Stopped/);
    await expect.poll(() => setting.rows('SELECT id FROM conversations WHERE is_open = 1')).toEqual([]);
    expect(channel.textsIn('test:ada').join()).not.toContain('Outcome unknown');
    expect(setting.rows('SELECT outcome FROM calls')).toEqual([{ outcome: 'cancelled' }]);
  });
});

test('an agent in a group asks where their person talks, and nobody else becomes their person', async () => {
  const { setting, model, channel, deploy } = await agentsSetting({}, { allowFrom: ['bob'] });
  await channel.ask('hi', 'echo: ', { in: group });
  model.next([delegated('builder', 'build')], [call('deploy', { what: 'site' })]);
  const card = await channel.cardFor('build it', { by: 'bob', in: group });
  model.next('Hello Ada.');
  await channel.ask('hello', 'Hello Ada.', { in: group });
  expect(await channel.press(card, { by: 'bob', in: group })).toBeDefined();
  expect(deploy.executed).toEqual([]);
  model.next('built', 'Bob, it is built.');
  await channel.pressToSee(card, 'Bob, it is built.', { in: group });
  expect(deploy.executed).toEqual(['site']);
  expect(setting.rows('SELECT DISTINCT principal FROM calls')).toEqual([{ principal: 'test:bob' }]);
});
