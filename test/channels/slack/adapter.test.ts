import { describe, expect, onTestFinished, test } from 'vitest';
import { slack as channel } from '../../../channels/slack/index.ts';
import { slackWords } from '../../../channels/slack/words.ts';
import { SlackServer } from '../../../packages/fakes/src/slack-server.ts';
import type { OutboundMessage } from '../../../src/contract.ts';
import { RecordingHost } from '../../support/recording-host.ts';
import { waitUntil } from '../../support/wait-for.ts';

/** An adapter that is not started, and the direct conversation of a person with the bot. */
async function adapterSetting(overrides: object = {}, timeScale = 0.1) {
  const slack = await SlackServer.start({ timeScale, pingMs: 100 });
  onTestFinished(() => slack.close());
  const { botToken: bot_token, appToken: app_token, apiUrl: api_url } = slack;
  const adapter = channel.create({ enabled: true, bot_token, app_token, api_url, ...overrides });
  onTestFinished(() => adapter.stop());
  const chatId = slack.home.addDirect('U00000001');
  const { teamId: tenant } = slack.home.installation;
  const direct = { channel: 'slack', tenant, chatId, kind: 'direct' } as const;
  return { slack, adapter, host: new RecordingHost(), direct };
}

async function connectedSetting(...given: Parameters<typeof adapterSetting>) {
  const setting = await adapterSetting(...given);
  await setting.adapter.start(setting.host);
  await setting.host.is('connected');
  return setting;
}

const reply = (markdown: string): OutboundMessage => ({ id: markdown.replaceAll(/\W/g, ''), kind: 'reply', markdown });

describe('the adapter', () => {
  test('does not say that it thinks beside a text that grows', async () => {
    const { slack, adapter } = await connectedSetting();
    const { channel: chatId, ts: threadId } = slack.people.openAssistant('U00000001');
    const { teamId: tenant } = slack.home.installation;
    const thread = { channel: 'slack', tenant, chatId, threadId, kind: 'direct' } as const;
    await adapter.showTyping?.(thread);
    const ref = await adapter.send(thread, { ...reply('It is'), written: 'It is well ' });
    await adapter.showTyping?.(thread);
    expect(slack.home.statuses).toHaveLength(1);
    await adapter.edit?.(thread, ref, reply('It is well known.'));
    await adapter.showTyping?.(thread);
    expect(slack.home.statuses).toHaveLength(2);
  });

  test('ends what grows when it is stopped, or does not wait for long', async () => {
    const { slack, adapter, host } = await connectedSetting();
    const { channel: chatId, ts: threadId } = slack.people.openAssistant('U00000001');
    const thread = {
      channel: 'slack',
      tenant: slack.home.installation.teamId,
      chatId,
      threadId,
      kind: 'direct',
    } as const;
    const { id } = await adapter.send(thread, { ...reply('It is'), written: 'It is well ' });
    slack.fault({ method: 'chat.stopStream', kind: 'hang' });
    const stopped = adapter.stop();
    await slack.waitFor(() => slack.callsOf('chat.stopStream').some(({ params }) => params.ts === id));
    host.clock.advance(1_500);
    await stopped;
    slack.release();
  });

  test('does not wait for Slack to deliver again what was said while no socket was ready', async () => {
    const { slack, adapter, host, direct } = await adapterSetting({}, 1);
    host.knownConversations = [direct];
    await adapter.start(host);
    await host.is('connected');
    slack.sockets.disconnect('refresh_requested');
    const { deliveries } = slack.say(direct.chatId, 'hello');
    await host.hears('hello');
    expect(deliveries.map(({ state }) => state)).toEqual(['waiting']);
  });

  test('brings what was said while it was stopped and Slack had given it up', async () => {
    const { slack, adapter, direct } = await connectedSetting({}, 0.001);
    await adapter.stop();
    await slack.waitFor(() => slack.sockets.count === 0);
    slack.say(direct.chatId, 'is anybody there?');
    await slack.waitFor(() => slack.lost.length === 1);
    const next = new RecordingHost();
    next.knownConversations = [direct];
    await adapter.start(next);
    await next.is('connected');
    await next.hears('is anybody there?');
  });

  test('brings it as soon as it can be stored, however long that takes', async () => {
    const { slack, adapter, host, direct } = await adapterSetting();
    slack.say(direct.chatId, 'is anybody there?');
    host.clock.advance(600_000);
    host.knownConversations = [direct];
    host.leftAt = host.clock.now() - 3_600_000;
    let isFull = true;
    let isStored = false;
    host.store = async () => {
      if (isFull) throw new Error('The disk is full.');
      isStored = true;
      return {};
    };
    await adapter.start(host);
    const passing = (look: () => boolean) => () => {
      host.clock.advance(5_000);
      return look();
    };
    const isGivenUp = (): boolean => host.logged.some((line) => line.includes('meanwhile could'));
    await waitUntil(passing(isGivenUp), { what: 'it to be given up for now' });
    isFull = false;
    await waitUntil(
      passing(() => isStored),
      { what: 'it to be stored' },
    );
  });

  test('does not send twice what may have been sent before it was started again', async () => {
    const { slack, adapter, host, direct } = await connectedSetting();
    slack.fault({ method: 'chat.postMessage', kind: 'drop-after', times: 1 });
    await expect(adapter.send(direct, reply('hi'))).rejects.toMatchObject({ fault: { type: 'ambiguous' } });
    await adapter.stop();
    const next = new RecordingHost(host.clock);
    await adapter.start(next);
    await next.is('connected');
    await adapter.send(direct, reply('hi'));
    expect(slack.chat(direct.chatId).map(({ text }) => text)).toEqual(['hi']);
  });

  test('is dead soon after Slack has refused the token for something, also when it was started again', async () => {
    const { slack, adapter, direct } = await connectedSetting();
    await adapter.send(direct, reply('hi'));
    await adapter.stop();
    const next = new RecordingHost();
    await adapter.start(next);
    await next.is('connected');
    slack.fault({ method: '*', kind: 'error', error: 'token_revoked' });
    await expect(adapter.send(direct, reply('hello'))).rejects.toMatchObject({ fault: { type: 'auth' } });
    await waitUntil(() => next.health?.status === 'dead', { what: 'the connection to be dead' });
  });

  test('refuses to send for now while it is not known where the token belongs, and for good where no token does', async () => {
    const { adapter, host, direct } = await adapterSetting();
    await expect(adapter.send(direct, reply('hi'))).rejects.toMatchObject({ fault: { type: 'transient' } });
    await adapter.start(host);
    await expect(adapter.send(direct, reply('hi'))).rejects.toMatchObject({ fault: { type: 'transient' } });
    await host.is('connected');
    const elsewhere = { ...direct, tenant: 'T00ELSEWHERE' };
    await expect(adapter.send(elsewhere, reply('hi'))).rejects.toMatchObject({ fault: { type: 'permanent' } });
  });

  test('gives the address of its direct chat as soon as it knows the app', async () => {
    const { adapter, host } = await adapterSetting();
    expect(adapter.startLink?.('CODE')).toBeUndefined();
    await adapter.start(host);
    await host.is('connected');
    expect(adapter.startLink?.('CODE')).toEqual({
      url: 'https://slack.com/app_redirect?app=A00000001&team=T00000001',
      sendsCode: false,
    });
  });

  test('marks nothing where the operator has not granted it', async () => {
    const { slack, adapter, host, direct } = await adapterSetting();
    slack.home.grant(slack.home.scopes.filter((scope) => scope !== 'reactions:write'));
    await adapter.start(host);
    await host.is('connected');
    const { ts } = slack.say(direct.chatId, 'hello');
    await adapter.mark?.(direct, ts, 'seen');
    expect(slack.callsOf('reactions.add')).toEqual([]);
  });

  test('marks messages in channels by default, and stops where it may not', async () => {
    const { slack, adapter, host, direct } = await connectedSetting();
    const { chatId = '' } = direct;
    const said = slack.say('C00GENERAL', 'hello');
    const group = { ...direct, chatId: 'C00GENERAL', kind: 'group' as const };
    for (const mark of ['seen', 'working', 'done'] as const) {
      await adapter.mark?.(direct, slack.say(chatId, 'hello').ts, mark);
      await adapter.mark?.(group, said.ts, mark);
    }
    expect(slack.callsOf('reactions.add').map(({ params }) => params.name)).toEqual(['eyes', 'white_check_mark']);
    expect(slack.chat('C00GENERAL').at(-1)?.reactions).toEqual(['white_check_mark']);
    slack.fault({ method: 'reactions.add', kind: 'error', error: 'no_permission' });
    for (const text of ['a', 'b', 'c']) await adapter.mark?.(group, slack.say('C00GENERAL', text).ts, 'seen');
    expect(slack.callsOf('reactions.add')).toHaveLength(3);
    expect(host.logged.filter((line) => line.startsWith('messages there cannot be marked'))).toHaveLength(1);
  });

  test('reacts by the name of an emoji, in place of the mark, and says so where it is none', async () => {
    const { slack, adapter, direct } = await connectedSetting();
    const { ts } = slack.say('C00GENERAL', 'hello');
    const group = { ...direct, chatId: 'C00GENERAL', kind: 'group' as const };
    await adapter.mark?.(group, ts, 'seen');
    expect([await adapter.react?.(group, ts, '👍🏽'), await adapter.react?.(group, ts, '👍')]).toEqual([
      ':thumbsup:',
      ':thumbsup:',
    ]);
    expect(await adapter.react?.(group, ts, ':tada:')).toBe(':tada:');
    expect(slack.chat('C00GENERAL').at(-1)?.reactions).toEqual(['thumbsup', 'tada']);
    for (const emoji of ['🪿', 'no_such_name'])
      await expect(adapter.react?.(group, ts, emoji)).rejects.toThrow(slackWords.en.noSuchReaction);
  });

  test('marks nothing where the config says so', async () => {
    const { adapter } = await adapterSetting({ reactions: false });
    expect(adapter.mark).toBeUndefined();
  });

  test.each([true, false])('lets messages grow where the config says so: %s', async (native_streaming) => {
    const { adapter } = await adapterSetting({ native_streaming });
    expect(adapter.capabilities.grows).toBe(native_streaming);
  });
});
