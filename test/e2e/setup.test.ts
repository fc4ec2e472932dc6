import { chmodSync, existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import { describe, expect, test } from 'vitest';
import { slackSettingWords } from '../../channels/slack/settings/words.ts';
import { DiscordServer } from '../../packages/fakes/src/discord-server.ts';
import { SlackServer } from '../../packages/fakes/src/slack-server.ts';
import { TelegramServer } from '../../packages/fakes/src/telegram-server.ts';
import { platformWords } from '../../src/cli/doctor/platforms/words.ts';
import { doctorWords } from '../../src/cli/doctor/words.ts';
import { startCommand } from '../../src/cli/setup/wizard.ts';
import { setupWords } from '../../src/cli/setup/words.ts';
import { cliWords } from '../../src/cli/words.ts';
import { DaemonProcess } from '../support/daemon-process.ts';
import { closeServer } from '../support/loopback.ts';
import { ModelServer } from '../support/model-server.ts';
import { newFolder } from '../support/new-folder.ts';
import { variable } from './daemon-config.ts';
import { codeShown, keys, personSettingUp } from './setting-up.ts';

const say = setupWords.en;
const { enter, down, cancel } = keys;

async function modelHere() {
  const model = await ModelServer.start();
  model.onUser(/Call the tool report/, { calls: [{ name: 'report', arguments: { word: 'ready' } }] });
  return model;
}

function atTelegram(telegram: TelegramServer) {
  return { telegram: { api_root: telegram.root } };
}

describe('the first start at a terminal', () => {
  test('leads from an empty folder to the first answer in Telegram with three answers', async () => {
    await using telegram = await TelegramServer.start();
    await using model = await modelHere();
    const servers = [{ name: 'Ollama', baseUrl: model.url }];
    const person = await personSettingUp({ servers, channels: atTelegram(telegram) });
    await person.answers(say.whichModel, enter);
    await person.hears(doctorWords.en.modelCalls);
    await person.answers(say.whichChat, enter);
    await person.answers(say.tokenOfTelegram, telegram.token, enter);
    const code = await codeShown(person);
    telegram.say(501, `/start ${code}`);
    await person.hears(cliWords.en.claimed({ principal: 'telegram:501' }));
    telegram.say(501, 'hello');
    await telegram.waitForMessage(501, 'echo: hello');

    expect(person.asked).toHaveLength(3);
    expect(person.keysPressed).toBe(4);
    const [config, env] = ['config.json', '.env'].map((name) => join(person.folder, name));
    expect(readFileSync(env ?? '', 'utf8')).toBe(`TELEGRAM_BOT_TOKEN=${telegram.token}\n`);
    for (const file of [config, env]) expect(statSync(file ?? '').mode & 0o777).toBe(0o600);
    const text = readFileSync(config ?? '', 'utf8');
    expect(text).toContain(`// ${say.comments.keys.channels}\n`);
    expect(text).toContain(`"token": "${variable('TELEGRAM_BOT_TOKEN')}"`);
    expect(person.written()).not.toContain(telegram.token);
    person.type('\u0004');
    await person.ended();
  });

  test('lets the person only try the practice chat, and asks no second time', async () => {
    const person = await personSettingUp({});
    // The way up from the first choice is the last one.
    await person.answers(say.whichModel, '\u001b[A', enter);
    await person.hears('›');
    expect(person.files()).toEqual(['data', 'workspace']);
    person.type('\u0004');
    await person.ended();
    const again = await personSettingUp({ folder: person.folder });
    await again.hears('›');
    expect(again.written()).not.toContain(say.whichModel);
    again.type('\u0004');
    await again.ended();
  });

  test.each([
    ['of a machine that tests', { CI: 'true' }, '›'],
    // It has no prompt, and reads lines from the beginning.
    ['that cannot move its cursor', { TERM: 'dumb' }, cliWords.en.tryIt],
  ])('asks nothing at a terminal %s', async (_what, env, last) => {
    const person = await personSettingUp({ env });
    await person.hears(last);
    expect(person.written()).not.toContain(say.whichModel);
    person.type('\u0004');
    await person.ended();
  });

  test('speaks Chinese where the terminal does, and so does the config', async () => {
    const person = await personSettingUp({ env: { LANG: 'zh_CN.UTF-8' }, args: ['setup'] });
    // Without anything that is found: a key, a server, the practice mode.
    await person.answers(setupWords.zh.whichModel, down, down, enter);
    await person.answers(setupWords.zh.whichChat, '\u001b[A', enter);
    await person.answers(setupWords.zh.startNow, 'n');
    expect(await person.ended()).toBe(0);
    const config = readFileSync(join(person.folder, 'config.json'), 'utf8');
    expect(config).toContain(`// ${setupWords.zh.comments.keys.model}\n  "model": "offline"`);
  });
});

describe('ctrl-c', () => {
  test.each([1, 2, 3, 4])('at question %i leaves nothing behind', async (last) => {
    await using telegram = await TelegramServer.start();
    await using model = await modelHere();
    const servers = [{ name: 'Ollama', baseUrl: model.url }];
    const person = await personSettingUp({ servers, channels: atTelegram(telegram) });
    const steps = [
      [say.whichModel, enter],
      [say.whichChat, enter],
      [say.tokenOfTelegram, '123:wrong', enter],
      [say.chatFailed({ title: 'Telegram' }), enter],
    ] as const;
    for (const [question, ...pressed] of steps.slice(0, last - 1)) await person.answers(question, ...pressed);
    await person.answers(steps[last - 1]?.[0] ?? '', cancel);
    expect(await person.ended()).toBe(1);
    expect(person.written()).toContain(say.nothingWritten);
    expect(person.files()).toEqual([]);
  });

  test('where it asks whether to start leaves what is written, and tells how to start', async () => {
    const person = await personSettingUp({ args: ['setup'] });
    await person.answers(say.whichModel, down, down, enter);
    await person.answers(say.whichChat, '\u001b[A', enter);
    await person.hears(say.wrote({ path: join(person.folder, 'config.json') }));
    await person.answers(say.startNow, cancel);
    expect(await person.ended()).toBe(0);
    expect(person.written()).toContain(say.startLater({ command: startCommand() }));
    expect(person.files()).toEqual(['config.json']);
  });

  test('while a model is tried leaves nothing behind', async () => {
    await using model = await ModelServer.start();
    const { promise: never } = Promise.withResolvers<void>();
    model.otherwise({ text: 'late', until: never });
    const person = await personSettingUp({ servers: [{ name: 'llama.cpp', baseUrl: model.url }] });
    await person.answers(say.whichModel, enter);
    await model.waitForRequests(1);
    person.type(cancel);
    expect(await person.ended()).toBe(1);
    expect(person.written()).toContain(say.nothingWritten);
    expect(person.files()).toEqual([]);
  });
});

describe('the token', () => {
  test('of Telegram: a wrong one is explained, and the right one taken after it', async () => {
    await using telegram = await TelegramServer.start();
    const person = await personSettingUp({ args: ['setup'], channels: atTelegram(telegram) });
    await person.answers(say.whichModel, down, down, enter);
    await person.answers(say.whichChat, enter);
    await person.answers(say.tokenOfTelegram, 'my token', enter);
    await person.answers(say.chatFailed({ title: 'Telegram' }), enter);
    await person.answers(say.tokenOfTelegram, `1:${'x'.repeat(35)}`, enter);
    await person.hears(platformWords.en.tokenRefused.what({ platform: 'Telegram', why: '401' }));
    await person.answers(say.chatFailed({ title: 'Telegram' }), enter);
    await person.answers(say.tokenOfTelegram, ` ${telegram.token} `, enter);
    await person.hears(platformWords.en.channelOk({ bot: '@keyturn_test_bot' }));
    await person.answers(say.startNow, 'n');
    expect(await person.ended()).toBe(0);
    expect(readFileSync(join(person.folder, '.env'), 'utf8')).toBe(`TELEGRAM_BOT_TOKEN=${telegram.token}\n`);
  });

  test('of a bot that another program has set a webhook for is taken if the person wants it', async () => {
    await using telegram = await TelegramServer.start();
    telegram.setWebhook('https://example.org/hook');
    const env = { TELEGRAM_BOT_TOKEN: telegram.token };
    const person = await personSettingUp({ args: ['setup'], channels: atTelegram(telegram), env });
    await person.answers(say.whichModel, down, down, enter);
    await person.answers(say.whichChat, enter);
    await person.hears(platformWords.en.webhookSet.what({ url: 'example.org' }));
    await person.answers(say.chatFailed({ title: 'Telegram' }), down, down, enter);
    await person.hears(say.inEnvironment({ variables: ['TELEGRAM_BOT_TOKEN'] }));
    await person.answers(say.startNow, 'n');
    await person.ended();
    // What is in the environment stays there.
    expect(person.files()).toEqual(['config.json']);
  });

  test('of Slack: the app token in place of the bot token is named, and the right two are taken', async () => {
    await using slack = await SlackServer.start();
    const channels = { slack: { api_url: slack.apiUrl } };
    const person = await personSettingUp({ args: ['setup'], channels });
    await person.answers(say.whichModel, down, down, enter);
    await person.answers(say.whichChat, down, enter);
    await person.answers(say.appTokenOfSlack, slack.appToken, enter);
    await person.answers(say.botTokenOfSlack, slack.appToken, enter);
    await person.hears(slackSettingWords.en.token({ kind: 'bot', isOther: true }).split('.')[0] ?? '');
    await person.answers(say.chatFailed({ title: 'Slack' }), enter);
    await person.answers(say.appTokenOfSlack, slack.appToken, enter);
    await person.answers(say.botTokenOfSlack, slack.botToken, enter);
    await person.answers(say.startNow, 'n');
    await person.ended();
    expect(readFileSync(join(person.folder, '.env'), 'utf8')).toBe(
      `SLACK_APP_TOKEN=${slack.appToken}\nSLACK_BOT_TOKEN=${slack.botToken}\n`,
    );
  });

  test('of Slack without all scopes names those that are missing', async () => {
    const scopes = ['app_mentions:read', 'channels:history', 'chat:write', 'commands', 'files:read', 'im:history'];
    await using slack = await SlackServer.start({ workspaces: [{ scopes }] });
    const env = { SLACK_BOT_TOKEN: slack.botToken, SLACK_APP_TOKEN: slack.appToken };
    const person = await personSettingUp({ args: ['setup'], channels: { slack: { api_url: slack.apiUrl } }, env });
    await person.answers(say.whichModel, down, down, enter);
    // Its tokens are in the environment: nothing is asked for.
    await person.answers(say.whichChat, down, enter);
    await person.hears(platformWords.en.scopesMissing.what({ scopes: ['files:write', 'groups:history', 'im:write'] }));
    await person.answers(say.chatFailed({ title: 'Slack' }), cancel);
    expect(await person.ended()).toBe(1);
    expect(person.files()).toEqual([]);
  });

  test('of Discord is checked there, with the right to read messages', async () => {
    await using discord = await DiscordServer.start({});
    const { flags } = discord.application;
    discord.application.flags = 0;
    const channels = { discord: { api_url: discord.apiUrl } };
    const person = await personSettingUp({ args: ['setup'], channels });
    await person.answers(say.whichModel, down, down, enter);
    await person.answers(say.whichChat, down, down, enter);
    await person.answers(say.tokenOfDiscord, `Bot ${discord.token}`, enter);
    await person.hears(platformWords.en.intentMissing.what());
    discord.application.flags = flags;
    // The token that was typed is still known.
    await person.answers(say.chatFailed({ title: 'Discord' }), down, enter);
    await person.answers(say.startNow, 'n');
    await person.ended();
    const variables = parseEnv(readFileSync(join(person.folder, '.env'), 'utf8'));
    expect(variables.DISCORD_BOT_TOKEN).toContain(discord.token);
  });
});

describe('a model', () => {
  test('that does not answer is explained in the words of its server, and another one taken', async () => {
    await using model = await modelHere();
    await using broken = await ModelServer.start();
    broken.otherwise({ fault: { kind: 'status', status: 400, message: 'the graphics card is full' } });
    const servers = [
      { name: 'Ollama', baseUrl: broken.url },
      { name: 'Gone', baseUrl: 'http://127.0.0.1:4/v1' },
    ];
    const person = await personSettingUp({ args: ['setup'], servers });
    await person.answers(say.whichModel, enter);
    await person.hears('the graphics card is full');
    await person.answers(say.modelFailed, enter);
    // Behind the models that are found, at the end but one, is the address of another server.
    await person.answers(say.whichModel, '\u001b[A', '\u001b[A', enter);
    await person.answers(say.whichServer, model.url.replace('http://', '').replace('/v1', ''), enter);
    await person.answers(say.whichOfServer, enter);
    await person.hears(doctorWords.en.modelCalls);
    await person.answers(say.whichChat, '\u001b[A', enter);
    await person.answers(say.startNow, 'n');
    await person.ended();
    expect(readFileSync(join(person.folder, 'config.json'), 'utf8')).toContain(`"base_url": "${model.url}"`);
  });

  test('of a provider takes the key that is pasted, under another name if the environment has one that counts more', async () => {
    const [own, typed] = ['sk-of-the-environment', 'sk-ant-pasted-by-the-person'];
    // Nothing leaves this machine.
    const env = { ANTHROPIC_API_KEY: own, https_proxy: 'http://127.0.0.1:4' };
    const person = await personSettingUp({ args: ['setup'], env });
    await person.answers(say.whichModel, down, enter);
    await person.answers(say.pasteKey, typed, enter);
    await person.answers(say.modelFailed, down, down, enter);
    await person.answers(say.whichChat, '\u001b[A', enter);
    await person.answers(say.startNow, 'n');
    await person.ended();
    expect(readFileSync(join(person.folder, '.env'), 'utf8')).toBe(`KEYTURN_ANTHROPIC_API_KEY=${typed}\n`);
    const config = readFileSync(join(person.folder, 'config.json'), 'utf8');
    expect(config).toContain(`"api_key": "${variable('KEYTURN_ANTHROPIC_API_KEY')}"`);
    for (const secret of [own, typed]) expect(person.written()).not.toContain(secret);
  });

  test('of a router is asked at the router, and whose a key is that several give is asked', async () => {
    const [routed, plain] = ['sk-or-v1-pasted-by-the-person', 'sk-of-one-of-several'];
    const person = await personSettingUp({ args: ['setup'], env: { https_proxy: 'http://127.0.0.1:4' } });
    await person.answers(say.whichModel, enter);
    await person.answers(say.pasteKey, routed, enter);
    await person.hears('https://openrouter.ai/api/v1/models');
    await person.answers(say.whichModel, enter);
    await person.answers(say.pasteKey, plain, enter);
    await person.answers(say.whoseKey, down, enter);
    await person.answers(say.modelFailed, down, down, enter);
    await person.answers(say.whichChat, '\u001b[A', enter);
    await person.answers(say.startNow, 'n');
    await person.ended();
    expect(readFileSync(join(person.folder, '.env'), 'utf8')).toBe(`OPENAI_API_KEY=${plain}\n`);
    for (const secret of [routed, plain]) expect(person.written()).not.toContain(secret);
  });

  test('of a server that wants a key is found with it', async () => {
    await using server = await keyedServer('the key');
    const person = await personSettingUp({ args: ['setup'] });
    await person.answers(say.whichModel, down, enter);
    await person.answers(say.whichServer, server.url, enter);
    await person.answers(say.serverKey({ address: server.url }), 'the key', enter);
    await person.hears(doctorWords.en.modelCalls);
    await person.answers(say.whichChat, '\u001b[A', enter);
    await person.answers(say.startNow, 'n');
    await person.ended();
    expect(readFileSync(join(person.folder, '.env'), 'utf8')).toBe("MODEL_API_KEY='the key'\n");
  });
});

/** A server with one model, which calls the tool that it is offered; it refuses who does not bring the key. */
async function keyedServer(key: string) {
  const call = { index: 0, id: 'c1', type: 'function', function: { name: 'report', arguments: '{"word":"ready"}' } };
  const chunk = (delta: object, finish_reason: string | null): string =>
    `data: ${JSON.stringify({ id: 'a', model: 'm', choices: [{ index: 0, delta, finish_reason }] })}\n\n`;
  const server = createServer((request, response) => {
    if (request.headers.authorization !== `Bearer ${key}`) response.writeHead(401).end('{}');
    else if (request.method === 'GET') response.end('{ "data": [{ "id": "m" }] }');
    else {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.end(`${chunk({ tool_calls: [call] }, null)}${chunk({}, 'tool_calls')}data: [DONE]\n\n`);
    }
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : undefined;
  return { url: `http://127.0.0.1:${port}/v1`, [Symbol.asyncDispose]: () => closeServer(server) };
}

describe('what is there already', () => {
  test('stays, with its comments, and the text before is kept; a file that others can read is closed', async () => {
    await using telegram = await TelegramServer.start();
    const folder = await newFolder();
    const before = '// mine\n{\n\t"model": "offline", // no AI\n\t"owners": ["telegram:501"],\n}\n';
    writeFileSync(join(folder, 'config.json'), before);
    writeFileSync(join(folder, '.env'), '# keys\nOTHER="a\nb"\n');
    chmodSync(join(folder, '.env'), 0o644);
    const person = await personSettingUp({ folder, args: ['setup'], channels: atTelegram(telegram) });
    await person.answers(say.whichModel, enter);
    await person.answers(say.whichChat, enter);
    await person.answers(say.tokenOfTelegram, telegram.token, enter);
    await person.hears(say.keptBefore({ before: join(folder, 'config.json.bak') }));
    await person.hears(say.tightened({ path: join(folder, '.env') }));
    await person.answers(say.startNow, 'n');
    await person.ended();
    expect(readFileSync(join(folder, 'config.json.bak'), 'utf8')).toBe(before);
    const after = readFileSync(join(folder, 'config.json'), 'utf8');
    expect(after.startsWith(before.slice(0, before.lastIndexOf('}')))).toBe(true);
    expect(readFileSync(join(folder, '.env'), 'utf8')).toBe(
      `# keys\nOTHER="a\nb"\nTELEGRAM_BOT_TOKEN=${telegram.token}\n`,
    );
    expect(statSync(join(folder, '.env')).mode & 0o777).toBe(0o600);

    const again = await personSettingUp({ folder, args: ['setup'], channels: atTelegram(telegram) });
    await again.answers(say.whichModel, enter);
    await again.answers(say.whichChat, enter);
    await again.hears(say.nothingNew);
    await again.answers(say.startNow, 'n');
    await again.ended();
    expect(readFileSync(join(folder, 'config.json'), 'utf8')).toBe(after);
  });

  test('and runs takes the change over by itself', async () => {
    await using telegram = await TelegramServer.start();
    await using daemon = DaemonProcess.start({ config: { model: 'offline' }, stdin: 'pipe' });
    await daemon.waitForOutput(cliWords.en.labels.approval);
    const args = ['setup', '--config', daemon.configFile];
    const person = await personSettingUp({ folder: daemon.folder, args, channels: atTelegram(telegram) });
    await person.answers(say.whichModel, enter);
    await person.answers(say.whichChat, enter);
    await person.answers(say.tokenOfTelegram, telegram.token, enter);
    await person.hears(say.runsAlready);
    expect(await person.ended()).toBe(0);
    await daemon.waitForOutput('?start=');
  });

  test('and cannot be used is not touched', async () => {
    const folder = await newFolder();
    writeFileSync(join(folder, 'config.json'), '{ "model": ');
    const person = await personSettingUp({ folder, args: ['setup'] });
    expect(await person.ended()).toBe(78);
    expect(person.written()).toContain('config.json:1:12');
    expect(existsSync(join(folder, '.env'))).toBe(false);
  });
});
