import { describe, expect, test } from 'vitest';
import { approveButton, deploySetting } from '../../engine/deploy-setting.ts';
import { killedBeforeEnd } from '../../engine/killed-before-end.ts';
import { call, held, resultsOf, ScriptedModel, type ScriptedRequest, wordsOf } from '../../support/scripted-model.ts';

const agents = {
  scout: { description: 'looks things up', prompt: 'You are the scout.' },
  builder: { description: 'builds', tools: ['deploy'] },
};

const isWorker = ({ system }: ScriptedRequest): boolean => system.includes('You work for an assistant');

function delegated(agent: string, task: string, more: Record<string, boolean> = {}) {
  return call('delegate', { agent, task, ...more });
}

describe('a task that is handed over', () => {
  test('is worked on by the agent, whose last answer is the result, and nothing of it is said in the chat', async () => {
    const { model, channel } = await deploySetting({ config: { agents } });
    model.next([delegated('scout', 'find the answer')], 'it is 42', 'The scout says 42.');
    await channel.say('what is the answer?');
    await channel.sees('The scout says 42.');

    const [asked, worked, answered] = model.requests;
    expect(asked?.tools.find(({ name }) => name === 'delegate')?.description).toContain('scout: looks things up');
    expect(worked?.system).toContain('You are the scout.');
    expect(worked === undefined ? '' : wordsOf(worked)).toContain('> find the answer');
    expect(worked === undefined ? '' : wordsOf(worked)).not.toContain('what is the answer?');
    expect(answered === undefined ? [] : resultsOf(answered)).toEqual(['it is 42']);
    expect(channel.textsIn('test:ada')).toEqual(['The scout says 42.']);
  });

  test('by a process that is killed before that is handed over by the next', () =>
    killedBeforeEnd('delegate', { agent: 'scout', task: 'look' }, { config: { agents } }));

  test('is worked on by the model that was chosen for the conversation, unless the agent has its own', async () => {
    const local = new ScriptedModel('local');
    const { model, channel } = await deploySetting({ config: { agents }, moreModels: { local } });
    await channel.say('/model local');
    await channel.sees('From now on local');
    local.next([delegated('scout', 'find the answer')], 'it is 42', 'The scout says 42.');
    await channel.say('what is the answer?');
    await channel.sees('The scout says 42.');
    expect([local.requests.filter(isWorker).length, model.requests.length]).toEqual([1, 0]);
  });

  test('is told by new_task, with its result as JSON', async () => {
    const { model, channel } = await deploySetting({ config: { agents } });
    model.next([call('new_task', { agentName: 'scout', taskName: 'answer', input: 'find it' })], 'it is 42', 'Done.');
    await channel.say('go');
    await channel.sees('Done.');
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
    const config = { agents, custom_tools: [own], approval: { enabled: false } };
    const { model, channel } = await deploySetting({ config });
    model.next([call('new_task', { input: 'x' })], 'Done.');
    await channel.say('go');
    await channel.sees('Done.');
    expect(resultsOf(await model.asked(2)).join()).toContain('own x');
    expect(model.requests.some(isWorker)).toBe(false);
  });

  test('may be several at once: each result comes back once, in the order of the calls', async () => {
    const { model, channel } = await deploySetting({ config: { agents } });
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
    const { model, channel } = await deploySetting({ config: { agents, tools: { delegate: { max_depth: 2 } } } });
    model.next([delegated('scout', 'one')], [delegated('scout', 'two')], 'deep', 'middle', 'top');
    await channel.say('go');
    await channel.sees('top');
    const offers = model.requests.map(({ tools }) => tools.some(({ name }) => name === 'delegate'));
    expect(offers).toEqual([true, true, false, true, true]);
    expect(resultsOf(await model.asked(4))).toEqual(['deep']);
  });

  test('that goes round in circles ends at the depth, and all are told why', async () => {
    const { model, channel } = await deploySetting({ config: { agents, tools: { delegate: { max_depth: 3 } } } });
    model.otherwise(({ messages }) => {
      const last = messages.at(-1);
      return last?.role === 'results' ? 'I gave up.' : [delegated('scout', 'again')];
    });
    await channel.say('go');
    await channel.sees('I gave up.');
    expect(model.requests.length).toBeLessThanOrEqual(8);
  });

  test('to nobody is a mistake that the model is told of', async () => {
    const { model, channel } = await deploySetting({ config: { agents } });
    model.next([delegated('scot', 'x')], 'oh');
    await channel.say('go');
    await channel.sees('oh');
    expect(resultsOf(await model.asked(2))).toEqual(['There is no agent "scot". Do you mean scout?']);
  });

  test('leaves the agent no other tools than their own, and the calls of those ask in the chat', async () => {
    const { model, channel, deploy } = await deploySetting({ config: { agents } });
    model.next([delegated('builder', 'build')], [call('deploy', { what: 'site' })], 'built', 'It is built.');
    await channel.say('build it');
    const button = await approveButton(channel);
    expect((await channel.card()).text).toContain('`builder` calls it');
    expect(deploy.executed).toEqual([]);
    await channel.press(button);
    await channel.sees('It is built.');
    expect(deploy.executed).toEqual(['site']);
    expect(model.requests[1]?.tools.map(({ name }) => name)).toEqual(['attempt_completion', 'deploy']);
    expect(channel.textsIn('test:ada').filter((text) => text === 'built')).toEqual([]);
  });

  test('does not keep the conversation waiting: a message is answered while the agent works', async () => {
    const { model, channel } = await deploySetting({ config: { agents } });
    const slow = held('found it');
    model.otherwise((request, signal) => {
      if (isWorker(request)) return slow.script(request, signal);
      const words = wordsOf(request);
      if (words.includes('outcome="success"')) return 'The scout has found it.';
      return words.includes('still there?') ? 'Yes, I am here.' : [delegated('scout', 'look')];
    });
    await channel.say('go');
    await model.asked(2);
    await channel.say('still there?');
    await channel.sees('Yes, I am here.');
    slow.release();
    await channel.sees('The scout has found it.');
    expect(wordsOf(model.requests.at(-1) ?? failing())).toMatch(/tool="delegate" outcome="success">\nfound it/);
  });

  test('in the background lets the run go on, and reports in the chat when it is done', async () => {
    const { model, channel } = await deploySetting({ config: { agents } });
    const slow = held('found it');
    model.otherwise((request, signal) => {
      if (isWorker(request)) return slow.script(request, signal);
      if (wordsOf(request).includes('outcome="success"')) return 'Here it is.';
      return resultsOf(request).length > 0
        ? 'I have asked the scout.'
        : [delegated('scout', 'look', { is_async: true })];
    });
    await channel.say('go');
    await channel.sees('I have asked the scout.');
    slow.release();
    await channel.sees('Here it is.');
  });

  test('survives a restart, no matter who works then', async () => {
    const { setting, model, channel } = await deploySetting({ config: { agents } });
    const first = held('never said');
    model.next([delegated('scout', 'look')], first.script);
    await channel.say('go');
    await model.asked(2);
    model.next('found after all', 'The scout found it.');
    await setting.restart();
    await channel.sees('The scout found it.');
    expect(resultsOf(model.requests.at(-1) ?? failing())).toEqual(['found after all']);
  });

  test('survives that the card of the agent is decided by another process', async () => {
    const { setting, model, channel, deploy } = await deploySetting({ config: { agents } });
    model.next([delegated('builder', 'build')], [call('deploy', { what: 'site' })], 'built', 'It is built.');
    await channel.say('build it');
    const button = await approveButton(channel);
    await setting.restart();
    await channel.press(button);
    await channel.sees('It is built.');
    expect(deploy.executed).toEqual(['site']);
  });

  test('comes to nothing if the agent is gone after a restart', async () => {
    const { setting, model, channel } = await deploySetting({ config: { agents } });
    const first = held('never said');
    model.next([delegated('scout', 'look')], first.script);
    await channel.say('go');
    await model.asked(2);
    model.next('I could not ask him.');
    await setting.restart({ agents: { builder: agents.builder } });
    await channel.sees('I could not ask him.');
    expect(resultsOf(model.requests.at(-1) ?? failing())).toEqual([
      expect.stringContaining('no agent "scout" any more'),
    ]);
  });

  test('is stopped with all that it has begun', async () => {
    const { setting, model, channel } = await deploySetting({ config: { agents } });
    const slow = held('never said');
    model.next([delegated('scout', 'one')], [delegated('scout', 'two')], slow.script);
    await channel.say('go');
    await model.asked(3);
    await channel.say('/stop');
    await channel.sees(/Stopped/);
    const open = 'SELECT id FROM conversations WHERE is_open = 1';
    await expect.poll(() => setting.rows(open)).toEqual([]);
    expect(model.requests).toHaveLength(3);
    expect(setting.rows(`SELECT count(*) AS open FROM calls WHERE state <> 'done'`)).toEqual([{ open: 0 }]);
    model.next('I am here.');
    await channel.say('hello');
    await channel.sees('I am here.');
  });

  test('is given up when its model says nothing for two minutes', async () => {
    const { setting, model, channel } = await deploySetting({ config: { agents } });
    const slow = held('never said');
    model.next([delegated('scout', 'look')], slow.script, 'He does not answer.');
    await channel.say('go');
    await model.asked(2);
    await setting.clock.advance(119_000);
    expect(model.requests).toHaveLength(2);
    await setting.clock.advance(1_000);
    await channel.sees('He does not answer.');
    expect(resultsOf(model.requests.at(-1) ?? failing())).toEqual([expect.stringContaining('said nothing')]);
  });

  test('ends at the bound of turns, and the asking run goes on with what was said', async () => {
    const { model, channel } = await deploySetting({
      config: { agents, agent: { max_turns: 2, burst_ms: 0, max_repeats: 0 } },
    });
    model.next(
      [delegated('scout', 'look')],
      [call('echo', { message: 'a' })],
      [call('echo', { message: 'b' })],
      'So far.',
    );
    await channel.say('go');
    await channel.sees('So far.');
    expect(resultsOf(model.requests.at(-1) ?? failing())).toEqual([expect.stringContaining('all the turns')]);
    expect(channel.textsIn('test:ada')).toEqual(['So far.']);
  });

  test('counts for the budget of the person', async () => {
    const { setting, model, channel } = await deploySetting({ config: { agents } });
    model.usage = { inputTokens: 10, outputTokens: 5 };
    model.next([delegated('scout', 'look')], 'found', 'Found.');
    await channel.say('go');
    await channel.sees('Found.');
    expect(setting.rows('SELECT conversation_id, sum(tokens) AS tokens FROM spending')).toEqual([
      { conversation_id: 'test:ada', tokens: 45 },
    ]);
  });

  test('waits in line where too many work already', async () => {
    const { setting, model, channel } = await deploySetting({
      config: { agents, tools: { delegate: { max_running: 1 } } },
    });
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
    expect(resultsOf(model.requests.at(-1) ?? failing())).toContainEqual(expect.stringContaining('Not begun'));
  });
});

describe('a run that calls itself complete', () => {
  const config = { tools: { attempt_completion: { in_chats: true } } };

  test('ends when its sibling calls are settled, and the person reads the result', async () => {
    const { model, channel, deploy } = await deploySetting({ config });
    model.next([call('attempt_completion', { result: 'All of it is done.' }), call('deploy', { what: 'site' })]);
    await channel.say('go');
    const button = await approveButton(channel);
    await channel.press(button);
    await channel.sees('All of it is done.');
    await channel.whenIdle();
    expect(deploy.executed).toEqual(['site']);
    expect(model.requests).toHaveLength(1);
    model.next('Hello again.');
    await channel.say('hello');
    await channel.sees('Hello again.');
  });

  test('is not offered in chats unless the operator wants it', async () => {
    const { model, channel } = await deploySetting();
    await channel.say('hi');
    await channel.sees('echo: hi');
    expect(model.requests[0]?.tools.map(({ name }) => name)).not.toContain('attempt_completion');
  });

  test('gives its result to the run that asked', async () => {
    const { model, channel } = await deploySetting({ config: { agents } });
    model.next([delegated('scout', 'look')], [call('attempt_completion', { result: '42' })], 'It is 42.');
    await channel.say('go');
    await channel.sees('It is 42.');
    expect(resultsOf(model.requests.at(-1) ?? failing())).toEqual(['42']);
    expect(channel.textsIn('test:ada')).toEqual(['It is 42.']);
  });
});

function failing(): never {
  throw new Error('there was no request');
}
