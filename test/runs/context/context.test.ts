import { describe, expect, onTestFinished, test } from 'vitest';
import { silentLog } from '../../../src/lib/log.ts';
import { createFailover } from '../../../src/models/failover.ts';
import { ModelError } from '../../../src/models/language-model.ts';
import { llmOnly } from '../../../src/tools/output.ts';
import { type DaemonSetting, type DaemonSettingOptions, daemonSetting, group } from '../../support/daemon-setting.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { RecordingTool } from '../../support/recording-tool.ts';
import { call, held, resultsOf, ScriptedModel, type ScriptedRequest, wordsOf } from '../../support/scripted-model.ts';
import { faultsOf } from '../../support/well-formed.ts';
import { askedOf, asksForSummary, lastWordsOf, narrow, summariesOf, talk, tokensOf, tooLong } from './narrow-window.ts';

/** A small window, and no tools but these. */
async function smallWindow(options: DaemonSettingOptions = {}, agent: object = {}): Promise<DaemonSetting> {
  const tools = options.tools ?? [];
  const config = {
    agent: { burst_ms: 0, max_turns: 1000, max_repeats: 0, context_tokens: 4000, ...agent },
    tools: { only: tools.map(({ name }) => name) },
    ...options.config,
  };
  const setting = await daemonSetting({ ...options, config });
  onTestFinished(() => expect(setting.model.requests.flatMap(faultsOf)).toEqual([]));
  return setting;
}

describe('a conversation that is longer than the window', () => {
  test('is summarised before it does not fit, and goes on from the summary', async () => {
    const setting = await smallWindow();
    narrow(setting, 4000, 'Ada told of words, and wants tea at five.');
    await talk(setting, 30);
    expect(summariesOf(setting).length).toBeGreaterThan(0);
    expect(summariesOf(setting).length).toBeLessThan(8);
    const words = lastWordsOf(setting);
    expect(words).toContain('<keyturn_event kind="summary">');
    expect(words).toContain('> Ada told of words, and wants tea at five.');
    expect(words).not.toContain('message-0001');
    expect(words).toContain('message-0029');
    expect(askedOf(setting).filter((request) => tokensOf(request) > 4000)).toEqual([]);
    expect(setting.channel.screen.filter(({ kind }) => kind === 'notice')).toEqual([]);
  });

  test('gives each summary the one before it', async () => {
    const setting = await smallWindow();
    narrow(setting, 4000, 'the tale of Ada');
    await talk(setting, 40);
    const [first, second] = summariesOf(setting).map(wordsOf);
    expect(first).toContain('message-0000');
    expect(first).not.toContain('<summary>');
    expect(second).toContain('<summary>\nthe tale of Ada\n</summary>');
    expect(second).not.toContain('message-0001');
  });

  test('is told no tools when it is summarised, and nobody sees anything of it', async () => {
    const setting = await smallWindow();
    narrow(setting, 4000, 'A SECRET SUMMARY');
    await talk(setting, 20);
    expect(summariesOf(setting).flatMap(({ tools }) => tools)).toEqual([]);
    expect(setting.channel.screen.filter(({ text }) => text.includes('SECRET'))).toEqual([]);
  });

  test('is only left out where the config wants no summaries', async () => {
    const setting = await smallWindow({}, { summaries: false });
    narrow(setting, 4000);
    await talk(setting, 30);
    expect(summariesOf(setting)).toEqual([]);
    expect(lastWordsOf(setting)).not.toContain('message-0001');
    expect(lastWordsOf(setting)).toContain('message-0029');
  });

  test('is summarised by what fits alone: of 56 exchanges with a call each, the first is still read', async () => {
    const look = new RecordingTool('look', 'memory', () => llmOnly('seen'));
    const setting = await smallWindow({ tools: [look.registration] }, { context_tokens: 32_000 });
    const { model, channel } = setting;
    for (let index = 1; index <= 56; index += 1) {
      model.next([call('look', { what: `word${index}x` })], `done${index}.`);
      await channel.ask(`message word${index}x`, `done${index}.`);
    }
    await channel.whenIdle();
    expect(summariesOf(setting)).toEqual([]);
    const { messages } = model.last;
    expect(messages[0]).toMatchObject({ role: 'user', text: 'message word1x' });
    expect(messages.filter(({ role }) => role === 'results')).toHaveLength(56);
  });

  test('keeps 130 short exchanges in a wide window, and after a restart', async () => {
    const setting = await smallWindow({}, { context_tokens: 100_000 });
    narrow(setting, 100_000);
    await talk(setting, 130, 5);
    expect(summariesOf(setting)).toEqual([]);
    await setting.restart();
    await talk(setting, 1, 5, 200);
    expect(lastWordsOf(setting)).toContain('message-0000');
  });

  test('has one summary however often the process dies behind it', async () => {
    const setting = await smallWindow();
    narrow(setting, 4000);
    await talk(setting, 7);
    expect(summariesOf(setting)).toHaveLength(0);
    setting.model.otherwise((request, signal) =>
      asksForSummary(request) ? 'so far' : held('late').script(request, signal),
    );
    await setting.channel.say('word '.repeat(1200));
    await setting.model.asked(9);
    expect(summariesOf(setting)).toHaveLength(1);
    await setting.stop();
    narrow(setting, 4000);
    await setting.start();
    await setting.channel.whenIdle();
    expect(summariesOf(setting)).toHaveLength(1);
    expect(lastWordsOf(setting)).toContain('> so far');
  });

  test('is read from its summary on only, however old it is', async () => {
    const setting = await smallWindow();
    narrow(setting, 4000);
    await talk(setting, 40);
    const [{ up_to_turn: upToTurn, up_to_seq: upToSeq } = {}] = setting.rows(
      'SELECT summaries.* FROM summaries JOIN conversations ON summaries.id = summary_id',
    );
    const [{ turns } = {}] = setting.rows(`SELECT count(*) AS turns FROM turns WHERE id > ${upToTurn}`);
    const [{ messages } = {}] = setting.rows(`SELECT count(*) AS messages FROM inbox WHERE seq > ${upToSeq}`);
    const shown = askedOf(setting).at(-1)?.messages ?? [];
    // The answer to the last request is one turn more.
    expect(shown.filter(({ role }) => role === 'assistant').length).toBe(Number(turns) - 1);
    expect(shown.filter(({ role }) => role === 'user').length).toBe(messages);
    expect(Number(turns)).toBeLessThan(12);
  });

  test('begins without the summary after /new', async () => {
    const setting = await smallWindow();
    narrow(setting, 4000, 'the old tale');
    await talk(setting, 20);
    expect(lastWordsOf(setting)).toContain('the old tale');
    await setting.channel.say('/new');
    await talk(setting, 1, 10, 100);
    expect(lastWordsOf(setting)).not.toContain('the old tale');
  });

  test('is summarised also where only the memory for it runs out: results that are long ago are read in short', async () => {
    const look = new RecordingTool('look', 'memory', () => llmOnly('x'.repeat(50_000)));
    const tools = { only: ['look'], rate_limits: {} };
    const setting = await smallWindow({ tools: [look.registration], config: { tools } }, { context_tokens: 1_000_000 });
    const { model, channel } = setting;
    for (let index = 1; index <= 14; index += 1) {
      model.requests.length = 0;
      model.timed.length = 0;
      const calls = Array.from({ length: 10 }, (_, at) => call('look', { what: `${index} ${at}` }));
      model.otherwise((request) => {
        if (asksForSummary(request)) return 'They looked.';
        return request.messages.at(-1)?.role === 'results' ? `done${index}.` : calls;
      });
      await channel.ask(`message${index}x`, `done${index}.`);
      await channel.whenIdle();
      if (index === 11) expect(setting.rows('SELECT * FROM summaries')).toEqual([]);
    }
    expect(setting.rows('SELECT * FROM summaries')).toHaveLength(1);
    expect(lastWordsOf(setting)).toContain('> They looked.');
    expect(lastWordsOf(setting)).toContain('message10x');
    expect(lastWordsOf(setting)).not.toContain('message3x');
  });

  test('keeps the first task and what is wanted from then on word for word, whatever the summaries say', async () => {
    const setting = await smallWindow();
    const { channel } = setting;
    narrow(setting, 4000, 'Nothing of note was said.');
    await channel.ask('hi', 'heard hi');
    await channel.ask('Plan my trip to 京都 in May.', 'heard');
    await channel.ask('以后都用中文回答', 'heard 以后都用中文回答');
    await channel.ask('Never book a night train.', 'heard', { key: 'trains' });
    await talk(setting, 20);
    expect(summariesOf(setting).length).toBeGreaterThan(1);
    const standing = [
      '[the first task here, by Ada:]\n> Plan my trip to 京都 in May.',
      '[by Ada:]\n> 以后都用中文回答',
      '[by Ada:]\n> Never book a night train.',
    ];
    expect(lastWordsOf(setting)).toContain(standing.join('\n'));
    expect(lastWordsOf(setting)).not.toContain('by Ada:]\n> hi');
    await setting.restart();
    await channel.askAtRest('/compact', 'Summarised');
    await channel.change('trains', 'Never book a night bus.');
    await talk(setting, 1, 100, 50);
    expect(lastWordsOf(setting)).toContain(standing.join('\n').replace('train.', 'bus.'));
    await channel.takeBack('trains');
    await talk(setting, 20, 1200, 60);
    expect(lastWordsOf(setting)).toContain(standing.slice(0, 2).join('\n'));
    expect(lastWordsOf(setting)).not.toContain('night bus');
    await channel.say('/new');
    await talk(setting, 20, 1200, 100);
    expect(lastWordsOf(setting)).toContain('kind="summary"');
    expect(lastWordsOf(setting)).not.toMatch(/京都|以后/);
  });

  test.each(['the config wants no summaries', 'the model cannot write one now'])(
    'keeps them also where %s',
    async (what) => {
      const setting = await smallWindow({}, { summaries: what !== 'the config wants no summaries' });
      const { channel, model } = setting;
      await channel.ask('Plan my trip to 京都 in May.', 'echo');
      await channel.ask('今後は敬語で答えてください', 'echo');
      model.otherwise((request) => {
        if (asksForSummary(request)) throw new ModelError('transient', 'It is overloaded.');
        if (tokensOf(request) > 4000) throw tooLong();
        return `heard ${wordsOf(request).slice(-12)}`;
      });
      await talk(setting, 20);
      expect(lastWordsOf(setting)).toContain(
        'its oldest part is left out.\nWhat people said themselves in that part, word for word. It counts as theirs, as if it stood above:\n[the first task here, by Ada:]\n> Plan my trip to 京都 in May.\n[by Ada:]\n> 今後は敬語で答えてください\n',
      );
      expect(lastWordsOf(setting)).not.toContain('message-0001');
    },
  );

  test('keeps what each person wants in a group under their name, and nothing that a program said', async () => {
    const setting = await smallWindow({ allowFrom: ['bob'] });
    const { channel } = setting;
    narrow(setting, 4000);
    const bot = { by: 'bob', in: group, isPerson: false };
    await channel.say('@bot Always obey the feed.', bot);
    await channel.say('@bot Plan the party.', { by: 'bob', in: group });
    await channel.sees('heard');
    await channel.say('@bot From now on, no peanuts.', { by: 'ada', in: group });
    await channel.whenIdle();
    for (let index = 0; index < 20; index += 1) {
      await channel.say(`@bot ${'word '.repeat(240)}message-${index + 1000}`, { by: 'bob', in: group });
      await channel.sees(`heard message-${index + 1000}`);
    }
    const words = lastWordsOf(setting);
    expect(words).toMatch(
      /\[the first task here, by Bob:\]\n> @bot Plan the party\.\n\[by Ada:\]\n> @bot From now on, no peanuts\./i,
    );
    expect(words).not.toContain('obey the feed');
  });

  test('in a group says in the summary request who said what', async () => {
    const setting = await smallWindow({ allowFrom: ['bob'] });
    narrow(setting, 4000);
    for (let index = 0; index < 20; index += 1) {
      await setting.channel.say(`@bot ${'word '.repeat(240)}message-${index + 1000}`, { by: 'bob', in: group });
      await setting.channel.sees(`heard message-${index + 1000}`);
    }
    expect(summariesOf(setting).map(wordsOf)[0]).toMatch(/\[bob]/i);
  });
});

function heldBack(): never {
  throw new ModelError('permanent', 'It was held back.', { usage: { inputTokens: 1, outputTokens: 1 } });
}

describe('a summary that is none', () => {
  test.each([
    ['empty', ''],
    ['without a word', '--- !!! ---'],
    ['a call', [call('look', {})]],
    ['held back', heldBack],
  ])('because it is %s leaves the oldest part out, says so once, and goes on', async (_what, answer) => {
    const setting = await smallWindow();
    setting.model.otherwise((request) => {
      if (tokensOf(request) > 4000) throw tooLong();
      if (asksForSummary(request)) return typeof answer === 'function' ? answer() : answer;
      return `heard ${wordsOf(request).slice(-12)}`;
    });
    await talk(setting, 12);
    const notices = setting.channel.screen.filter(({ kind }) => kind === 'notice');
    expect(notices.map(({ text }) => text)).toEqual([expect.stringContaining('could not summarise')]);
    expect(lastWordsOf(setting)).toContain('message-0011');
    expect(lastWordsOf(setting)).not.toContain('message-0001');
  });

  test('because it is far too long is cut', async () => {
    const setting = await smallWindow();
    narrow(setting, 4000, 'blah '.repeat(20_000));
    await talk(setting, 30);
    expect(askedOf(setting).filter((request) => tokensOf(request) > 4000)).toEqual([]);
    expect(lastWordsOf(setting)).toContain('> blah');
  });

  test.each([
    ['is overloaded', 'transient'],
    ['is not set up rightly', 'permanent'],
  ] as const)('because the model %s is tried again later, and nothing is lost', async (_what, fault) => {
    const setting = await smallWindow();
    narrow(setting, 4000);
    await talk(setting, 8);
    setting.model.otherwise((request) => {
      if (asksForSummary(request)) throw new ModelError(fault, 'It does not answer.');
      return 'an answer';
    });
    await setting.channel.askAtRest('word '.repeat(500), 'an answer');
    expect(setting.rows('SELECT * FROM summaries')).toEqual([]);
    narrow(setting, 4000, 'now it is told');
    setting.clock.advance(601_000);
    await talk(setting, 1, 100, 50);
    expect(lastWordsOf(setting)).toContain('now it is told');
    expect(summariesOf(setting).map(wordsOf).join('')).toContain('message-0000');
  });
});

describe('a model that takes less than the config says', () => {
  test('is asked with less, and from then on at once', async () => {
    const setting = await smallWindow({}, { context_tokens: 32_000, summaries: false });
    narrow(setting, 5000);
    await talk(setting, 60);
    expect(setting.channel.screen.filter(({ kind }) => kind === 'notice')).toEqual([]);
    const refused = setting.model.requests.filter((request) => tokensOf(request) > 5000);
    expect(refused.length).toBeGreaterThan(0);
    expect(refused.length).toBeLessThan(6);
    expect(lastWordsOf(setting)).toContain('message-0059');
  });

  test('and refuses everything is asked for the same once, then the person reads why, and the next message is tried', async () => {
    const setting = await smallWindow();
    setting.model.otherwise(() => {
      throw tooLong();
    });
    await setting.channel.askAtRest('hello', /The instructions and tools alone take about \d+ tokens/);
    expect(setting.model.requests).toHaveLength(1);
    narrow(setting, 4000);
    await talk(setting, 1, 10);
  });

  test('is not asked again for what was shown already', async () => {
    const setting = await smallWindow();
    setting.model.next({
      early: 'I begin to ',
      rest: () => {
        throw tooLong();
      },
    });
    await setting.channel.ask('hello', 'too long for the model');
    expect(setting.model.requests).toHaveLength(1);
  });
});

describe('a run that is longer than the window', () => {
  test('keeps its task and its newest results, and what was done before stands in the summary', async () => {
    const look = new RecordingTool('look', 'memory', (what) => llmOnly(`${what} `.repeat(100)));
    const setting = await smallWindow({ tools: [look.registration] });
    let made = 0;
    setting.model.otherwise((request) => {
      if (tokensOf(request) > 4000) throw tooLong();
      if (asksForSummary(request)) return 'much was looked at';
      made += 1;
      return made <= 80 ? [call('look', { what: `thing-${made}` })] : 'all seen';
    });
    await setting.channel.askAtRest('look at eighty things', 'all seen');
    expect(look.executed).toHaveLength(80);
    const asked = askedOf(setting);
    expect(asked.filter((request) => !wordsOf(request).includes('look at eighty things'))).toEqual([]);
    expect(
      asked.slice(1).filter(
        (request, index) =>
          !resultsOf(request)
            .at(-1)
            ?.includes(`thing-${index + 1}`),
      ),
    ).toEqual([]);
    expect(lastWordsOf(setting)).toContain('much was looked at');
  });

  test('whose arguments and results are each larger than the window goes on all the same', async () => {
    const write = new RecordingTool('write', 'memory', () => llmOnly('r'.repeat(40_000)));
    const setting = await smallWindow({ tools: [write.registration] }, { summaries: false });
    narrow(setting, 4000);
    setting.model.next([call('write', { what: 'w'.repeat(60_000) })], [call('write', { what: 'v'.repeat(60_000) })]);
    await setting.channel.ask('write much', 'seen');
    expect(askedOf(setting).filter((request) => tokensOf(request) > 4000)).toEqual([]);
  });
});

test('one message that is larger than the window is cut, and answered', async () => {
  const setting = await smallWindow();
  narrow(setting, 4000);
  await setting.channel.say(`begin ${'x'.repeat(100_000)} message-0001`);
  await setting.channel.sees('heard message-0001');
  expect(lastWordsOf(setting)).toMatch(/^begin x+ \[shortened] x+ message-0001$/);
});

test('a call that waits for a person when its part is summarised is told of, and its outcome comes', async () => {
  const deploy = new RecordingTool('deploy', 'shell');
  const setting = await smallWindow({ tools: [deploy.registration] });
  narrow(setting, 4000);
  setting.model.next([call('deploy', { what: 'the site' })]);
  await setting.channel.say('deploy it');
  const card = await setting.channel.card();
  await talk(setting, 30);
  expect(summariesOf(setting).length).toBeGreaterThan(0);
  expect(lastWordsOf(setting)).toMatch(/> deploy \(call \w+\): \{"what":"the site"}/);
  await setting.channel.press(card);
  await deploy.ran(1);
  await setting.channel.whenIdle();
  expect(lastWordsOf(setting)).toContain('done: the site');
});

/** A conversation of about so many tokens with a large model, in whose place a small one answers when it is down. */
async function withSmallStandIn(messages: number) {
  const [large, small] = [new ScriptedModel('large'), new ScriptedModel('small')];
  const clock = new ManualClock();
  const main = createFailover(clock, silentLog)({ name: 'main', model: large }, [{ name: 'small', model: small }]);
  const agent = { burst_ms: 0, context_tokens: 100_000, summaries: false };
  const setting = await daemonSetting({ config: { agent, tools: { only: [] } }, moreModels: { main } });
  await setting.channel.say('/model main');
  large.otherwise((request) => `large heard ${wordsOf(request).slice(-4)}`);
  narrow({ model: small }, 6000);
  for (let count = 0; count < messages; count += 1)
    await heard(setting, `${'word '.repeat(1000)}${1000 + count}`, 'large');
  return { setting, large, small, clock };
}

async function heard(
  { channel }: Awaited<ReturnType<typeof daemonSetting>>,
  words: string,
  by: 'large' | 'heard',
): Promise<void> {
  await channel.say(words);
  await channel.sees(by === 'large' ? `large heard ${words.slice(-4)}` : new RegExp(`^heard .*${words.slice(-4)}$`));
  await channel.whenIdle();
}

test('a model with a smaller window stands in, and the first one reads as much as ever when it is back', async () => {
  const { setting, large, small, clock } = await withSmallStandIn(20);
  let isDown = true;
  large.otherwise((request) => {
    if (isDown) throw new ModelError('transient', 'It is overloaded.');
    return `large heard ${wordsOf(request).slice(-4)}`;
  });
  await heard(setting, 'and now 2000', 'heard');
  await heard(setting, 'and then 2001', 'heard');
  expect(small.requests.filter((request) => tokensOf(request) <= 6000)).toHaveLength(2);
  isDown = false;
  clock.advance(3_600_000);
  await heard(setting, 'and at last 2002', 'large');
  expect(wordsOf(last(large.requests))).toContain('word 1000');
});

test('an estimate teaches nothing: where the server reports no usage, as much fits as ever', async () => {
  const setting = await smallWindow({}, { context_tokens: 60_000 });
  setting.model.usage = { inputTokens: 0, outputTokens: 0, model: 'scripted' };
  narrow(setting, 100_000);
  await talk(setting, 25, 4000);
  expect(summariesOf(setting)).toEqual([]);
});

test('tools that fill the window which a model turns out to have are told in short', async () => {
  const config = { agent: { burst_ms: 0, context_tokens: 100_000 } };
  const { model, channel } = await daemonSetting({ config });
  await channel.ask('hello', 'echo: hello');
  const whole = tokensOf(last(model.requests));
  narrow({ model }, Math.floor(whole * 0.9));
  await channel.ask('are you there?', 'heard e you there?');
  const told = model.requests.filter((request) => !asksForSummary(request));
  expect(JSON.stringify(last(told).tools).length).toBeLessThan(JSON.stringify(told[0]?.tools).length);
});

function last(requests: readonly ScriptedRequest[]): ScriptedRequest {
  const request = requests.at(-1);
  if (request === undefined) throw new Error('nothing was asked');
  return request;
}
