import { describe, expect, test } from 'vitest';
import type { Receipt } from '../../../src/contract.ts';
import { RecordingHost } from '../../support/recording-host.ts';
import { waitUntil } from '../../support/wait-for.ts';
import { connected, openBench, pass } from './bench.ts';

const ada = 42;

describe('receiving', () => {
  test('takes what was said before and after the start, in its order', async () => {
    const { server, host, connect } = await openBench();
    server.say(ada, 'one');
    server.say(ada, 'two');
    await connect();
    await connected(host);
    server.say(ada, 'three');
    await waitUntil(() => host.received.length === 3);
    expect(host.words).toEqual(['one', 'two', 'three']);
    expect(host.health).toEqual({ status: 'connected', account: '@keyturn_test_bot' });
    expect(server.callsOf('deleteWebhook').map(({ params }) => params)).toEqual([{ drop_pending_updates: false }]);
    for (const { params } of server.callsOf('getUpdates'))
      expect(params.allowed_updates).toEqual([
        'message',
        'edited_message',
        'callback_query',
        'my_chat_member',
        'stopped_message_generation',
      ]);
  });

  test('backs off longer while storing goes on failing', async () => {
    const { server, clock, host, connect } = await openBench();
    host.store = () => Promise.reject(new Error('disk full'));
    server.say(ada, 'x');
    await connect();
    for (const wait of [250, 500, 1_000, 2_000]) await pass(clock, wait);
    expect(server.confirmedOffset).toBeLessThanOrEqual(100_000_001);
  });

  test('does not hold one chat up by another: all of a batch are begun before the first is stored', async () => {
    const { server, host, connect } = await openBench();
    host.store = () => Promise.withResolvers<Receipt>().promise;
    for (const chat of [1, 2, 3]) server.say(chat, `from ${chat}`);
    await connect();
    await waitUntil(() => host.received.length === 3);
    expect(host.words).toEqual(['from 1', 'from 2', 'from 3']);
  });
});

describe('a press', () => {
  async function card() {
    const { server, host, connect } = await openBench();
    const adapter = await connect();
    server.addChat(ada);
    const button = { actionId: 'ap:1:a', label: 'Approve', shortcut: '/approve 1', style: 'primary' } as const;
    const to = { channel: 'telegram', chatId: String(ada), kind: 'direct' } as const;
    const ref = await adapter.send(to, { id: 'c1', kind: 'card', markdown: 'May I?', buttons: [[button]] });
    return { server, host, press: () => server.press(ada, Number(ref.id), 'Approve') };
  }

  test('is answered with what the host says, as an alert, once it is stored', async () => {
    const { server, host, press } = await card();
    const stored = Promise.withResolvers<Receipt>();
    host.store = () => stored.promise;
    const pressed = press();
    await waitUntil(() => host.received.length === 1);
    expect(host.received[0]).toMatchObject({ type: 'action', actionId: 'ap:1:a', sender: { id: '42' } });
    expect(server.callsOf('answerCallbackQuery')).toHaveLength(0);
    stored.resolve({ notice: 'Only the owner may. '.repeat(20) });
    const { text, showAlert } = await pressed.answered;
    expect(showAlert).toBe(true);
    expect(text).toHaveLength(200);
  });

  test('without a notice is answered silently', async () => {
    const { press } = await card();
    expect(await press().answered).toEqual({ text: '', showAlert: false });
  });

  test('that cannot be answered holds nothing up', async () => {
    const { server, host, press } = await card();
    server.fault({ method: 'answerCallbackQuery', kind: 'hang', times: 1 });
    server.fault({
      method: 'answerCallbackQuery',
      kind: 'status',
      status: 400,
      description: 'Bad Request: query is too old',
    });
    press();
    press();
    server.say(ada, 'hello');
    await waitUntil(() => host.words.includes('hello') && host.logged.join().includes('query is too old'));
    expect(host.health?.status).toBe('connected');
  });
});

describe('stopping', () => {
  test('ends an open poll at once and confirms nothing', async () => {
    const { server, host, connect } = await openBench();
    const adapter = await connect();
    await connected(host);
    await server.waitFor(() => server.polls === 2);
    const stopping = adapter.stop();
    // If it waited for the poll to end, it would hear this.
    server.say(ada, 'later');
    await stopping;
    const polls = server.polls;
    const healths = host.healths.length;
    const next = new RecordingHost();
    await connect({}, next);
    await waitUntil(() => next.words.includes('later'));
    expect(host.received).toEqual([]);
    expect(host.healths).toHaveLength(healths);
    expect(server.polls).toBeGreaterThan(polls);
  });

  test('during a pause ends it, and twice does nothing', async () => {
    const { server, clock, connect } = await openBench();
    server.fault({ method: 'getMe', kind: 'html' });
    const adapter = await connect();
    await waitUntil(() => clock.waits.includes(250));
    await adapter.stop();
    await adapter.stop();
    expect(clock.waits).toEqual([]);
  });
});
