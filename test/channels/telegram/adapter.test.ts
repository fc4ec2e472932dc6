import { createServer } from 'node:http';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { telegram } from '../../../channels/telegram/index.ts';
import {
  type Button,
  type ChannelAdapter,
  ChannelError,
  type ChannelFault,
  type OutboundMessage,
} from '../../../src/contract.ts';
import { anyText } from '../../support/any-text.ts';
import { closeServer, listenOnLoopback } from '../../support/loopback.ts';
import { markdownDocuments, markdownSoup } from '../../support/markdown-documents.ts';
import { RecordingHost } from '../../support/recording-host.ts';
import { TelegramServer } from '../../support/telegram-server.ts';
import { waitUntil } from '../../support/wait-for.ts';

const ada = 42;
const to = { channel: 'telegram', chatId: String(ada), kind: 'direct' } as const;
const approve: Button = { actionId: 'ap:1:a', label: 'Approve', shortcut: '/approve 1', style: 'primary' };
const deny: Button = { actionId: 'ap:1:d', label: 'Deny', shortcut: '/deny 1', style: 'danger' };

let server: TelegramServer;
let adapter: ChannelAdapter;
let host: RecordingHost;

beforeEach(async () => {
  server = await TelegramServer.start();
  server.addChat(ada);
  adapter = create({});
  host = new RecordingHost();
  await adapter.start(host);
});

afterEach(async () => {
  await adapter.stop();
  await server.close();
});

function create(overrides: object): ChannelAdapter {
  return telegram.create({ enabled: true, token: server.token, api_root: server.root, ...overrides });
}

function text(markdown: string, buttons?: OutboundMessage['buttons']): OutboundMessage {
  return { id: 'm1', kind: 'reply', markdown, ...(buttons !== undefined && { buttons }) };
}

async function faultOf(request: Promise<unknown>): Promise<ChannelFault & { readonly message: string }> {
  const error: unknown = await request.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!(error instanceof ChannelError)) throw new Error(`It is no ChannelError: ${String(error)}`);
  expect(JSON.stringify(error) + error.message + String(error.cause)).not.toContain(server.token);
  expect(error.message).not.toContain('hello');
  return { ...error.fault, message: error.message };
}

describe('sending', () => {
  test('shows the text with its formatting and says where it stands', async () => {
    const ref = await adapter.send(to, text('**hello** [there](https://a.com)'));
    const [message] = server.chat(ada);
    expect(message).toMatchObject({ id: Number(ref.id), text: 'hello there', buttons: [] });
    expect(message?.entities).toEqual([
      { type: 'bold', offset: 0, length: 5 },
      { type: 'text_link', offset: 6, length: 5, url: 'https://a.com/' },
    ]);
    const { params } = server.callsOf('sendMessage')[0] ?? {};
    expect(params).not.toHaveProperty('parse_mode');
    expect(params).toMatchObject({ chat_id: '42', link_preview_options: { is_disabled: true } });
  });

  test('shows buttons in their rows', async () => {
    await adapter.send(to, text('May I?', [[approve, deny], []]));
    expect(server.callsOf('sendMessage')[0]?.params.reply_markup).toEqual({
      inline_keyboard: [
        [
          { text: 'Approve', callback_data: 'ap:1:a' },
          { text: 'Deny', callback_data: 'ap:1:d' },
        ],
      ],
    });
  });

  test('never sends what Telegram would refuse, whatever the markdown is', async () => {
    const markdown = fc.oneof(anyText(), markdownSoup, markdownDocuments);
    for (const sample of fc.sample(markdown, { numRuns: 60, seed: 11 })) {
      if (adapter.measure(sample) > adapter.capabilities.maxLength) continue;
      const ref = await adapter.send(to, text(sample));
      const message = server.chat(ada).find(({ id }) => id === Number(ref.id));
      expect(message?.text.length).toBeLessThanOrEqual(adapter.measure(sample));
    }
  });

  test('goes without formatting if Telegram refuses that', async () => {
    const description = "Bad Request: entity URL 'https://a.b/' is invalid";
    server.fault({ method: 'sendMessage', kind: 'status', status: 400, description, times: 1 });
    await adapter.send(to, text('[hello](https://a.b)'));
    expect(server.chat(ada)[0]).toMatchObject({ text: 'hello', entities: [] });
  });

  test('measures what will be shown, to the last unit', async () => {
    const longest = `**${'x'.repeat(4096)}**`;
    expect(adapter.measure(longest)).toBe(4096);
    await adapter.send(to, text(longest));
    expect((await faultOf(adapter.send(to, text(`${longest}y`)))).type).toBe('permanent');
  });
});

describe('editing', () => {
  test('changes the text, and twice is no error', async () => {
    const ref = await adapter.send(to, text('one'));
    await adapter.edit?.(to, ref, text('**two**'));
    await adapter.edit?.(to, ref, text('**two**'));
    expect(server.chat(ada)).toMatchObject([{ text: 'two', edits: 1 }]);
  });
});

describe('what goes wrong', () => {
  const send = () => adapter.send(to, text('hello'));

  test.each([
    [
      { kind: '429', retryAfter: 7 },
      { type: 'rate-limited', retryAfter: 7_000 },
    ],
    [{ kind: 'status', status: 500 }, { type: 'transient' }],
    [{ kind: 'html' }, { type: 'transient' }],
    [{ kind: 'status', status: 401, description: 'Unauthorized' }, { type: 'auth' }],
    [{ kind: 'status', status: 404, description: 'Not Found' }, { type: 'auth' }],
    [{ kind: 'status', status: 403, description: 'Forbidden: bot was blocked by the user' }, { type: 'permanent' }],
    [{ kind: 'status', status: 400, description: 'Bad Request: chat not found' }, { type: 'permanent' }],
    [{ kind: 'drop-before' }, { type: 'ambiguous' }],
    [{ kind: 'drop-after' }, { type: 'ambiguous' }],
    [{ kind: 'status', status: 200, body: '{"ok":true,"resu' }, { type: 'ambiguous' }],
    [{ kind: 'status', status: 200, body: '{"ok":true,' }, { type: 'ambiguous' }],
    [{ kind: 'status', status: 200, body: '' }, { type: 'ambiguous' }],
    [{ kind: 'status', status: 200, body: '{"ok":true,"result":{}}' }, { type: 'ambiguous' }],
    [{ kind: 'status', status: 200, body: 'null' }, { type: 'ambiguous' }],
  ] as const)('a send that meets %j is %j, and is not tried again', async (fault, expected) => {
    server.fault({ method: 'sendMessage', ...fault });
    expect(await faultOf(send())).toMatchObject(expected);
    expect(server.callsOf('sendMessage')).toHaveLength(1);
  });

  test('a lost answer is ambiguous for a send and transient for what can be done twice', async () => {
    const ref = await send();
    for (const method of ['editMessageText', 'sendChatAction']) server.fault({ method, kind: 'drop-after' });
    expect(await faultOf(adapter.edit?.(to, ref, text('two')) ?? Promise.resolve())).toMatchObject({
      type: 'transient',
    });
    expect(await faultOf(adapter.showTyping?.(to) ?? Promise.resolve())).toMatchObject({ type: 'transient' });
  });

  test('a send without an answer in time is ambiguous', async () => {
    const hasty = create({ request_timeout_secs: 1 });
    server.fault({ method: 'sendMessage', kind: 'hang', done: true });
    expect(await faultOf(hasty.send(to, text('hello')))).toMatchObject({
      type: 'ambiguous',
      message: expect.stringContaining('in time'),
    });
  });

  test('where nobody listens a send has surely not been done', async () => {
    const closed = createServer();
    const port = await listenOnLoopback(closed);
    await closeServer(closed);
    const lonely = create({ api_root: `http://127.0.0.1:${port}` });
    expect(await faultOf(lonely.send(to, text('hello')))).toMatchObject({
      type: 'transient',
      message: expect.stringContaining('ECONNREFUSED'),
    });
  });

  test('a host that has no name has surely not been reached', async () => {
    const lost = create({ api_root: 'http://no-such-host.invalid' });
    expect(await faultOf(lost.send(to, text('hello')))).toMatchObject({ type: 'transient' });
  });

  test('a group that has moved is named by its new id', async () => {
    const parameters = { migrate_to_chat_id: -100123 };
    const body = JSON.stringify({
      ok: false,
      error_code: 400,
      description: 'Bad Request: group chat was upgraded',
      parameters,
    });
    server.fault({ method: 'sendMessage', kind: 'status', status: 400, body });
    const message = expect.stringContaining('-100123');
    expect(await faultOf(send())).toEqual({ type: 'moved', chatId: '-100123', message });
  });
});

describe('the commands', () => {
  test('are announced once, however often it connects again', async () => {
    await server.waitFor(() => server.callsOf('setMyCommands').length === 1);
    server.setWebhook('https://example.com');
    server.say(ada, 'wake');
    await server.waitFor(() => server.callsOf('deleteWebhook').length === 2);
    await waitUntil(() => host.health?.status === 'connected');
    const [call, ...more] = server.callsOf('setMyCommands');
    expect(call).toMatchObject({ status: 200 });
    expect(more).toEqual([]);
  });

  test('that are refused harm nothing', async () => {
    const other = create({});
    server.fault({ method: 'setMyCommands', kind: 'status', status: 400, description: 'Bad Request: no' });
    const otherHost = new RecordingHost();
    await other.start(otherHost);
    await waitUntil(() => otherHost.logged.join().includes('refuses a menu of commands'));
    await waitUntil(() => otherHost.health?.status === 'connected');
    await other.stop();
  });
});
