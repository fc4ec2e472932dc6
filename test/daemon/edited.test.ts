import { readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { type Conversation, conversationId } from '../../src/contract.ts';
import { strangerWords } from '../../src/conversation/access/words.ts';
import { daemonWords } from '../../src/daemon/words.ts';
import { llmOnly } from '../../src/tools/output.ts';
import { nextAnswer } from '../conversation/writing-setting.ts';
import { type DaemonSetting, daemonSetting, group } from '../support/daemon-setting.ts';
import { direct } from '../support/deed.ts';
import { gatewaySetting } from '../support/gateway/gateway-setting.ts';
import { closeServer, listenOnLoopback } from '../support/loopback.ts';
import { RecordingTool } from '../support/recording-tool.ts';
import { call, held, resultsOf } from '../support/scripted-model.ts';
import { TestChannel } from '../support/test-channel.ts';
import { waitUntil } from '../support/wait-for.ts';

type Keys = Readonly<Record<string, unknown>>;

type Look = (setting: DaemonSetting) => Promise<string>;

/** What is said to somebody when they say something. */
async function answerTo(by: string, conversation: Conversation, { channel }: DaemonSetting): Promise<string> {
  channel.clear();
  await channel.say('hello', { by, in: conversation });
  await channel.whenIdle(conversation);
  return channel.textsIn(conversationId(conversation)).join('\n');
}

const toAda: Look = (setting) => answerTo('ada', direct('test'), setting);
const toBob: Look = (setting) => answerTo('bob', direct('test', 'bob'), setting);
const toBobInTheGroup: Look = (setting) => answerTo('bob', group, setting);

/** What the model is told in the next request. */
async function nextRequest({ channel, model }: DaemonSetting) {
  const asked = model.requests.length;
  await channel.say('hello');
  const request = await model.asked(asked + 1);
  await channel.whenIdle();
  return request;
}

const systemPrompt: Look = async (setting) => (await nextRequest(setting)).system;
const toolNames: Look = async (setting) => (await nextRequest(setting)).tools.map(({ name }) => name).join(' ');
const readFileWords: Look = async (setting) =>
  (await nextRequest(setting)).tools.find(({ name }) => name === 'read_file')?.description ?? '';

const temperature = { name: 'temperature', description: 'How warm it is.', command: 'echo 21' };
const custom_tools = [temperature];
const composed_tools = [{ name: 'greet', description: 'Greets.', action: 'Say hello.' }];
const agents = { helper: { description: 'Helps.', prompt: 'Help.' } };
const bobInTeam = { channels: { test: { groups: { team: { allow_from: ['bob'] } } } } };
const oneEcho = { tools: { rate_limits: { echo: { calls: 1, per_secs: 3600 } } } };
const fetches = { tools: { http_request: { allowed_domains: ['a.example'] } } };
const alwaysAsk = { approval: { policy: 'always_require' } };

const stranger = new RegExp(`^${strangerWords.en.unknown({ id: '`test:bob`' })}`);

/** What an edit changes at once: where to look, what is seen there before, and what is seen after. */
const effects: readonly (readonly [key: string, edit: Keys, look: Look, before: RegExp, after: RegExp])[] = [
  ['who may talk', { channels: { test: { allow_from: ['bob'] } } }, toBob, /I know/, /echo: hello/],
  ['who may talk in a group', bobInTeam, toBobInTheGroup, /^$/, /\[Bob\] hello/],
  ['owners', { owners: ['test:bob'] }, toBob, /I know/, /echo: hello/],
  ['people', { people: { Ada: ['test:ada', 'test:bob'] } }, toBob, /I know/, /echo: hello/],
  ['pairing', { pairing: { enabled: false } }, toBob, /\/pair /, stranger],
  ['a tool that is off', { tools: { web_fetch: { enabled: false } } }, toolNames, /web_fetch/, /^(?!.*web_fetch)/],
  ['tools.disabled', { tools: { disabled: ['read_*'] } }, toolNames, /read_file/, /^(?!.*read_file)/],
  ['tools.only', { tools: { only: ['echo'] } }, toolNames, /read_file/, /^echo$/],
  ['a custom tool', { custom_tools }, toolNames, /^(?!.*temperature)/, /temperature/],
  ['an agent', { agents }, toolNames, /^(?!.*delegate)/, /delegate/],
  ['a composed tool', { composed_tools }, toolNames, /^(?!.*greet)/, /greet/],
  ['http_request', fetches, toolNames, /^(?!.*http_request)/, /http_request/],
  ['the instructions', { agent: { instructions: 'Speak like a sailor.' } }, systemPrompt, /^(?!.*sailor)/s, /sailor/],
  ['the descriptions', { tools: { compact: 'always' } }, readFileWords, /\. [A-Z]/, /^[^.]+\.$/],
  ['a budget', { budget: { tokens_per_person_per_day: 1 } }, toAda, /echo: hello/, /budget|spent/],
  ['the mode', { agent: { mode: 'observer' } }, status, /assistant/, /observer/],
  ['the policy', alwaysAsk, status, /require_for_dangerous/, /always_require/],
  ['what is said of files', { workspace: '/tmp/keyturn-elsewhere' }, status, /^(?!.*elsewhere)/s, /elsewhere/],
  ['a rate limit', oneEcho, twoEchoes, /one.*two/, /one.*may be called/],
  ['where files are kept', { attachments: { folder: 'elsewhere' } }, keptFile, /received\//, /elsewhere\//],
  ['how large files may be', { attachments: { max_bytes: 1024 } }, keptFile, /a\.txt/, /larger than 1/],
  ['how answers are shown', { delivery: { stream: false } }, firstShown, /as it grows/, /at its end/],
  ['the length of results', { tools: { max_result_chars: 1_000 } }, longEcho, /^long \d{4,}$/, /^cut$/],
];

async function status({ channel }: DaemonSetting): Promise<string> {
  channel.clear();
  return (await channel.ask('/status details', 'is up for')).text;
}

async function twoEchoes({ channel, model }: DaemonSetting): Promise<string> {
  const asked = model.requests.length;
  model.next([call('echo', { message: 'one' })], [call('echo', { message: 'two' })], 'done');
  await channel.say('say both');
  const last = await model.asked(asked + 3);
  await channel.whenIdle();
  return resultsOf(last).slice(-2).join(' ');
}

/** What the model and the person are told of a file. */
async function keptFile(setting: DaemonSetting): Promise<string> {
  const { channel, model } = setting;
  channel.clear();
  await channel.say('keep this', { attachments: [channel.files.put('x'.repeat(2000), { name: 'a.txt' })] });
  await channel.whenIdle();
  return `${channel.textsIn('test:ada').join()} ${JSON.stringify(model.last.messages.at(-1))}`;
}

/** When an answer is shown. */
async function firstShown(setting: DaemonSetting): Promise<string> {
  const { channel, clock } = setting;
  const answer = nextAnswer(setting);
  await channel.say('tell me');
  await answer.write('This is the beginning of an answer,');
  const isShown = clock.waits.includes(400);
  await answer.end();
  await channel.whenIdle();
  return isShown ? 'as it grows' : 'at its end';
}

async function longEcho({ channel, model }: DaemonSetting): Promise<string> {
  const asked = model.requests.length;
  model.next([call('echo', { message: 'a'.repeat(4_000) })], 'done');
  await channel.say('say it');
  const said = resultsOf(await model.asked(asked + 2)).at(-1) ?? '';
  await channel.whenIdle();
  return said.length >= 4_000 ? `long ${said.length}` : 'cut';
}

describe('an edit of the config', () => {
  test.each(effects)('of %s holds at once, and no more when it is undone', async (key, edit, look, before, after) => {
    const setting = await daemonSetting({ config: { pairing: { enabled: true } } });
    expect(await look(setting)).toMatch(before);
    await setting.edit(edit);
    expect(await look(setting)).toMatch(after);
    await setting.edit({});
    // What was spent is spent, and a stranger is told once what to do.
    if (key !== 'a budget' && key !== 'pairing') expect(await look(setting)).toMatch(before);
  });
});

type Outcome = 'runs' | 'is refused' | 'is not decided by them';
const bobOwns = { owners: ['test:bob'], channels: { test: { allow_from: ['ada'] } } };

/** Edits that matter to what goes on, and what becomes of a call that was asked for before. */
const rules: readonly (readonly [key: string, edit: Keys, outcome: Outcome])[] = [
  ['the instructions', { agent: { instructions: 'Be brief.' } }, 'runs'],
  ['the policy, which asks no more', { approval: { policy: 'always_allow' } }, 'runs'],
  ['another tool, which is off', { tools: { disabled: ['echo'] } }, 'runs'],
  ['a custom tool', { custom_tools }, 'runs'],
  ['a composed tool', { composed_tools }, 'runs'],
  ['an agent', { agents }, 'runs'],
  ['a model', { models: { other: { provider: 'openai', name: 'any', api_key: 'key' } } }, 'runs'],
  ['a group', { channels: { test: { groups: { team: {} } } } }, 'runs'],
  ['a limit that is not reached', { budget: { tokens_per_person_per_day: 1_000_000 } }, 'runs'],
  ['the rule on taint', { security: { taint: 'deny' } }, 'runs'],
  ['what becomes of answers', { delivery: { stream: false } }, 'runs'],
  ['the tool, which is off', { tools: { disabled: ['deploy'] } }, 'is refused'],
  ['the mode, which does not let it', { agent: { mode: 'observer' } }, 'is refused'],
  ['the approvers, who are others', { approval: { approvers: ['test:bob'] } }, 'is not decided by them'],
  ['the owners, who are others', bobOwns, 'is not decided by them'],
];

test.each(rules)('while an approval waits, an edit of %s: it %s', async (_key, edit, outcome) => {
  const tool = new RecordingTool('deploy', 'shell');
  const { setting, channel, model } = await daemonSetting({ tools: [tool.registration] });
  model.next([call('deploy', { what: 'it' })]);
  const card = await channel.cardFor('deploy it');
  await setting.edit(edit);
  const { notice } = await channel.press(card);
  await channel.whenIdle();
  expect(tool.executed).toEqual(outcome === 'runs' ? ['it'] : []);
  if (outcome === 'is not decided by them') {
    expect(notice).toBeDefined();
    expect((await channel.card()).buttons).not.toEqual([]);
  } else expect(resultsOf(await model.asked(2))).toHaveLength(1);
});

describe('while an approval of a custom tool waits, an edit', () => {
  const tool = { name: 'note', description: 'Notes it.', category: 'shell', command: 'echo first > note.txt' };

  test.each<[string, Keys, string]>([
    ['of another tool leaves it alone', { custom_tools: [tool, temperature] }, 'first\n'],
    ['of its command has it not run', { custom_tools: [{ ...tool, command: 'echo second > note.txt' }] }, ''],
    ['that takes it away has it not run', { custom_tools: [] }, ''],
  ])('%s', async (_what, edit, noted) => {
    const { setting, channel, model, workspace } = await daemonSetting({ config: { custom_tools: [tool] } });
    model.next([call('note', {})]);
    const card = await channel.cardFor('note it');
    await setting.edit(edit);
    await channel.press(card);
    await channel.whenIdle();
    expect(await readFile(join(workspace, 'note.txt'), 'utf8').catch(() => '')).toBe(noted);
  });
});

describe('while it goes on, whatever is edited,', () => {
  test('a custom tool that is taken away ends as it would have', async () => {
    const command = 'touch begun; while ! test -e go; do sleep 0.01; done; echo done > note.txt';
    const tool = { name: 'note', description: 'Notes it.', category: 'memory', command };
    const setting = await daemonSetting({ config: { custom_tools: [tool] } });
    setting.model.next([call('note', {})]);
    await setting.channel.say('note it');
    const made = (name: string) => readFile(join(setting.workspace, name), 'utf8').catch(() => undefined);
    await waitUntil(async () => (await made('begun')) !== undefined);
    await setting.edit({ custom_tools: [] });
    await writeFile(join(setting.workspace, 'go'), '');
    expect(resultsOf(await setting.model.asked(2))).toEqual([expect.stringContaining('exit code 0')]);
    expect(await made('note.txt')).toBe('done\n');
  });

  test.each(rules)('a tool ends as it would have (%s)', async (_key, edit) => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const tool = new RecordingTool('deploy', 'memory', async () => {
      await promise;
      return llmOnly('deployed');
    });
    const setting = await daemonSetting({ tools: [tool.registration] });
    setting.model.next([call('deploy', { what: 'it' })]);
    await setting.channel.say('deploy it');
    await tool.ran(1);
    await setting.edit(edit);
    resolve();
    expect(resultsOf(await setting.model.asked(2))).toEqual(['deployed']);
    expect(tool.executed).toEqual(['it']);
  });

  test.each(rules)('an answer is written to its end (%s)', async (_key, edit) => {
    const setting = await daemonSetting({ channel: { streams: true } });
    const answer = held('the whole answer');
    setting.model.next(answer.script);
    await setting.channel.say('tell me');
    await setting.model.asked(1);
    await setting.edit(edit);
    answer.release();
    await setting.channel.sees('the whole answer');
    expect(setting.model.requests).toHaveLength(1);
  });
});

describe('of channels', () => {
  const other = { channels: { test: {}, other: { allow_from: ['ada'] } } };

  test('one is added, exchanged and taken away, and the other stays as it is', async () => {
    const setting = await daemonSetting({ config: { channels: { test: {} } }, moreChannels: [{ name: 'other' }] });
    const [, second] = setting.channels;
    const third = new TestChannel({ name: 'other' });
    const ended: string[] = [];
    for (const [name, channel] of Object.entries({ first: setting.channel, second, third }))
      if (channel !== undefined) channel.sessions.onStop = async () => void ended.push(name);
    expect(setting.channel.sessions.hosts.length).toBe(1);
    await setting.edit(other, { made: new Map([['other', third]]) });
    await third.ask('hello', 'echo: hello', { at: 'other:ada' });
    expect(ended).toEqual(['second']);
    await setting.edit({ channels: { test: {} } }, { gone: ['other'] });
    expect(ended).toEqual(['second', 'third']);
    expect((await setting.channel.ask('/status', 'is up for')).text).not.toContain('other');
    expect(setting.channel.sessions.hosts).toHaveLength(1);
    expect(setting.endings).toEqual([]);
  });

  test('one that cannot be started is tried again, and nothing else is touched', async () => {
    const setting = await daemonSetting({ config: { channels: { test: {} } }, moreChannels: [{ name: 'other' }] });
    const broken = new TestChannel({ name: 'other' });
    broken.sessions.onStart = () => Promise.reject(new Error('no such host'));
    await setting.edit(other, { made: new Map([['other', broken]]) });
    broken.sessions.onStart = async () => {};
    setting.clock.advance(6_000);
    await expect.poll(async () => await broken.say('hello')).toBeDefined();
    await broken.sees('echo: hello');
  });
});

test('a gateway is opened, moved and closed by edits; where its port is taken, `/status` says so, and the next edit mends it', async () => {
  const other = createServer();
  onTestFinished(() => closeServer(other));
  const port = await listenOnLoopback(other);
  const setting = await daemonSetting();
  await setting.channel.ask('hello', 'echo: hello');
  await setting.edit({ gateway: { enabled: true, port } });
  expect((await setting.channel.ask('/status', 'is up for')).text).toMatch(/device.*Another program listens/);
  await setting.edit({ gateway: { enabled: true, port: 0 } });
  const ready = await fetch(`${setting.gatewayAddress}/readyz`);
  expect(await ready.json()).toEqual({ status: 'ready', storage: 'ok', config: 'ok', channels: { test: 'connected' } });
  const { gatewayAddress } = setting;
  await setting.edit({});
  await expect(fetch(`${gatewayAddress}/readyz`)).rejects.toThrow('fetch failed');
});

test('as long as the file of the config is faulty, /readyz and /status say so, and owners are told when it is and when no more', async () => {
  const { setting, channel } = await daemonSetting({ config: { gateway: { enabled: true, port: 0 } } });
  await channel.ask('hello', 'echo: hello');
  const ready = async (): Promise<unknown> => (await fetch(`${setting.gatewayAddress}/readyz`)).json();
  setting.configFault('Not usable.\nconfig.json:1:1 is no config.\nconfig.json:2:1 neither.');
  await channel.sees('⚠️ Not usable.\n\nconfig.json:1:1 is no config.\n\nconfig.json:2:1 neither.');
  expect(await ready()).toMatchObject({ config: 'its file is faulty: the last one that worked holds' });
  expect(await status(setting)).toContain('config.json:1:1 is no config.');
  setting.configFault(undefined);
  await channel.sees(daemonWords.en.configInOrder);
  expect(await ready()).toMatchObject({ config: 'ok' });
  expect(await status(setting)).not.toContain('config.json:1:1');
});

test('who may not talk any more after an edit is disconnected, and the others are not', async () => {
  const setting = await gatewaySetting({ config: { channels: { test: { allow_from: ['bob'] } } } });
  const [ada, bob] = [await setting.device(), await setting.device({ token: await setting.token('phone', 'bob') })];
  await setting.daemon.edit({ channels: { test: { allow_from: [] } } });
  expect(await bob.whenClosed()).toBe(1008);
  expect(ada.closed).toBeUndefined();
});

test('an owner with several accounts is told once, where they wrote last, and another owner as well', async () => {
  const people = { Ada: ['test:ada', 'test:ada2'] };
  const setting = await daemonSetting({ config: { owners: ['test:ada', 'test:bob'], people } });
  const { channel, clock } = setting;
  for (const by of ['ada', 'bob', 'ada2']) {
    await channel.say('hello', { by });
    await channel.whenIdle(direct('test', by));
    clock.advance(1);
  }
  setting.configFault('Not usable.');
  await channel.sees('Not usable', 'test:ada2');
  await channel.sees('Not usable', 'test:bob');
  await channel.say('hello', { by: 'ada' });
  await channel.whenIdle();
  setting.configFault(undefined);
  await channel.sees('in order again', 'test:ada');
  await channel.sees('in order again', 'test:bob');
  const told = channel.screen.filter(({ text }) => text.includes('Not usable') || text.includes('in order again'));
  expect(told.map(({ conversationId: at }) => at).toSorted()).toEqual([
    'test:ada',
    'test:ada2',
    'test:bob',
    'test:bob',
  ]);
});

test('what the chat where an owner was heard last refuses is told once in another one, until they are heard there', async () => {
  const people = { Ada: ['test:ada', 'test:ada2'] };
  const setting = await daemonSetting({ config: { owners: ['test:ada'], people } });
  const { channel, clock } = setting;
  for (const by of ['ada', 'ada2']) {
    await channel.say('hello', { by });
    await channel.whenIdle(direct('test', by));
    clock.advance(1);
  }
  channel.failNext({ type: 'permanent' }, { of: 'send', lasts: true, in: 'test:ada2' });
  setting.configFault('Not usable.');
  await channel.sees('Not usable', 'test:ada');
  setting.configFault('Still not usable.');
  await channel.sees('Still not usable', 'test:ada');
  channel.recover();
  clock.advance(1);
  await channel.say('hello', { by: 'ada2' });
  await channel.whenIdle(direct('test', 'ada2'));
  setting.configFault(undefined);
  await channel.sees('in order again', 'test:ada2');
  for (const by of ['ada', 'ada2']) await channel.whenIdle(direct('test', by));
  const told = channel.screen.filter(({ text }) => /usable|in order again/.test(text));
  expect(told.map(({ conversationId: at, text }) => [at, text])).toEqual([
    ['test:ada', '⚠️ Not usable.'],
    ['test:ada', '⚠️ Still not usable.'],
    ['test:ada2', daemonWords.en.configInOrder],
  ]);
});
