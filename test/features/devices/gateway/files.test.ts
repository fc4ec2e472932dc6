import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { deviceWords } from '../../../../src/features/devices/words.ts';
import { isJsonObject, type JsonObject } from '../../../../src/lib/json.ts';
import type { DeviceClient } from '../../../support/gateway/device-client.ts';
import { deviceSetting, type GatewaySetting, pairedSetting } from '../../../support/gateway/gateway-setting.ts';
import { call, resultsOf, wordsOf } from '../../../support/scripted-model.ts';

const small = { config: { attachments: { max_bytes: 2_000_000 } } };

function base64(bytes: Uint8Array | string): string {
  return Buffer.from(bytes).toString('base64');
}

/** A file of which pieces of a megabyte come before its message. */
function sendInPieces(client: DeviceClient, part: string, bytes: Buffer): void {
  const size = 700_000;
  const count = Math.ceil(bytes.length / size);
  for (let index = 0; index < count; index += 1) {
    const data = base64(bytes.subarray(index * size, (index + 1) * size));
    client.send({ type: 'message_chunk', part, index, data, last: index === count - 1 });
  }
}

function receivedIn({ daemon: { workspace } }: GatewaySetting, name: string): Promise<Buffer> {
  return readFile(join(workspace, 'received', name));
}

function keptIn({ daemon: { folder } }: GatewaySetting, what: 'received' | 'shown'): Promise<readonly string[]> {
  const path = join(folder, 'data', 'device-files', what);
  return existsSync(path) ? readdir(path) : Promise.resolve([]);
}

describe('a file that a device sends', () => {
  test('stands in the workspace before the model is asked, small or in pieces', async () => {
    const { setting, client } = await deviceSetting(small);
    const large = Buffer.alloc(1_500_000, 7);
    sendInPieces(client, 'film', large);
    client.send({
      type: 'message',
      content: 'look',
      attachments: [
        { type: 'file', media_type: 'text/plain', name: '../a.txt', data: base64('some words') },
        { type: 'video', media_type: 'video/mp4', name: 'film.mp4', part: 'film' },
      ],
    });
    await client.next('done');
    expect(wordsOf(await setting.daemon.model.asked(1))).toBe(
      'look\n[file: received/2-a.txt (text/plain, 10 bytes)]\n[file: received/2.2-film.mp4 (video/mp4, 1.4 MB)]',
    );
    expect(String(await receivedIn(setting, '2-a.txt'))).toBe('some words');
    expect(large.equals(await receivedIn(setting, '2.2-film.mp4'))).toBe(true);
  });

  test('needs no words beside it, and is taken once, however often its message is said', async () => {
    const { setting, client } = await deviceSetting(small);
    const said = {
      type: 'message',
      message_id: 'm1',
      attachments: [{ type: 'file', name: 'a.txt', data: base64('x') }],
    };
    client.send(said);
    await client.next('done');
    client.send(said);
    await client.next('message_accepted');
    await client.next('done');
    expect(setting.daemon.model.requests).toHaveLength(1);
    expect(await readdir(join(setting.daemon.workspace, 'received'))).toEqual(['2-a.txt']);
  });

  test('is kept under no more than a name and a type, whatever it says of them', async () => {
    const { setting, client } = await deviceSetting(small);
    const said = {
      type: 'file',
      media_type: 'x'.repeat(100_000),
      name: `${'n'.repeat(300_000)}.pdf`,
      data: base64('x'),
    };
    client.send({ type: 'message', content: 'look', attachments: [said] });
    await client.next('done');
    expect(setting.daemon.rows('SELECT length(name) AS name, media_type FROM attachments')).toEqual([
      { name: 255, media_type: null },
    ]);
    expect(wordsOf(await setting.daemon.model.asked(1))).toMatch(/^look\n\[file: received\/2-n+\.pdf \(1 bytes?\)\]$/);
  });

  test('is fetched by the next process if the first one could not, and kept no longer than that', async () => {
    const { setting, client } = await deviceSetting(small);
    client.send({
      type: 'message',
      content: 'keep',
      attachments: [{ type: 'file', name: 'a.txt', data: base64('x') }],
    });
    await client.next('done');
    await setting.daemon.stop();
    setting.daemon.tamper(
      `UPDATE attachments SET state = 'pending', path = NULL; DELETE FROM turns; UPDATE conversations SET is_open = 1`,
    );
    await setting.daemon.start();
    expect(wordsOf(await setting.daemon.model.asked(2))).toBe('keep\n[file: received/2-a.txt (1 byte)]');
    expect(await keptIn(setting, 'received')).toHaveLength(1);
    await setting.daemon.channel.whenIdle();
    await setting.daemon.restart();
    expect(await keptIn(setting, 'received')).toEqual([]);
  });

  test.each<[string, readonly JsonObject[], readonly unknown[], string]>([
    ['of no kind', [], [{ type: 'app', data: '' }], '"type" of an attachment'],
    ['that is no object', [], ['x'], 'is an object'],
    ['that is no base64', [], [{ type: 'file', data: '!' }], 'no base64'],
    ['of which nothing came', [], [{ type: 'file', part: 'a' }], 'missing'],
    ['that is not whole', [{ part: 'a', index: 0, data: 'eA==' }], [{ type: 'file', part: 'a' }], 'not whole'],
    ['whose pieces are out of order', [{ part: 'a', index: 1, data: 'eA==' }], [{ type: 'file', part: 'a' }], 'order'],
    ['that is one of too many', [], Array.from({ length: 11 }, () => ({ type: 'file', data: '' })), 'more than 10'],
  ])('%s is refused with its message, and another is taken', async (_what, chunks, attachments, words) => {
    const { setting, client } = await deviceSetting(small);
    for (const chunk of chunks) client.send({ type: 'message_chunk', ...chunk });
    client.sendRaw(JSON.stringify({ type: 'message', content: 'look', message_id: 'm1', attachments }));
    expect(await client.next('error')).toMatchObject({
      code: 'INVALID_ATTACHMENT',
      message_id: 'm1',
      message: expect.stringContaining(words),
    });
    client.send({ type: 'message', content: 'well', attachments: [{ type: 'file', name: 'a', data: 'eA==' }] });
    await client.next('done');
    expect(setting.daemon.model.requests).toHaveLength(1);
  });

  test('is not taken if it is too large, in one frame, in pieces, or on several sockets together', async () => {
    const { setting, token } = await pairedSetting({ config: { attachments: { max_bytes: 500_000 } } });
    const [client, second, third] = await Promise.all([1, 2, 3].map(() => setting.device({ token })));
    if (client === undefined || second === undefined || third === undefined) throw new Error('no client');
    const large = Buffer.alloc(500_001);
    const refusal = { code: 'INVALID_ATTACHMENT', message: expect.stringContaining('500000 bytes') };
    client.send({ type: 'message', content: '', attachments: [{ type: 'file', data: base64(large) }] });
    expect(await client.next('error')).toMatchObject(refusal);
    sendInPieces(client, 'a', large);
    client.send({ type: 'message', content: '', attachments: [{ type: 'file', part: 'a' }] });
    expect(await client.next('error')).toMatchObject(refusal);
    for (const other of [client, second, third]) {
      sendInPieces(other, 'a', large.subarray(1));
      other.send({ type: 'ping' });
      await other.next('pong');
    }
    third.send({ type: 'message', content: '', attachments: [{ type: 'file', part: 'a' }] });
    expect(await third.next('error')).toMatchObject({ message: expect.stringContaining('more is on its way') });
    second.send({ type: 'message', content: '', attachments: [{ type: 'file', part: 'a' }] });
    await second.next('done');
    expect(setting.daemon.model.requests).toHaveLength(1);
  });

  test('is not lost silently when it cannot be stored', async () => {
    const { setting, client } = await deviceSetting(small);
    await mkdir(join(setting.daemon.folder, 'data', 'device-files'));
    await writeFile(join(setting.daemon.folder, 'data', 'device-files', 'received'), 'in the way');
    client.send({ type: 'message', content: '', message_id: 'm1', attachments: [{ type: 'file', data: 'eA==' }] });
    expect(await client.next('error')).toMatchObject({ message: deviceWords.en.notStored });
    expect(client.all('message_accepted')).toEqual([]);
  });
});

/** Has the assistant show a file, in the session of a device. */
async function shown(setting: GatewaySetting, client: DeviceClient, content = 'the numbers'): Promise<JsonObject> {
  await mkdir(setting.daemon.workspace, { recursive: true });
  await writeFile(join(setting.daemon.workspace, 'q3 report.csv'), content);
  setting.daemon.model.next([call('send_file', { path: 'q3 report.csv', caption: 'Here it is.' })], 'Done.');
  client.send({ type: 'message', content: 'show it' });
  return client.next('file');
}

describe('a file that a device is shown', () => {
  test('is told of in a frame and in the text, and can be fetched by its person alone', async () => {
    const { setting, token, client } = await deviceSetting({ allowFrom: ['bob'] }, { query: 'session_id=s1' });
    const file = await shown(setting, client);
    expect(file).toMatchObject({ name: 'q3 report.csv', media_type: 'text/csv', size: 11, seq: expect.any(Number) });
    expect(file.path).toBe(`/api/sessions/s1/files/${String(file.id)}`);
    expect((await client.next('done')).full_response).toMatch(/Here it is\.[\s\S]*📎 `q3 report\.csv` \(11 bytes\)/);

    const response = await setting.ask(String(file.path), token);
    expect(await response.text()).toBe('the numbers');
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': 'text/csv',
      'content-length': '11',
      'content-disposition': "attachment; filename*=UTF-8''q3%20report.csv",
      'content-security-policy': 'sandbox',
      'x-content-type-options': 'nosniff',
    });
    expect((await setting.ask(String(file.path), token, { method: 'HEAD' })).headers.get('content-length')).toBe('11');
    const list: unknown = await (await setting.ask('/api/sessions/s1/files', token)).json();
    expect(list).toMatchObject({ session_id: 's1', files: [{ id: file.id, path: file.path, name: 'q3 report.csv' }] });

    const stranger = await setting.token('phone', 'bob');
    for (const path of [String(file.path), '/api/sessions/s1/files'])
      expect((await setting.ask(path, stranger)).status).toBe(404);
    await setting.open({ token, query: 'session_id=s2' }).greet();
    expect((await setting.ask(`/api/sessions/s2/files/${String(file.id)}`, token)).status).toBe(404);
    expect((await setting.ask('/api/sessions/s1/files/..%2F..%2Fkeyturn.db', token)).status).toBe(404);
  });

  test('can be fetched with a ticket, once, as nothing else can', async () => {
    const { setting, token } = await pairedSetting();
    const { path = '' } = await shown(setting, await setting.device({ token }));
    const answer: unknown = await (await setting.ask('/api/ticket', token, { method: 'POST' })).json();
    const ticket = isJsonObject(answer) ? String(answer.ticket) : '';
    expect((await setting.ask(`/api/sessions?ticket=${ticket}`)).status).toBe(401);
    expect(await (await setting.ask(`${String(path)}?ticket=${ticket}`)).text()).toBe('the numbers');
    expect((await setting.ask(`${String(path)}?ticket=${ticket}`)).status).toBe(401);
  });

  test('is shown again to those who come back, and can be fetched from the next process', async () => {
    const { setting, token } = await pairedSetting();
    const query = 'session_id=s1';
    const client = await setting.device({ token, query });
    const { path = '', id, seq = 0 } = await shown(setting, client);
    await client.next('done');
    const back = await setting.open({ token, query }).greet({ last_seq: Number(seq) - 1 });
    expect(await back.next('file')).toMatchObject({ id, path, seq });
    await setting.daemon.restart();
    expect(await (await setting.ask(String(path), token)).text()).toBe('the numbers');
  });

  test('may be one that a tool of the device has brought', async () => {
    const { setting, token, client } = await deviceSetting({
      config: { remote_tools: { categories: { '*': 'network_read' } } },
    });
    await client.offer({ name: 'scan', description: 'Scans a page.', parameters: {} });
    setting.daemon.model.next([call('scan', {})], 'Done.');
    const { id = '' } = await client.ask('scan it', 'tool_call_request');
    const content = [{ type: 'file', name: 'page.txt', data: base64('some words') }];
    client.send({ type: 'tool_result', id, output: 'Scanned.', content });
    const { path } = await client.next('file');
    expect(await (await setting.ask(String(path), token)).text()).toBe('some words');
    expect(resultsOf(await setting.daemon.model.asked(2))[0]).toContain('shown to the person in the chat');
  });

  test('waits for somebody who shows the session', async () => {
    const { setting, token } = await pairedSetting();
    const query = 'session_id=s1';
    const client = await setting.device({ token, query });
    await writeFile(join(setting.daemon.workspace, 'a.csv'), 'x');
    setting.daemon.model.next(async () => {
      await client.vanish();
      return [call('send_file', { path: 'a.csv' })];
    }, 'Done.');
    client.send({ type: 'message', content: 'show it' });
    await setting.daemon.model.asked(2);
    await setting.daemon.restart();
    const back = await setting.open({ token, query }).greet();
    const { path } = await back.next('file');
    expect(await (await setting.ask(String(path), token)).text()).toBe('x');
  });

  test('is kept for a week', async () => {
    const { setting, token, client } = await deviceSetting();
    const old = await shown(setting, client);
    await client.next('done');
    setting.daemon.clock.advance(7 * 86_400_000 + 1);
    const next = await setting.open({ token, query: 'session_id=s2' }).greet();
    const young = await shown(setting, next, 'newer');
    expect(await keptIn(setting, 'shown')).toEqual([young.id]);
    expect((await setting.ask(String(old.path), token)).status).toBe(404);
    expect((await setting.ask(String(young.path), token)).status).toBe(200);
  });
});
