import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { warningWords } from '../../src/config/warnings/words.ts';
import { sharingWarnings } from '../../src/config/warnings.ts';
import { modelWords } from '../../src/conversation/commands/model/words.ts';
import { toolListWords } from '../../src/conversation/commands/reports/tools/words.ts';
import { listWords, statusWords } from '../../src/conversation/commands/reports/words.ts';
import { commandWords } from '../../src/conversation/commands/words.ts';
import { modelWords as errorWords } from '../../src/models/words.ts';
import { boundsErrorWords } from '../../src/tools/guard/process/words.ts';
import { stubWords } from '../../src/words/words.ts';
import { type DaemonSettingOptions, daemonSetting, group } from '../support/daemon-setting.ts';
import { direct } from '../support/deed.ts';
import { buttonOf } from '../support/platform-traffic.ts';
import { anything, saying } from '../support/saying.ts';
import { call, resultsOf, ScriptedModel } from '../support/scripted-model.ts';
import type { TestChannel } from '../support/test-channel.ts';

test('/status tells an owner of the machine and of all channels, and others of neither', async () => {
  const { channel, workspace } = await daemonSetting({ allowFrom: ['bob'], moreChannels: [{ name: 'other' }] });
  const { text: toOwner } = await channel.ask('/status details', 'is up for', { at: 'test:ada' });
  expect(toOwner).toContain(workspace);
  expect(toOwner).toContain('other: connected');

  const { text: toBob } = await channel.ask('/status details', 'is up for', { by: 'bob', at: 'test:bob' });
  expect(toBob).not.toContain(workspace);
  expect(toBob).not.toContain('other');
  expect(toBob).toContain('test: connected');
});

/** The lines of /status about messages that were not delivered. */
async function undelivered(channel: TestChannel, by = 'ada'): Promise<readonly string[]> {
  await channel.sayAtRest('/status', { by });
  await channel.whenIdle(direct(channel.name, by));
  const report = channel.textsIn(`test:${by}`).findLast((text) => text.includes('is up for')) ?? '';
  return report.split('\n').filter((line) => line.includes('⚠️ Not delivered: '));
}

describe('/status names each message that was not delivered', () => {
  test('once, with what will happen to it, to an owner, and to the others of the chat; and not when it is over', async () => {
    const { channel } = await daemonSetting({ allowFrom: ['bob', 'eve'] });
    await channel.ask('hello', 'echo: hello', { at: 'test:ada' });
    for (const by of ['bob', 'eve']) await channel.ask('hello', 'echo: hello', { by, at: `test:${by}` });
    channel.failNext({ type: 'permanent' }, { in: 'test:bob', lasts: true });
    channel.failNext({ type: 'permanent' }, { in: 'test:eve', says: 'echo: lost', lasts: true });
    for (const by of ['bob', 'eve']) {
      await channel.say('lost', { by });
      await channel.whenIdle(direct(channel.name, by));
    }
    const line = (by: string, fate: 'held' | 'asks') =>
      expect.stringMatching(
        saying(
          statusWords.en.undeliveredLine({
            what: stubWords.en.kind('reply'),
            time: anything,
            conversationId: `\`test:${by}\``,
            fate,
            channel: 'test',
            reason: 'the platform is permanent',
          }),
        ),
      );
    const held = line('bob', 'held');
    const asking = line('eve', 'asks');
    expect(await undelivered(channel)).toEqual([asking, held]);
    expect(await undelivered(channel, 'eve')).toEqual([asking]);

    channel.recover();
    const { buttons } = await channel.sees('Not delivered', 'test:ada');
    const [retryEve, , , dropBob] = buttons[0] ?? [];
    expect(buttons[0]?.map(({ label }) => label)).toEqual(
      [1, 2].flatMap((number) => [`${stubWords.en.buttonRetry} ${number}`, `${stubWords.en.buttonDrop} ${number}`]),
    );
    expect(await channel.press(retryEve?.actionId ?? '')).toEqual({ notice: commandWords.en.triedAgain });
    await channel.sees('echo: lost', 'test:eve');
    expect(await channel.press(dropBob?.actionId ?? '')).toEqual({ notice: commandWords.en.dropped });
    expect(await channel.press(dropBob?.actionId ?? '')).toEqual({ notice: commandWords.en.noSuchMessage });
    expect(await undelivered(channel)).toEqual([]);
    expect(channel.textsIn('test:bob')).toEqual(['echo: hello']);
  });

  test('with buttons after which the list shows what still waits', async () => {
    const { channel } = await daemonSetting();
    await channel.ask('hello', 'echo: hello', { at: 'test:ada' });
    channel.failNext({ type: 'permanent' }, { says: 'echo: lost', lasts: true });
    await channel.sayAtRest('lost');
    await channel.sayAtRest('/status');
    const list = await channel.sees('Not delivered', 'test:ada');
    await channel.press(list.buttons[0]?.[1]?.actionId ?? '', { on: list.ref });
    await channel.seesAtRest('🗑 Dropped', 'test:ada');
    const now = channel.screen.find(({ ref }) => ref === list.ref);
    expect(now?.text).toContain(statusWords.en.waiting({ lines: [] }));
  });

  test('what waits for a channel that is off is sent when that is on again', async () => {
    const { setting, channel, channels } = await daemonSetting({
      allowFrom: ['bob'],
      moreChannels: [{ name: 'other' }],
    });
    const other = channels[1];
    other?.failNext({ type: 'rate-limited', retryAfter: 999_999_000 }, { lasts: true });
    await other?.say('hello', { by: 'zed' });
    await setting.clock.waitsFor(900_000);
    await setting.edit({}, { gone: ['other'] });
    expect(await undelivered(channel)).toEqual([expect.stringContaining('is sent when other is on again')]);
  });
});

test('/status names what waits for a decision where it was asked for and where its card is, and nowhere else', async () => {
  const { model, channel } = await daemonSetting({ allowFrom: ['bob', 'eve'] });
  await channel.ask('hello', 'echo: hello', { at: 'test:ada' });
  model.next([call('shell', { command: 'rm a' })]);
  await channel.say('clean up', { by: 'bob' });
  await channel.sees('Run `rm a`', 'test:ada');
  const status = async (by: string) => (await channel.ask('/status', 'is up for', { by, at: `test:${by}` })).text;
  for (const by of ['ada', 'bob'])
    expect(await status(by)).toMatch(saying(statusWords.en.waiting({ lines: ['1. 🔑 run `rm a`'] })));
  expect(await status('eve')).toContain(statusWords.en.waiting({ lines: [] }));
});

test('a saved permission holds only as long as its giver may decide, and /grants says so', async () => {
  const { setting, model, channel } = await daemonSetting({ allowFrom: ['ada', 'bob'] });
  const run = call('shell', { command: 'echo hi' });
  model.next([run], 'first', [run], 'second', [run], 'third');
  const card = await channel.cardFor('once');
  await channel.pressToSee(buttonOf(card, 'Always'), 'first');
  await channel.ask('again', 'second');

  await setting.restart({ owners: ['test:bob'], approval: { forward_to: ['test:ada'] } });
  const grant = { kind: 'always', what: anything, requester: anything, until: undefined } as const;
  await setting.channel.ask('/grants', saying(listWords.en.grantLine({ ...grant, notBy: '`test:ada`' })));
  await setting.channel.ask('and again', '**Run `echo hi`?**');
});

test('people whom the template parts have folders of their own', async () => {
  const { setting, model, channel, folder } = await daemonSetting({ allowFrom: ['bob'] });
  await setting.restart({ workspace: join(folder, 'workspaces', '{sender}'), approval: { policy: 'always_allow' } });
  for (const [by, said] of [
    ['ada', 'one'],
    ['bob', 'two'],
  ] as const) {
    model.next([call('write_file', { path: 'mine.txt', content: by })], said);
    await channel.ask('write', said, { by, in: group });
  }
  const folders = (await readdir(join(folder, 'workspaces'))).toSorted();
  expect(folders).toEqual(['test%3Aada', 'test%3Abob']);
  expect(await readFile(join(folder, 'workspaces', 'test%3Abob', 'mine.txt'), 'utf8')).toBe('bob');
});

test.each([
  ['nobody else may talk', { allow_from: [] }, './w', 0, 0],
  ['only owners are named', { allow_from: ['1'] }, './w', 0, 0],
  ['somebody else is named', { allow_from: ['1', '2'] }, './w', 0, 1],
  ['a group lets somebody else in', { groups: { '-5': { allow_from: ['2'] } } }, './w', 0, 1],
  ['somebody was let in with a code', {}, './w', 1, 1],
  ['people have folders of their own', { allow_from: ['2'] }, './w/{sender}', 1, 0],
  ['the channel is off', { allow_from: ['2'], enabled: false }, './w', 0, 0],
])('what is said at start of a shared folder when %s', (_, block, workspace, letIn, count) => {
  const warnings = sharingWarnings({ workspace, owners: ['telegram:1'], channels: { telegram: block } }, letIn);
  expect(warnings).toHaveLength(count);
  if (count > 0) expect(warnings[0]?.('en')).toBe(warningWords.en.sharedFolder({ workspace: './w' }));
});

const config = { tools: { schedule: { time_zone: 'UTC' } } };

describe('/usage', () => {
  test('says that nothing was used', async () => {
    const { channel } = await daemonSetting({ config });
    const { text } = await channel.ask('/usage', 'Used today');
    expect(text).toBe(
      ['Used today (UTC):', '- In this conversation: 0 tokens', '- For you: 0 tokens', '- Everyone: 0 tokens'].join(
        '\n',
      ),
    );
  });

  test('tells an owner of the conversation, themselves and all, by model', async () => {
    const other = new ScriptedModel('other');
    other.usage = { inputTokens: 4000, outputTokens: 1000, cost: 27_000, model: 'other' };
    const { channel, model } = await daemonSetting({ config, allowFrom: ['bob'], moreModels: { other } });
    model.usage = { inputTokens: 90, outputTokens: 10, cost: 1_500_000 };
    await channel.ask('one', 'echo: one');
    await channel.say('/model other', { in: group });
    await channel.ask('two', 'echo: [Ada] two', { in: group });
    await channel.ask('three', 'echo: three', { by: 'bob' });
    const { text } = await channel.ask('/usage', 'Used today');
    expect(text.split('\n')).toEqual([
      'Used today (UTC):',
      '- In this conversation: 100 tokens, $1.50 (scripted)',
      '- For you: 5,100 tokens, $1.53',
      '  - other: 5,000 tokens, $0.027',
      '  - scripted: 100 tokens, $1.50',
      '- Everyone: 5,200 tokens, $3.03',
      '  - other: 5,000 tokens, $0.027',
      '  - scripted: 200 tokens, $3.00',
    ]);
  });

  test('tells others of themselves alone, with the bounds that hold for them', async () => {
    const budget = { tokens_per_run: 5000, money_per_run: 0.5, tokens_per_person_per_day: 1000, money_per_day: 20 };
    const { channel, model } = await daemonSetting({ config: { ...config, budget }, allowFrom: ['bob'] });
    model.usage = { inputTokens: 90, outputTokens: 10 };
    await channel.ask('one', 'echo: one');
    await channel.ask('two', 'echo: two', { by: 'bob' });
    const { text } = await channel.ask('/usage', 'Used today', { by: 'bob', at: 'test:bob' });
    expect(text.split('\n')).toEqual([
      'Used today (UTC):',
      '- In this conversation: 100 tokens (scripted)',
      '- For you: 100 of 1,000 tokens (scripted)',
      '',
      listWords.en.perMessage({ tokens: '5,000', money: '$0.50' }),
    ]);
  });

  test.each([
    ['EUR', '€1.50', '€0.000042 of €20.00'],
    ['CNY', 'CN¥1.50', 'CN¥0.000042 of CN¥20.00'],
    ['JPY', '¥2', '¥0.000042 of ¥20'],
  ])('says amounts in the currency of the config: %s', async (currency, price, ofLimit) => {
    const { channel, model, setting } = await daemonSetting({ config: { ...config, budget: { currency } } });
    model.usage = { inputTokens: 90, outputTokens: 10, cost: 1_500_000 };
    await channel.ask('one', 'echo: one');
    await channel.ask('/usage', `- For you: 100 tokens, ${price} (scripted)`);
    await setting.restart({ budget: { currency, money_per_person_per_day: 20 } });
    setting.clock.advance(24 * 3_600_000);
    setting.model.usage = { inputTokens: 90, outputTokens: 10, cost: 42 };
    await setting.channel.ask('two', 'echo: two');
    await setting.channel.ask('/usage', `- For you: 100 tokens, ${ofLimit} (scripted)`);
  });

  test('starts over with the day of the time zone that the config names', async () => {
    // The clock of the setting stands at 22:13 UTC.
    const zone = { tools: { schedule: { time_zone: 'Asia/Tokyo' } } };
    const { channel, model, clock, setting } = await daemonSetting({ config: zone });
    model.usage = { inputTokens: 90, outputTokens: 10 };
    await channel.ask('one', 'echo: one');
    expect(setting.rows('SELECT day FROM spending')).toEqual([{ day: '2023-11-15' }]);
    clock.advance(17 * 3_600_000);
    await channel.ask('/usage', /^Used today \(Asia\/Tokyo\):\n.*\n- For you: 0 tokens/);
  });

  test('counts answers that were not kept', async () => {
    const { channel, model, setting } = await daemonSetting({ config: config });
    model.usage = { inputTokens: 90, outputTokens: 10 };
    model.next([]);
    await channel.askAtRest('one', errorWords.en.nothingSaid);
    expect(setting.rows('SELECT tokens FROM spending')).toEqual([{ tokens: 100 }]);
  });
});

const freely = {
  approval: { enabled: false },
  security: { taint: 'off' },
  tools: { shell: { deny: [] } },
};
const missing = { holds: false, reason: 'bubblewrap is missing' } as const;
const unbound = { reason: missing.reason, outlives: true };

test('where the config demands a sandbox and there is none, no command runs, and the model is told why', async () => {
  const config = { ...freely, tools: { shell: { sandbox: 'required' } } };
  const { channel, model } = await daemonSetting({ config, sandbox: missing });
  model.next([call('shell', { command: 'echo ran' })]);
  await channel.say('try');
  const [result] = resultsOf(await model.asked(2));
  expect(result).toContain(boundsErrorWords.en.noSandbox({ reason: missing.reason }));
  expect(result).not.toContain('exit code');
});

test('/status tells an owner what keeps commands in their bounds, and nobody else', async () => {
  const { channel, restart } = await shellStatus();
  const { noSandbox, sandboxMissing, modeForbids, shellLine } = statusWords.en;
  const asking = shellLine({ bounds: noSandbox({ ...unbound, asks: true }) });
  const free = shellLine({ bounds: noSandbox({ ...unbound, asks: false }) });
  expect(await restart({})).toContain(asking);
  expect(await restart({ tools: { shell: { sandbox: 'required' } } })).toContain(
    shellLine({ bounds: sandboxMissing(missing) }),
  );
  expect(await restart({ approval: { policy: 'always_allow' } })).toContain(free);
  expect(await restart({ approval: { policy: 'always_allow' }, agent: { mode: 'autonomous' } })).toContain(free);
  expect(await restart({ agent: { mode: 'autonomous' } })).toContain(asking);
  expect(await restart({ agent: { mode: 'observer' } })).toContain(
    shellLine({ bounds: modeForbids({ mode: 'observer' }) }),
  );
  expect((await channel.ask('/status details', 'is up for', { by: 'bob', at: 'test:bob' })).text).not.toContain(
    'Shell:',
  );
});

async function shellStatus() {
  const setting = await daemonSetting({ allowFrom: ['bob'], sandbox: missing });
  const restart = async (config: Readonly<Record<string, unknown>>): Promise<string> => {
    await setting.restart(config);
    await setting.channel.sayAtRest('/status details');
    return setting.channel.textsIn('test:ada').at(-1)?.replaceAll('\\', '') ?? '';
  };
  return { channel: setting.channel, restart };
}

/** A daemon with a second model, which says that it is that. From its next start on, it can choose from the others. */
async function withLocal(options: DaemonSettingOptions = {}) {
  const local = new ScriptedModel('local (qwen3)');
  local.otherwise(() => 'said by the local one');
  const others: Record<string, ScriptedModel> = { local };
  return { setting: await daemonSetting({ ...options, moreModels: others }), local, others };
}

describe('/model', () => {
  test('alone lists the models, and says which is used here and which is the default', async () => {
    const { setting } = await withLocal();
    const { channel } = setting;
    await channel.ask('/model', '- scripted: **used here**, default\n- local (qwen3)');
    await channel.ask('/model local', modelWords.en.answersHere({ model: 'local (qwen3)' }));
    await channel.ask('/model', `- scripted: default\n- local (qwen3): ${modelWords.en.chosenHere}`);
  });

  test('says so where there is nothing to choose', async () => {
    const { channel } = await daemonSetting();
    const models = [modelWords.en.modelLine({ model: 'scripted', marks: [anything] })];
    await channel.ask('/model', saying(modelWords.en.list({ models, isOnly: true })));
  });

  test('chooses for the conversation, and for no other', async () => {
    const { setting, local } = await withLocal();
    const { channel, model } = setting;
    await channel.ask('/model LOCAL', 'From now on local');
    await channel.ask('who are you?', 'said by the local one');
    await channel.ask('and here?', 'echo: [Ada] and here?', { in: group, at: 'test:team' });
    expect([local.requests.length, model.requests.length]).toEqual([1, 1]);
    expect((await channel.ask('/status', 'is up for')).text).toContain('Model: local (qwen3)');
    await channel.say('/status', { in: group });
    expect((await channel.sees('is up for', 'test:team')).text).toContain('Model: scripted');
  });

  test('is remembered over a restart and by a new conversation, until somebody chooses the default', async () => {
    const { setting, local } = await withLocal();
    const { channel } = setting;
    await channel.ask('/model local', 'From now on local');
    await setting.restart();
    await channel.ask('/new', 'A new conversation');
    await channel.ask('who are you?', 'said by the local one');
    await channel.ask('/model default', 'From now on scripted answers here.');
    await channel.ask('and now?', 'echo: and now?');
    expect(local.requests).toHaveLength(1);
    expect(setting.rows('SELECT model FROM conversations')).toEqual([{ model: null }]);
  });

  test('with a name that there is not says which there are, or which was meant', async () => {
    const { setting } = await withLocal();
    const { channel } = setting;
    const names = ['`scripted`', '`local`'];
    await channel.ask('/model lcoal', modelWords.en.noSuchModel({ name: '`lcoal`', names, meant: '`local`' }));
    await channel.ask(
      '/model something-else',
      modelWords.en.noSuchModel({ name: '`something-else`', names, meant: undefined }),
    );
    expect(setting.rows('SELECT model FROM conversations')).toEqual([{ model: null }]);
  });

  test('that is delivered twice acts once', async () => {
    const { setting } = await withLocal();
    const { channel } = setting;
    await channel.ask('/model local', 'From now on local', { key: 'k1' });
    await channel.ask('/model default', 'From now on scripted');
    await channel.sayAtRest('/model local', { key: 'k1' });
    expect(setting.rows('SELECT model FROM conversations')).toEqual([{ model: null }]);
  });

  test('may be used in a group by those who may use commands there', async () => {
    const groups = { team: { allow_from: ['*'], commands_from: ['owner'] } };
    const { setting, local } = await withLocal({ config: { channels: { test: { groups } } } });
    const { channel } = setting;
    await channel.say('/model local', { by: 'eve', in: group });
    await channel.ask('hello', 'echo: [Eve] hello', { by: 'eve', in: group, at: 'test:team' });
    expect(local.requests).toEqual([]);
    await channel.ask('/model local', 'From now on local', { in: group, at: 'test:team' });
    await channel.ask('hello again', 'said by the local one', { by: 'eve', in: group, at: 'test:team' });
  });
});

test('a message that is being answered is answered by the model that it was given to', async () => {
  const { setting, local } = await withLocal();
  const { channel, model } = setting;
  const { promise, resolve } = Promise.withResolvers<string>();
  model.next(() => promise);
  await channel.say('slowly');
  await model.asked(1);
  await channel.ask('/model local', 'From now on local');
  resolve('said by the first one');
  await channel.sees('said by the first one');
  await channel.ask('and now?', 'said by the local one');
  expect([model.requests.length, local.requests.length]).toEqual([1, 1]);
});

test('a model that the config does not have any more is replaced by the default', async () => {
  const { setting, others } = await withLocal();
  const { channel } = setting;
  await channel.ask('/model local', 'From now on local');
  await setting.stop();
  delete others.local;
  await setting.start();
  await channel.ask('who are you?', 'echo: who are you?');
  await channel.ask('/model', '- scripted: **used here**, default');
});

describe('/tools', () => {
  test('says in a few lines what the tools do, and which of them ask; all of it is behind a button', async () => {
    const { channel } = await daemonSetting();
    const list = await channel.ask('/tools', 'Tools here:');
    const { toolGroups, toolName, buttonShowAll, buttonShowLess } = toolListWords.en;
    expect(list.text.split('\n').length).toBeLessThanOrEqual(20);
    expect(list.text).toContain(`**${toolGroups.filesystem_read}**: `);
    expect(list.text).toContain(toolName({ name: '`shell`', asks: true }));
    expect(list.text).not.toContain(toolName({ name: '`read_file`', asks: true }));
    await channel.press(buttonOf(list, buttonShowAll));
    await channel.whenIdle();
    const all = channel.screen.find(({ ref }) => ref === list.ref);
    expect(all?.text).toMatch(/- `shell` \(.*\): asks first/);
    expect(all?.buttons.flat().map(({ label }) => label)).toEqual([buttonShowLess]);
  });
});
