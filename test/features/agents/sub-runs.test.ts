import { describe, expect, onTestFinished, test } from 'vitest';
import { untilAborted } from '../../../src/lib/clock.ts';
import { silentLog } from '../../../src/lib/log.ts';
import { handedOver, llmOnly } from '../../../src/tools/output.ts';
import { deploySetting } from '../../engine/deploy-setting.ts';
import { killedBeforeEnd } from '../../engine/killed-before-end.ts';
import { RecordingTool } from '../../support/recording-tool.ts';
import { call, held, resultsOf, ScriptedModel, wordsOf } from '../../support/scripted-model.ts';
import { waitUntil } from '../../support/wait-for.ts';
import { agents, agentsSetting, delegated, isWorker } from './agents-setting.ts';

describe('a task that is handed over', () => {
  test('is worked on by the agent, whose last answer is the result, and nothing of it is said in the chat', async () => {
    const { model, channel } = await agentsSetting();
    model.next([delegated('scout', 'find the answer')], 'it is 42', 'The scout says 42.');
    await channel.ask('what is the answer?', 'The scout says 42.');

    const [asked, worked] = [await model.asked(1), await model.asked(2)];
    expect(asked.tools.find(({ name }) => name === 'delegate')?.description).toContain('scout: looks things up');
    expect(worked.system).toContain('You are the scout.');
    expect(wordsOf(worked)).toContain('> find the answer');
    expect(wordsOf(worked)).not.toContain('what is the answer?');
    expect(resultsOf(model.last)).toEqual(['it is 42']);
    expect(channel.textsIn('test:ada')).toEqual(['The scout says 42.']);
  });

  test.each([
    ['it is forty-', 'it is forty-\n[The answer ended at the limit of tokens.]'],
    ['', 'It ended without an answer. [The answer ended at the limit of tokens.]'],
  ])('comes back with a word that the answer is not whole: %j', async (answer, result) => {
    const { model, channel } = await agentsSetting();
    const ending = (how: typeof model.ending, words: string) => () => {
      model.ending = how;
      return words;
    };
    model.next(
      [delegated('scout', 'find the answer')],
      ending('cut', answer),
      ending(undefined, 'The scout is not done.'),
    );
    await channel.ask('what is the answer?', 'The scout is not done.');
    expect(resultsOf(model.last)).toEqual([result]);
    expect(channel.textsIn('test:ada')).toEqual(['The scout is not done.']);
  });

  test('by a process that is killed before that is handed over by the next', () =>
    killedBeforeEnd('delegate', { agent: 'scout', task: 'look' }, { config: { agents } }));

  test('is worked on by the model that was chosen for the conversation, unless the agent has its own', async () => {
    const local = new ScriptedModel('local');
    const { model, channel } = await agentsSetting({}, { moreModels: { local } });
    await channel.ask('/model local', 'From now on local');
    local.next([delegated('scout', 'find the answer')], 'it is 42', 'The scout says 42.');
    await channel.ask('what is the answer?', 'The scout says 42.');
    expect([local.requests.filter(isWorker).length, model.requests.length]).toEqual([1, 0]);
  });

  test('is told by new_task, with its result as JSON', async () => {
    const { model, channel } = await agentsSetting();
    model.next([call('new_task', { agentName: 'scout', taskName: 'answer', input: 'find it' })], 'it is 42', 'Done.');
    await channel.ask('go', 'Done.');
    const [result = ''] = resultsOf(await model.asked(3));
    expect(JSON.parse(result)).toEqual({ success: true, summary: 'it is 42', subtaskId: expect.any(String) });
  });

  test('is not what happens where the operator has a tool of that name: theirs stands in for it', async () => {
    const own = {
      name: 'new_task',
      description: 'says it',
      command: 'echo own {{input}}',
      parameters: { input: 'string' },
    };
    const { model, channel } = await agentsSetting({ custom_tools: [own], approval: { enabled: false } });
    model.next([call('new_task', { input: 'x' })], 'Done.');
    await channel.ask('go', 'Done.');
    expect(resultsOf(await model.asked(2)).join()).toContain('own x');
    expect(model.requests.some(isWorker)).toBe(false);
  });

  test('may be several at once: each result comes back once, in the order of the calls', async () => {
    const { model, channel } = await agentsSetting();
    const slow = held('slow one');
    let asked = 0;
    model.otherwise((request, signal) => {
      if (isWorker(request)) return wordsOf(request).includes('> first') ? slow.script(request, signal) : 'quick one';
      asked += 1;
      if (asked === 2) return 'All done.';
      return [delegated('scout', 'first'), delegated('scout', 'second')];
    });
    await channel.say('go');
    await model.asked(3);
    slow.release();
    await channel.sees('All done.');
    expect(resultsOf(await model.asked(4))).toEqual(['slow one', 'quick one']);
    expect(model.requests).toHaveLength(4);
  });

  test('may hand on a part of it, until the depth is reached: then the tool is gone', async () => {
    const { model, channel } = await agentsSetting({ tools: { delegate: { max_depth: 2 } } });
    model.next([delegated('scout', 'one')], [delegated('scout', 'two')], 'deep', 'middle', 'top');
    await channel.ask('go', 'top');
    const offers = model.requests.map(({ tools }) => tools.some(({ name }) => name === 'delegate'));
    expect(offers).toEqual([true, true, false, true, true]);
    expect(resultsOf(await model.asked(4))).toEqual(['deep']);
  });

  test('that goes round in circles ends at the depth, and all are told why', async () => {
    const { model, channel } = await agentsSetting({ tools: { delegate: { max_depth: 3 } } });
    model.otherwise(({ messages }) => {
      const last = messages.at(-1);
      return last?.role === 'results' ? 'I gave up.' : [delegated('scout', 'again')];
    });
    await channel.ask('go', 'I gave up.');
    expect(model.requests.length).toBeLessThanOrEqual(8);
  });

  test('to nobody is a mistake that the model is told of', async () => {
    const { model, channel } = await agentsSetting();
    model.next([delegated('scot', 'x')], 'oh');
    await channel.ask('go', 'oh');
    expect(resultsOf(await model.asked(2))).toEqual(['There is no agent "scot". Do you mean scout?']);
  });

  test('by a tool of the operator to nobody, or deeper than the config says, is not begun, which is told', async () => {
    const hand = new RecordingTool('hand', 'memory', (name) =>
      handedOver({ worker: { type: 'agent', name }, title: name, task: 'x', inBackground: false, form: 'text' }),
    );
    const config = { tools: { delegate: { max_depth: 1 } } };
    const { model, channel } = await agentsSetting(config, { tools: [hand.registration] });
    const calls = () => ['nobody', 'scout'].map((what) => call('hand', { what }));
    model.next(calls(), calls(), 'oh', 'I see');
    await channel.ask('go', 'I see');
    expect(resultsOf(await model.asked(3))).toEqual([
      expect.stringContaining('there is no agent "nobody" any more'),
      expect.stringContaining('Not begun: at most 1 runs may stand within each other'),
    ]);
  });

  test('is not begun for a call that has ended meanwhile', async () => {
    const hand = new RecordingTool('hand', 'memory', () => {
      setting.tamper(`UPDATE calls SET state = 'done', outcome = 'cancelled', result = 'called off'`);
      const worker = { type: 'agent', name: 'scout' } as const;
      return handedOver({ worker, title: 'look', task: 'x', inBackground: false, form: 'text' });
    });
    const errors: string[] = [];
    const log = { ...silentLog, error: (_fields: object, words: string) => void errors.push(words) };
    const { setting, channel } = await agentsSetting({}, { tools: [hand.registration], log });
    setting.model.next([call('hand', { what: 'x' })], 'I see');
    await channel.ask('go', 'I see');
    expect(errors).toEqual([]);
  });

  test('leaves the agent no other tools than their own, and the calls of those ask in the chat', async () => {
    const { model, channel, deploy } = await agentsSetting();
    model.next([delegated('builder', 'build')], [call('deploy', { what: 'site' })], 'built', 'It is built.');
    const card = await channel.cardFor('build it');
    expect((await channel.card()).text).toContain('`builder` calls it');
    expect(deploy.executed).toEqual([]);
    await channel.pressToSee(card, 'It is built.');
    expect(deploy.executed).toEqual(['site']);
    expect(model.requests[1]?.tools.map(({ name }) => name)).toEqual(['attempt_completion', 'deploy']);
    expect(channel.textsIn('test:ada').filter((text) => text === 'built')).toEqual([]);
  });

  test('does not keep the conversation waiting: a message is answered while the agent works', async () => {
    const { model, channel } = await agentsSetting();
    const slow = held('found it');
    model.otherwise((request, signal) => {
      if (isWorker(request)) return slow.script(request, signal);
      const words = wordsOf(request);
      if (words.includes('outcome="success"')) return 'The scout has found it.';
      return words.includes('still there?') ? 'Yes, I am here.' : [delegated('scout', 'look')];
    });
    await channel.say('go');
    await model.asked(2);
    await channel.ask('still there?', 'Yes, I am here.');
    slow.release();
    await channel.sees('The scout has found it.');
    expect(wordsOf(model.last)).toMatch(/tool="delegate" outcome="success">\nfound it/);
  });

  test('in the background lets the run go on, and reports in the chat when it is done', async () => {
    const { model, channel } = await agentsSetting();
    const slow = held('found it');
    model.otherwise((request, signal) => {
      if (isWorker(request)) return slow.script(request, signal);
      if (wordsOf(request).includes('outcome="success"')) return 'Here it is.';
      return resultsOf(request).length > 0
        ? 'I have asked the scout.'
        : [delegated('scout', 'look', { is_async: true })];
    });
    await channel.ask('go', 'I have asked the scout.');
    slow.release();
    await channel.sees('Here it is.');
  });

  test.each([
    ['survives a restart, no matter who works then', agents, 'found after all'],
    ['comes to nothing if the agent is gone after a restart', { builder: agents.builder }, 'no agent "scout" any more'],
  ])('%s', async (_what, left, result) => {
    const { setting, model, channel } = await agentsSetting();
    model.next([delegated('scout', 'look')], held('never said').script);
    await channel.say('go');
    await model.asked(2);
    model.otherwise((request) => (isWorker(request) ? 'found after all' : 'So it is.'));
    await setting.restart({ agents: left });
    await channel.sees('So it is.');
    expect(resultsOf(model.last)).toEqual([expect.stringContaining(result)]);
  });

  test('survives that the card of the agent is decided by another process', async () => {
    const { setting, model, channel, deploy } = await agentsSetting();
    model.next([delegated('builder', 'build')], [call('deploy', { what: 'site' })], 'built', 'It is built.');
    const card = await channel.cardFor('build it');
    await setting.restart();
    await channel.pressToSee(card, 'It is built.');
    expect(deploy.executed).toEqual(['site']);
  });

  test('is stopped with all that it has begun', async () => {
    const { setting, model, channel } = await agentsSetting();
    const slow = held('never said');
    model.next([delegated('scout', 'one')], [delegated('scout', 'two')], slow.script);
    await channel.say('go');
    await model.asked(3);
    await channel.ask('/stop', /Stopped/);
    const open = 'SELECT id FROM conversations WHERE is_open = 1';
    await expect.poll(() => setting.rows(open)).toEqual([]);
    expect(model.requests).toHaveLength(3);
    expect(setting.rows(`SELECT count(*) AS open FROM calls WHERE state <> 'done'`)).toEqual([{ open: 0 }]);
    model.next('I am here.');
    await channel.ask('hello', 'I am here.');
  });

  test('is given up when its model says nothing for two minutes', async () => {
    const { setting, model, channel } = await agentsSetting();
    const slow = held('never said');
    model.next([delegated('scout', 'look')], slow.script, 'He does not answer.');
    await channel.say('go');
    await model.asked(2);
    await setting.clock.advance(119_000);
    expect(model.requests).toHaveLength(2);
    await setting.clock.advance(1_000);
    await channel.sees('He does not answer.');
    expect(resultsOf(model.last)).toEqual([expect.stringContaining('said nothing')]);
  });

  test('ends at the bound of turns, and the asking run goes on with what was said', async () => {
    const { model, channel } = await agentsSetting({ agent: { max_turns: 2, max_repeats: 0 } });
    model.next([delegated('scout', 'look')], ...['a', 'b'].map((message) => [call('echo', { message })]), 'So far.');
    await channel.ask('go', 'So far.');
    expect(resultsOf(model.last)).toEqual([expect.stringContaining('too many turns')]);
    expect(channel.textsIn('test:ada')).toEqual(['So far.']);
  });

  test('counts for the budget of the person', async () => {
    const { setting, model, channel } = await agentsSetting();
    model.usage = { inputTokens: 10, outputTokens: 5 };
    model.next([delegated('scout', 'look')], 'found', 'Found.');
    await channel.ask('go', 'Found.');
    expect(setting.rows('SELECT conversation_id, sum(tokens) AS tokens FROM spending')).toEqual([
      { conversation_id: 'test:ada', tokens: 45 },
    ]);
  });

  test('waits in line where too many work already', async () => {
    const { setting, model, channel } = await agentsSetting({ tools: { delegate: { max_running: 1 } } });
    const slow = held('one');
    model.otherwise((request, signal) => {
      if (isWorker(request)) return slow.script(request, signal);
      return resultsOf(request).length > 0 ? 'Well.' : [delegated('scout', 'a'), delegated('scout', 'b')];
    });
    await channel.say('go');
    await model.asked(2);
    await expect.poll(() => setting.rows(`SELECT id FROM calls WHERE state = 'done'`)).toHaveLength(1);
    slow.release();
    await channel.sees('Well.');
    expect(resultsOf(model.last)).toContainEqual(expect.stringContaining('Not begun'));
  });
});

describe('a run that calls itself complete', () => {
  const config = { tools: { attempt_completion: { in_chats: true } } };

  test('ends when its sibling calls are settled, and the person reads the result', async () => {
    const { model, channel, deploy } = await deploySetting({ config });
    model.next([call('attempt_completion', { result: 'All of it is done.' }), call('deploy', { what: 'site' })]);
    const card = await channel.cardFor('go');
    await channel.pressToSee(card, 'All of it is done.');
    await channel.whenIdle();
    expect(deploy.executed).toEqual(['site']);
    expect(model.requests).toHaveLength(1);
    model.next('Hello again.');
    await channel.ask('hello', 'Hello again.');
  });

  test('is not offered in chats unless the operator wants it', async () => {
    const { model, channel } = await deploySetting();
    await channel.ask('hi', 'echo: hi');
    expect(model.requests[0]?.tools.map(({ name }) => name)).not.toContain('attempt_completion');
  });

  test('gives its result to the run that asked', async () => {
    const { model, channel } = await agentsSetting();
    model.next([delegated('scout', 'look')], [call('attempt_completion', { result: '42' })], 'It is 42.');
    await channel.ask('go', 'It is 42.');
    expect(resultsOf(model.last)).toEqual(['42']);
    expect(channel.textsIn('test:ada')).toEqual(['It is 42.']);
  });
});

describe('the card of tools', () => {
  /** An agent that looks until the test lets it end, in a chat that shows cards of tools. */
  async function lookingAgent() {
    const looked = Promise.withResolvers<void>();
    const look = new RecordingTool('look', 'filesystem_read', async (_what, { signal }) => {
      await untilAborted(looked.promise, signal);
      return llmOnly('it is 42');
    });
    const channel = { needsCards: true, removes: true };
    const parts = await agentsSetting({}, { channel, tools: [look.registration] });
    onTestFinished(() => looked.resolve());
    const lines = (): readonly string[] =>
      parts.channel.screen.filter(({ kind }) => kind === 'status').flatMap(({ text }) => text.split('  \n'));
    const shows = (...marks: readonly string[]): Promise<unknown> =>
      waitUntil(
        () =>
          lines()
            .map((line) => line.split(' ')[0])
            .join() === marks.join(),
        {
          describe: () => lines().join('\n'),
          meanwhile: () => parts.clock.advance(100),
        },
      );
    parts.model.otherwise((request) => {
      if (isWorker(request)) return resultsOf(request).length > 0 ? 'it is 42' : [call('look', { what: 'here' })];
      const words = wordsOf(request);
      if (resultsOf(request).includes('it is 42') || words.includes('outcome="success"'))
        return 'The scout has found it.';
      return words.includes('still there?') ? 'Yes, I am here.' : [delegated('scout', 'look')];
    });
    await parts.channel.say('go');
    return { ...parts, lines, shows, letEnd: () => looked.resolve() };
  }

  test('shows that the task goes on while the agent uses tools, and after another message was answered', async () => {
    const { channel, shows, lines, letEnd, clock } = await lookingAgent();
    await shows('⚙️', '⚙️');
    for (let asked = 0; asked < 2; asked += 1) {
      await channel.ask('still there?', 'Yes, I am here.');
      clock.advance(5_000);
    }
    expect(lines().join()).not.toContain('⚠️');
    letEnd();
    await channel.sees('The scout has found it.');
    await shows('✔️', '✔️');
  });

  test('says so when a person has stopped the task', async () => {
    const { channel, shows } = await lookingAgent();
    await shows('⚙️', '⚙️');
    await channel.say('/stop');
    await shows('🚫', '🚫');
  });
});
