import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { deviceWords } from '../../../../src/features/devices/words.ts';
import { isJsonObject, type JsonObject } from '../../../../src/lib/json.ts';
import { ModelError } from '../../../../src/models/language-model.ts';
import { modelWords } from '../../../../src/models/words.ts';
import { llmOnly } from '../../../../src/tools/output.ts';
import { registrationOf } from '../../../../src/tools/registry.ts';
import { defineTool } from '../../../../src/tools/tool.ts';
import type { DeviceClient } from '../../../support/gateway/device-client.ts';
import { deviceSetting, gatewaySetting, pairedSetting, unlock } from '../../../support/gateway/gateway-setting.ts';
import { call, held, text } from '../../../support/scripted-model.ts';

/** A tool that a person has to approve, and that takes what it is given. */
const send = registrationOf(
  defineTool({
    name: 'send',
    category: 'hardware',
    description: 'Sends something.',
    input: z.record(z.string(), z.unknown()),
    describeCall: () => 'send something',
    execute: async () => llmOnly('Sent.'),
  }),
);

const ends = ['done', 'aborted', 'error'];

function endsOf(client: DeviceClient): readonly JsonObject[] {
  return client.frames.filter(({ type }) => ends.includes(String(type)));
}

function chunksOf(client: DeviceClient): string {
  return client
    .all('chunk')
    .map(({ content }) => content)
    .join('');
}

describe('a turn', () => {
  test('is streamed, and ends once, with all of its texts', async () => {
    const { setting, client } = await deviceSetting();
    setting.daemon.model.next([text('I look. '), call('echo', { message: 'x' })], 'Found.');
    expect(await client.ask('look')).toMatchObject({ full_response: 'I look. \n\nFound.' });
    expect(chunksOf(client)).toBe('I look. \n\nFound.');
    const types = client.frames.map(({ type }) => type);
    expect(types.indexOf('tool_call')).toBeLessThan(types.indexOf('tool_result'));
    expect(types.at(-2)).toBe('chunk_reset');
    expect(client.all('tool_call')[0]).toMatchObject({ name: 'echo', args: { message: 'x' } });
    expect(client.all('tool_result')[0]).toMatchObject({ name: 'echo', output: 'x', success: true });
    expect(endsOf(client)).toHaveLength(1);
  });

  test('of a message that could not be stored is not confirmed, and says so', async () => {
    const { setting, client } = await deviceSetting();
    setting.daemon.tamper(
      `CREATE TRIGGER full BEFORE INSERT ON inbox WHEN NEW.kind = 'message' BEGIN SELECT RAISE(ABORT, 'disk full'); END`,
    );
    client.send({ type: 'message', content: 'hello', message_id: 'm1' });
    expect(await client.next('error')).toMatchObject({ message: deviceWords.en.notStored });
    setting.daemon.tamper('DROP TRIGGER full');
    client.send({ type: 'message', content: 'hello', message_id: 'm1' });
    await client.next('done');
    expect(client.all('message_accepted')).toHaveLength(1);
  });

  test('of a message that could not be stored says so in the language of its person', async () => {
    const { setting, client } = await deviceSetting();
    await setting.daemon.channel.ask('/language zh', /^从现在起/);
    setting.daemon.tamper(
      `CREATE TRIGGER full BEFORE INSERT ON inbox WHEN NEW.kind = 'message' BEGIN SELECT RAISE(ABORT, 'disk full'); END`,
    );
    client.send({ type: 'message', content: 'hello' });
    expect(await client.next('error')).toMatchObject({ message: deviceWords.zh.notStored });
  });

  test('that fails ends with an error that says why, and with nothing else', async () => {
    const { setting, client } = await deviceSetting();
    setting.daemon.model.next('');
    expect(await client.ask('hello', 'error')).toMatchObject({
      code: 'AGENT_ERROR',
      message: `⚠️ ${modelWords.en.nothingSaid}`,
    });
    expect(endsOf(client)).toHaveLength(1);
  });

  test.each([
    ['auth', 'AUTH_ERROR'],
    ['unavailable', 'PROVIDER_ERROR'],
    ['permanent', 'PROVIDER_ERROR'],
  ] as const)('that the model fails with the fault %s ends with the code %s', async (fault, code) => {
    const setting = await gatewaySetting();
    setting.daemon.model.next(() => {
      throw new ModelError(fault, 'It was refused.');
    });
    const client = await setting.device();
    expect(await client.ask('hello', 'error')).toMatchObject({
      code,
      message: expect.stringContaining('It was refused'),
    });
    await client.ask('hello again');
  });

  test('is aborted while it runs, over its own socket', async () => {
    const { setting, client } = await deviceSetting();
    const writing = held('never');
    setting.daemon.model.next({ early: 'I begin', rest: writing.script }, 'fresh');
    await client.ask('write', 'chunk');
    client.send({ type: 'abort' });
    // The end of the turn is told to all that look on, the acknowledgement to the one that asked: either may be first.
    const isTold = (): boolean => ['abort_ack', 'aborted'].every((type) => client.all(type).length === 1);
    await client.changes.waitFor(isTold, { what: 'both frames' });
    expect(client.all('abort_ack')).toEqual([expect.objectContaining({ status: 'aborted' })]);
    expect(await client.ask('and now?')).toMatchObject({ full_response: 'fresh' });
    expect(endsOf(client).map(({ type }) => type)).toEqual(['aborted', 'done']);
  });

  test('is not aborted where there is none; clients of old are not told so', async () => {
    const { setting, token } = await pairedSetting();
    const [old, now] = [
      await setting.open({ token }).greet(),
      await setting.open({ token }).greet({ capabilities: ['acks'] }),
    ];
    old.send({ type: 'abort' });
    now.send({ type: 'abort' });
    expect(await now.next('abort_ack')).toMatchObject({ status: 'no_active_response' });
    old.send({ type: 'ping' });
    await old.next('pong');
    expect(old.all('abort_ack')).toEqual([]);
  });

  test('does not keep its socket from registering tools, talking and asking', async () => {
    const { setting, client } = await deviceSetting();
    const writing = held('first');
    setting.daemon.model.next(writing.script, 'second');
    client.send({ type: 'message', content: 'one' });
    await setting.daemon.model.asked(1);
    await client.offer();
    client.send({ type: 'message', content: 'two', message_id: 'm2' });
    expect(await client.next('message_accepted')).toMatchObject({ message_id: 'm2' });
    writing.release();
    expect(await client.next('done')).toMatchObject({ full_response: 'first\n\nsecond' });
    expect(endsOf(client)).toHaveLength(1);
  });

  test('answers a message once that is said twice', async () => {
    const { setting, client } = await deviceSetting();
    client.send({ type: 'message', content: 'hello', message_id: 'm1' });
    await client.next('done');
    client.send({ type: 'message', content: 'hello', message_id: 'm1' });
    await client.next('done');
    expect(setting.daemon.model.requests).toHaveLength(1);
  });

  test('is answered again on demand, without a second message', async () => {
    const { setting, client } = await deviceSetting({}, { query: 'session_id=s1' });
    setting.daemon.model.next('one', 'other');
    await client.ask('hello');
    client.send({ type: 'regenerate' });
    expect(await client.next('done')).toMatchObject({ full_response: 'other' });
    expect(
      setting.daemon.rows("SELECT * FROM inbox WHERE kind = 'message' AND conversation_id = 'device:s1'"),
    ).toHaveLength(1);
  });

  test('obeys commands', async () => {
    const { setting, client } = await deviceSetting();
    expect(await client.ask('/status')).toMatchObject({ full_response: expect.stringContaining('is up for') });
    await setting.daemon.channel.ask('/status details', /- device: connected as http:\/\/127\.0\.0\.1/);
  });
});

describe('an approval', () => {
  test('is asked for and given by frames', async () => {
    const setting = await gatewaySetting({ tools: [unlock] });
    setting.daemon.model.next([text('I try.'), call('unlock', { door: 'front' })], 'Done.');
    const client = await setting.open({ token: await setting.token() }).greet({ capabilities: ['approvals'] });
    const request = await client.ask('open up', 'approval_request');
    expect(request).toMatchObject({
      kind: 'call',
      tool: 'unlock',
      category: 'hardware',
      arguments: { door: 'front' },
      description: 'unlock the front door',
      reason: expect.stringContaining('hardware'),
      requester: 'Ada',
      expires_ms: 1_800_000,
      message: expect.stringContaining('"front"'),
    });
    expect(await client.next('done')).toMatchObject({ full_response: 'I try.', waiting: true });
    client.send({ type: 'approval_response', id: request.id ?? '', decision: 'allow' });
    expect(await client.next('approval_ack')).toMatchObject({ status: 'accepted' });
    expect(await client.next('done')).toMatchObject({ full_response: 'Done.' });
    expect(client.all('approval_resolved')[0]).toMatchObject({
      id: request.id,
      message: expect.stringMatching(/^✅ Ada allowed it at /),
    });
    expect(client.all('tool_result').at(-1)).toMatchObject({ output: 'front is open', success: true });
  });

  test('shows what hides in an argument, as its card does', async () => {
    const setting = await gatewaySetting({ tools: [unlock] });
    setting.daemon.model.next([call('unlock', { door: 'fr\u202eont' })], 'Done.');
    const client = await setting.open({ token: await setting.token() }).greet({ capabilities: ['approvals'] });
    expect(await client.ask('open up', 'approval_request')).toMatchObject({
      arguments: { door: 'fr\\u202eont' },
      message: expect.stringContaining('fr\\u202eont'),
    });
  });

  test('shows every argument, also where two are alike once what is hidden in them is shown', async () => {
    const setting = await gatewaySetting({ tools: [send] });
    const client = await setting.open({ token: await setting.token() }).greet({ capabilities: ['approvals'] });
    setting.daemon.model.next([call('send', { 'to\u200b': 'eve', 'to\\u200b': 'bob', "to\\u200b'": 'ann', in: [{}] })]);
    const { arguments: shown } = await client.ask('send it', 'approval_request');
    if (!isJsonObject(shown)) throw new Error('no arguments');
    expect(Object.values(shown).sort()).toEqual([[{}], 'ann', 'bob', 'eve']);
    expect(Object.keys(shown)).toEqual(expect.arrayContaining(['to\\u200b', 'in']));
    expect(JSON.stringify(shown)).not.toContain('\u200b');
  });

  test('that is a question says so, and what it may be answered with', async () => {
    const setting = await gatewaySetting();
    setting.daemon.model.next([call('ask', { question: 'Tea or coffee?', options: ['Tea', 'Coffee'] })], 'Fine.');
    const client = await setting.open({ token: await setting.token() }).greet({ capabilities: ['approvals'] });
    const request = await client.ask('a drink', 'approval_request');
    expect(request).toMatchObject({ kind: 'question', tool: 'ask', choices: [{ label: 'Tea' }, { label: 'Coffee' }] });
    expect(request).not.toHaveProperty('arguments');
  });

  test('is refused with a reason, once', async () => {
    const setting = await gatewaySetting({ tools: [unlock] });
    setting.daemon.model.next([call('unlock', { door: 'front' })], 'Then not.');
    const client = await setting.open({ token: await setting.token() }).greet({ capabilities: ['approvals'] });
    const { id = '' } = await client.ask('open up', 'approval_request');
    client.send({ type: 'approval_response', id, decision: 'deny', reason: 'it is late' });
    await client.next('approval_ack');
    client.send({ type: 'approval_response', id, decision: 'allow' });
    expect(await client.next('approval_ack')).toMatchObject({ status: 'refused', message: expect.any(String) });
    expect(JSON.stringify((await setting.daemon.model.asked(2)).messages)).toContain('it is late');
  });

  test('is shown in words to a client that knows no such frames, and given in words', async () => {
    const { setting, client } = await deviceSetting({ tools: [unlock] });
    setting.daemon.model.next([call('unlock', { door: 'front' })], 'Done.');
    const { full_response } = await client.ask('open up');
    const [, id] = /\/approve ([a-z0-9]+)/.exec(String(full_response)) ?? [];
    expect(client.all('approval_request')).toEqual([]);
    client.send({ type: 'message', content: `/approve ${id}` });
    await client.changes.waitFor(() => JSON.stringify(client.all('done')).includes('Done.'));
  });

  test('of a person who may not decide goes to the owner’s chat, and not to their devices', async () => {
    const setting = await gatewaySetting({ tools: [unlock], allowFrom: ['bob'] });
    const { channel, model } = setting.daemon;
    await channel.ask('hello', 'echo: hello');
    const owners = await setting.device();
    await owners.ask('hi');
    const client = await setting.device({ token: await setting.token('phone', 'bob') });
    model.next([call('unlock', { door: 'front' })], 'Done.');
    client.send({ type: 'message', content: 'open up' });
    const card = await channel.card();
    await channel.press(card);
    await client.changes.waitFor(() => JSON.stringify(client.all('done')).includes('Done.'));
    expect(chunksOf(owners)).toBe('echo: hi');
  });
});

test('what old clients can read is all that they are sent: objects for arguments, plain values for texts', async () => {
  const { setting, client } = await deviceSetting({ tools: [unlock] });
  setting.daemon.model.next([text('a'), call('echo', { message: 'x' }), call('unlock', { door: 'front' })], 'b');
  client.send({ type: 'register_tools', tools: [{ name: 'device_info', description: 'd', parameters: {} }] });
  await client.ask('go');
  client.send({ type: 'get_registered_tools' });
  await client.next('registered_tools');
  const texts = ['output', 'content', 'full_response', 'message', 'id', 'name', 'type'];
  for (const frame of client.frames) {
    if (frame.args !== undefined) expect(frame.args).toEqual(expect.objectContaining({}));
    for (const key of texts) expect(['string', 'number', 'boolean', 'undefined']).toContain(typeof frame[key]);
  }
});
