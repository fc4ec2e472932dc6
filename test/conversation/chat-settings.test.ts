import { describe, expect, test } from 'vitest';
import { settings as slack } from '../../channels/slack/settings.ts';
import { settings as telegram } from '../../channels/telegram/settings.ts';
import { warningWords } from '../../src/config/warnings/words.ts';
import type { Conversation } from '../../src/contract.ts';
import { createChatSettings } from '../../src/conversation/access/chat-settings.ts';
import { modelWords } from '../../src/conversation/commands/model/words.ts';
import { toolListWords } from '../../src/conversation/commands/reports/tools/words.ts';
import { statusWords } from '../../src/conversation/commands/reports/words.ts';
import { deploySetting } from '../engine/deploy-setting.ts';
import { daemonSetting, group } from '../support/daemon-setting.ts';
import { noTool } from '../support/no-tool.ts';
import { anything, saying } from '../support/saying.ts';
import { call, resultsOf, ScriptedModel, type ScriptedRequest } from '../support/scripted-model.ts';
import { allWarnings, wholeSchema } from '../support/whole-schema.ts';

const inTeam = { in: group, at: 'test:team' };
/** As /status names it. */
const teamKey = '`chats["test:team"]`';
const namesIn = ({ tools }: ScriptedRequest): readonly string[] => tools.map(({ name }) => name);

describe('the entry of a chat', () => {
  test.each<[string, Partial<Conversation>, readonly string[], string | undefined]>([
    ['a chat', {}, ['telegram:-1', 'telegram'], 'telegram:-1'],
    ['another chat', { chatId: '-2' }, ['telegram:-1'], undefined],
    ['a channel', { chatId: '-2' }, ['telegram:-1', 'telegram'], 'telegram'],
    ['a topic', { threadId: '7' }, ['telegram:-1', 'telegram:-1/7'], 'telegram:-1/7'],
    ['another topic', { threadId: '8' }, ['telegram:-1', 'telegram:-1/7'], 'telegram:-1'],
    ['a topic, as logs name it', { threadId: '7' }, ['telegram:-1', 'telegram:-1:#7'], 'telegram:-1:#7'],
    ['a chat, not its topic', {}, ['telegram:-1/7'], undefined],
    ['a chat whose id begins alike', { chatId: '-12' }, ['telegram:-1'], undefined],
    ['a person', { kind: 'direct', chatId: '42' }, ['telegram:42'], 'telegram:42'],
    ['another platform', { channel: 'slack' }, ['telegram:-1', 'telegram'], undefined],
    ['Slack without the workspace', { ...inSlack() }, ['slack:C1'], 'slack:C1'],
    ['Slack with the workspace', { ...inSlack() }, ['slack:C1', 'slack:T1/C1'], 'slack:T1/C1'],
    ['the whole workspace', { ...inSlack() }, ['slack', 'slack:T1'], 'slack:T1'],
    ['a workspace of others', { ...inSlack(), tenant: 'T2' }, ['slack:T1/C1', 'slack:T1'], undefined],
    ['a thread of Slack', { ...inSlack(), threadId: '17.5' }, ['slack:C1', 'slack:C1/17.5'], 'slack:C1/17.5'],
    ['a name of an object', { chatId: 'constructor' }, [], undefined],
    ['Chinese ids', { chatId: '团队' }, ['telegram:团队'], 'telegram:团队'],
  ])('of %s is the narrowest that names it', (_what, conversation, keys, key) => {
    expect(held(keys, { channel: 'telegram', chatId: '-1', kind: 'group', ...conversation })?.key).toBe(key);
  });

  test('is found under the former id of a chat, unless the new one is named', () => {
    const moved = { channel: 'telegram', chatId: '-1001', kind: 'group' } as const;
    expect(held(['telegram:-1'], moved, ['-1'])?.key).toBe('telegram:-1');
    expect(held(['telegram:-1', 'telegram:-1001'], moved, ['-1'])?.key).toBe('telegram:-1001');
    expect(held(['telegram:-1/7'], { ...moved, threadId: '7' }, ['-1'])?.key).toBe('telegram:-1/7');
  });

  test('of a channel that is off is warned of', () => {
    const config = wholeSchema({ telegram, slack }).parse({ chats: { 'slack:C1': {}, telegram: {} } });
    expect(allWarnings(config, '/k/config.json').filter((warning) => warning.startsWith('chats'))).toEqual([
      warningWords.en.chatOff({ chat: 'slack:C1' }),
      warningWords.en.chatOff({ chat: 'telegram' }),
    ]);
  });
});

describe('the instructions of a chat', () => {
  test('are read there and in its threads, and nowhere else', async () => {
    const config = {
      agent: { instructions: 'Be brief.' },
      chats: { 'test:team': { prompt: 'You are Captain Hook.' }, 'test:team/t1': { prompt: '你是诗人。' } },
    };
    const { channel, model } = await daemonSetting({ config });
    await channel.ask('hello', 'hello', inTeam);
    await channel.ask('hello', 'hello', { in: { ...group, threadId: 't1' }, at: 'test:team:#t1' });
    await channel.ask('hello', 'hello', { in: { ...group, threadId: 't2' }, at: 'test:team:#t2' });
    await channel.ask('hello', 'echo: hello');
    const [main, inThread, inOther, direct] = model.requests.map(({ system }) => system);
    expect(main).toMatch(/Be brief\.\nYou are Captain Hook\.$/);
    expect(inThread).toMatch(/Be brief\.\n你是诗人。$/);
    expect(inOther).toMatch(/Be brief\.\nYou are Captain Hook\.$/);
    expect(direct).toMatch(/Be brief\.$/);
  });

  test('are the same bytes in each request, and an edit holds from the next message', async () => {
    const { setting, channel, model } = await daemonSetting({ config: { chats: { 'test:team': { prompt: 'One.' } } } });
    await channel.ask('a', 'echo: [Ada] a', inTeam);
    await channel.ask('b', 'echo: [Ada] b', inTeam);
    await setting.edit({ chats: { 'test:team': { prompt: 'Two.' } } });
    await channel.ask('c', 'echo: [Ada] c', inTeam);
    await setting.edit({ chats: {} });
    await channel.ask('d', 'echo: [Ada] d', inTeam);
    const [a, b, c, d] = model.requests.map(({ system }) => system);
    expect(b).toBe(a);
    expect(a?.replace(/One\.$/, 'Two.')).toBe(c);
    expect(`${d}\nOne.`).toBe(a);
  });

  test('are told of in /status and /context, without their words', async () => {
    const { channel } = await daemonSetting({
      config: { agents: { scout: {} }, chats: { 'test:team': { prompt: 'A secret plan.', agent: 'scout' } } },
    });
    await channel.ask('hello', 'hello', inTeam);
    const status = await channel.ask('/status details', 'This chat:', inTeam);
    const agent = { name: '`scout`', isGone: false };
    expect(status.text).toContain(statusWords.en.chatLine({ key: teamKey, agent, has: ['instructions'] }));
    expect(status.text).not.toContain('A secret plan.');
    await channel.ask('/context', 'Instructions, with those of `chats["test:team"]`', inTeam);
    const elsewhere = await channel.ask('/status details', 'is up', { at: 'test:ada' });
    expect(elsewhere.text).not.toContain('This chat:');
  });
});

describe('the model of a chat', () => {
  test('answers there, until people choose another, and again after /model default', async () => {
    const [small, big] = [new ScriptedModel('small'), new ScriptedModel('big')];
    const config = { chats: { 'test:team': { model: 'small' } } };
    const { channel, model } = await daemonSetting({ config, moreModels: { small, big } });
    const asked = () => [model, small, big].map(({ requests }) => requests.length);
    const { usedHere, chosenHere, setForChat } = modelWords.en;
    const statusOf = (label: string, chosenBy: 'chat' | 'people') =>
      statusWords.en.model({ label, chosenBy, answered: undefined, fault: undefined });
    await channel.ask('a', 'echo: [Ada] a', inTeam);
    await channel.ask('b', 'echo: b');
    expect(asked()).toEqual([1, 1, 0]);
    await channel.ask('/model', `small: ${usedHere}, ${setForChat({ key: teamKey })}`, inTeam);
    await channel.ask('/status details', statusOf('small', 'chat'), inTeam);
    await channel.ask('/model big', 'From now on big answers here', inTeam);
    await channel.ask('c', 'echo: [Ada] c', inTeam);
    await channel.ask('/model', `big: ${chosenHere}`, inTeam);
    await channel.ask('/status details', statusOf('big', 'people'), inTeam);
    expect(asked()).toEqual([1, 1, 1]);
    await channel.ask('/model default', 'From now on small answers here', inTeam);
    await channel.ask('d', 'echo: [Ada] d', inTeam);
    expect(asked()).toEqual([1, 2, 1]);
  });

  test('writes its summaries, and is that of its agent if it names none', async () => {
    const small = new ScriptedModel('small');
    const config = { agents: { scout: { model: 'small' } }, chats: { 'test:team': { agent: 'scout' } } };
    const { channel, model } = await daemonSetting({ config, moreModels: { small } });
    for (const word of ['a', 'b', 'c', 'd']) await channel.ask(word, `echo: [Ada] ${word}`, inTeam);
    small.next('They said letters.');
    await channel.ask('/compact', 'Summarised', inTeam);
    await channel.ask('/context', 'for small', inTeam);
    expect([model.requests.length, small.requests.length]).toEqual([0, 5]);
  });

  test('comes after a choice of people that the config no longer has', async () => {
    const [small, big] = [new ScriptedModel('small'), new ScriptedModel('big')];
    const options = { config: { chats: { 'test:team': { model: 'small' } } }, moreModels: { small, big } };
    const { setting, channel } = await daemonSetting(options);
    await channel.ask('/model big', 'From now on big', inTeam);
    setting.tamper(`UPDATE conversations SET model = 'gone' WHERE id = 'test:team'`);
    await channel.ask('a', 'echo: [Ada] a', inTeam);
    expect(small.requests).toHaveLength(1);
  });
});

describe('the agent of a chat', () => {
  const chats = { 'test:team': { agent: 'reader' } };

  test('limits the tools there, and nowhere else', async () => {
    const config = { agents: { reader: { tools: ['read_*'] } }, chats };
    const { channel, model } = await deploySetting({ config });
    model.next([call('deploy', { what: 'site' })], 'No.');
    await channel.ask('deploy it', 'No.', inTeam);
    await channel.ask('hello', 'echo: hello');
    const [asked, again, elsewhere] = model.requests;
    expect(asked && namesIn(asked)).toEqual(['read_document', 'read_file']);
    expect(again && resultsOf(again)[0]).toContain(noTool('deploy'));
    expect(elsewhere && namesIn(elsewhere)).toContain('deploy');
    expect((await channel.ask('/tools', 'Tools here:', inTeam)).text).not.toContain('`deploy`');
  });

  test('of a topic stands in for that of its chat', async () => {
    const agents = { reader: { tools: ['read_file'] }, writer: { tools: ['write_file'] } };
    const config = { agents, chats: { ...chats, 'test:team/t1': { agent: 'writer' } } };
    const { channel, model } = await daemonSetting({ config });
    await channel.ask('hello', 'hello', { in: { ...group, threadId: 't1' }, at: 'test:team:#t1' });
    expect(namesIn(model.last)).toEqual(['write_file']);
  });

  test('that is gone leaves no tools, and the strictest mode', async () => {
    const { setting, channel, model, deploy } = await deploySetting({ config: { agents: { reader: {} }, chats } });
    await setting.edit({ agents: {}, chats });
    model.next([call('deploy', { what: 'site' })], 'No.');
    await channel.ask('deploy it', 'No.', inTeam);
    const status = await channel.ask('/status details', 'Mode: observer', inTeam);
    const agent = { name: '`reader`', isGone: true };
    expect(status.text).toContain(statusWords.en.chatLine({ key: teamKey, agent, has: [] }));
    await channel.ask('hello', 'echo: hello');
    const [asked, , elsewhere] = model.requests;
    expect(asked && namesIn(asked)).toEqual([]);
    expect(deploy.executed).toEqual([]);
    expect(elsewhere && namesIn(elsewhere)).toContain('deploy');
  });

  test('makes the mode stricter, and cannot loosen it', async () => {
    const config = { agents: { reader: { mode: 'observer' } }, chats };
    const { channel, model, deploy } = await deploySetting({ config });
    model.next([call('deploy', { what: 'site' })], 'No.');
    await channel.ask('deploy it', 'No.', inTeam);
    expect(deploy.executed).toEqual([]);
    await channel.ask('/status details', 'Mode: observer', inTeam);
    const forbidden = toolListWords.en.toolLine({
      name: '`deploy`',
      source: anything,
      category: anything,
      permission: 'off',
      used: undefined,
    });
    await channel.ask('/tools all', saying(forbidden), inTeam);

    const loose = { agent: { mode: 'observer' }, agents: { reader: { mode: 'autonomous' } }, chats };
    const other = await deploySetting({ config: loose });
    other.model.next([call('deploy', { what: 'site' })], 'No.');
    await other.channel.ask('deploy it', 'No.', inTeam);
    expect(other.deploy.executed).toEqual([]);
  });

  test('asks a person as everywhere: nothing is approved by it', async () => {
    const { channel, model, deploy } = await deploySetting({
      config: { agents: { reader: { tools: ['deploy'] } }, chats },
    });
    model.next([call('deploy', { what: 'site' })], 'Done.');
    const card = await channel.cardFor('deploy it', inTeam);
    expect(deploy.executed).toEqual([]);
    await channel.pressToSee(card, 'Done.', inTeam);
    expect(deploy.executed).toHaveLength(1);
  });

  test('works in its own folder', async () => {
    const { setting, channel, model } = await daemonSetting();
    await setting.edit({ agents: { reader: { workspace: `${setting.folder}/lair` } }, chats });
    await setting.write('a.txt', 'outside');
    model.next([call('list_dir', { path: '.' })], 'Nothing.');
    await channel.ask('what is there?', 'Nothing.', inTeam);
    expect(resultsOf(model.last).join()).not.toContain('a.txt');
    model.next([call('list_dir', { path: '.' })], 'A file.');
    await channel.ask('what is there?', 'A file.');
    expect(resultsOf(model.last).join()).toContain('a.txt');
  });
});

function inSlack() {
  return { channel: 'slack', tenant: 'T1', chatId: 'C1' } as const;
}

function held(keys: readonly string[], conversation: Conversation, formerChats: readonly string[] = []) {
  const { chats, agents } = wholeSchema({ telegram, slack }).parse({
    chats: Object.fromEntries(keys.map((key) => [key, { prompt: 'x' }])),
  });
  return createChatSettings({ config: { chats, agents }, formerChats: () => formerChats }).of(conversation);
}
