import { randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import { describe, expect, onTestFinished, test } from 'vitest';
import { SlackApi } from '../../../channels/slack/api.ts';
import { type FileApi, fetchFile } from '../../../channels/slack/files.ts';
import { slackWords } from '../../../channels/slack/words.ts';
import type { OutboundFile } from '../../../src/contract.ts';
import { closeServer, listenOnLoopback } from '../../support/loopback.ts';
import { newFile } from '../../support/new-folder.ts';
import { channel, general, OutboundSetting, person, reply } from './outbound-setting.ts';

async function fileWith(bytes: Buffer, name = 'report.pdf'): Promise<OutboundFile> {
  return { name, mediaType: 'application/pdf', path: await newFile(bytes) };
}

describe('a file', () => {
  test.each(['files.getUploadURLExternal', 'upload'])(
    'of which nothing is seen yet is simply sent again (%s)',
    async (method) => {
      const setting = await OutboundSetting.start();
      const message = reply('', { file: await fileWith(Buffer.from('hello')) });
      setting.server.fault({ method, kind: 'drop-after', times: 1 });
      expect(await setting.faultOf(setting.sender.send(general(), message))).toMatchObject({ type: 'transient' });
      await setting.sender.send(general(), message);
      expect(setting.server.chat(channel)).toHaveLength(1);
    },
  );

  test.each(['drop-after', 'drop-before'] as const)('that may be there already is shown once (%s)', async (kind) => {
    const setting = await OutboundSetting.start();
    const message = reply('', { file: await fileWith(Buffer.from('hello')) });
    setting.server.fault({ method: 'files.completeUploadExternal', kind, times: 1 });
    expect(await setting.faultOf(setting.sender.send(general(), message))).toMatchObject({ type: 'ambiguous' });
    await setting.sender.send(general(), message);
    expect(setting.server.chat(channel)).toHaveLength(1);
    expect(setting.calls('upload')).toBe(1);
  });

  test('that a process has shown right before it was killed is found by the next one', async () => {
    const setting = await OutboundSetting.start();
    const file = await fileWith(Buffer.from('hello'));
    const mayStandSince = setting.clock.now();
    setting.server.people.share(channel, [{ bytes: Buffer.from('hello'), name: file.name }], '', { from: person });
    const { id } = await setting.sender.send(general(), reply('', { file }));
    const next = setting.outgoing();
    expect(await next.send(general(), reply('', { file, mayStandSince }))).toEqual({ id });
    const other = await fileWith(Buffer.from('hello again'));
    await next.send(general(), reply('', { id: 'm2', file: other, mayStandSince }));
    expect(setting.server.chat(channel).filter(({ from }) => from === 'bot')).toHaveLength(2);
    expect(setting.calls('upload')).toBe(2);
  });

  test('whose text is not taken as blocks has it as a comment', async () => {
    const setting = await OutboundSetting.start();
    const method = 'files.completeUploadExternal';
    setting.server.fault({ method, kind: 'error', error: 'invalid_blocks', times: 1 });
    await setting.sender.send(general(), reply('**Look** <!here>', { file: await fileWith(Buffer.from('hello')) }));
    expect(setting.server.chat(channel)).toMatchObject([{ text: expect.stringContaining('Look'), pings: [] }]);
  });
});

describe('a file that somebody sends', () => {
  const content = randomBytes(200_000);

  async function sent(name = 'notes.pdf') {
    const setting = await OutboundSetting.start();
    setting.server.people.share(channel, [{ bytes: content, name }], '', { from: person });
    const [file] = setting.server.chat(channel)[0]?.files ?? [];
    const { signal } = new AbortController();
    const fetch = (limits: { readonly maxBytes?: number; readonly signal?: AbortSignal } = {}, api = setting.api) =>
      fetchFile(api, file?.id ?? '', { maxBytes: 1_000_000, signal, ...limits });
    return { setting, fetch };
  }

  /** As if Slack said that of the file. */
  function saying(api: SlackApi, file: object): FileApi {
    return {
      call: async () => ({ ok: true, file }),
      get: (url, signal) => api.get(url, signal),
      post: (...posted) => api.post(...posted),
      isTrusted: (address): address is URL => api.isTrusted(address),
    };
  }

  test('that is larger than Slack says is given up on the way', async () => {
    const { setting } = await sent();
    const [file] = setting.server.chat(channel)[0]?.files ?? [];
    const { file: told } = await setting.api.call('files.info', { file: file?.id });
    const { signal } = new AbortController();
    const api = saying(setting.api, { ...Object(told), size: 5 });
    expect(await fetchFile(api, 'F1', { maxBytes: 10, signal })).toBe('too-large');
  });

  test.each(['a refusal', 'a page to log in'])(
    'for which the app lacks the permission says so (%s)',
    async (answer) => {
      const { setting, fetch } = await sent();
      if (answer === 'a refusal') setting.server.home.grant(['chat:write']);
      else setting.server.fault({ method: 'download', kind: 'html' });
      expect(await setting.faultOf(fetch())).toMatchObject({
        type: 'permanent',
        message: expect.stringContaining('files:read'),
      });
    },
  );

  test.each([
    ['drop-before', 'transient'],
    ['hang', 'transient'],
  ] as const)('whose download fails (%s) may be fetched later', async (kind, type) => {
    const { setting, fetch } = await sent();
    setting.server.fault({ method: 'download', kind, times: 1 });
    const controller = new AbortController();
    const fault = setting.faultOf(fetch({ signal: controller.signal }));
    await setting.server.waitFor(() => setting.calls('download') === 1);
    if (kind === 'hang') controller.abort();
    expect(await fault).toMatchObject({ type });
    setting.server.release();
    expect(await fetch()).not.toBe('too-large');
  });

  test.each([
    [{ mode: 'quip', mimetype: 'application/vnd.slack-docs' }, slackWords.en.isCanvas],
    [{ mode: 'list', mimetype: 'application/vnd.slack-list' }, slackWords.en.isList],
  ])('says what to send instead of a page of Slack’s own: %j', async (kind, words) => {
    const { setting } = await sent();
    const { signal } = new AbortController();
    const api = saying(setting.api, { ...kind, url_private: 'https://files.slack.com/x' });
    await expect(fetchFile(api, 'F1', { maxBytes: 9, signal })).rejects.toThrow(words);
  });

  test('brings the token nowhere but to Slack', async () => {
    const { setting } = await sent();
    const seen: (string | undefined)[] = [];
    const stranger = createServer((request, response) => {
      seen.push(request.headers.authorization);
      response.end('hello');
    });
    const port = await listenOnLoopback(stranger);
    onTestFinished(() => closeServer(stranger));
    const moved = createServer((_request, response) => {
      response.writeHead(302, { location: `http://127.0.0.1:${port}/file` }).end();
    });
    const home = await listenOnLoopback(moved);
    onTestFinished(() => closeServer(moved));

    const slack = new SlackApi({ token: 'xoxb-1', apiUrl: `http://127.0.0.1:${home}/api/`, requestTimeoutSecs: 5 });
    const { signal } = new AbortController();
    for (const address of [`http://127.0.0.1:${port}/file`, `http://127.0.0.1:${home}/file`]) {
      const api = saying(slack, { url_private_download: address });
      const fault = await setting.faultOf(fetchFile(api, 'F1', { maxBytes: 9, signal }));
      expect(fault.type).toBe('permanent');
    }
    expect(seen).toEqual([]);
  });
});

test.each([
  ['https://files.slack.com/files-pri/T1-F1/a', true],
  ['https://slack.com/a', true],
  ['http://localhost:1/a', true],
  ['http://files.slack.com/a', false],
  ['https://files.slack.com:8443/a', false],
  ['https://notslack.com/a', false],
  ['https://slack.com.example.org/a', false],
  ['https://slack.com@example.org/a', false],
  ['http://localhost:2/a', false],
])('whether %s is an address of Slack: %s', (address, trusted) => {
  const api = new SlackApi({ token: 'xoxb-1', apiUrl: 'http://localhost:1/api/', requestTimeoutSecs: 5 });
  expect(api.isTrusted(new URL(address))).toBe(trusted);
});
