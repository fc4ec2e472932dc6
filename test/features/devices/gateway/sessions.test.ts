import { describe, expect, test } from 'vitest';
import { ModelError } from '../../../../src/models/language-model.ts';
import { countSyncs } from '../../../support/count-syncs.ts';
import { deviceSetting, gatewaySetting, pairedSetting } from '../../../support/gateway/gateway-setting.ts';
import { held } from '../../../support/scripted-model.ts';

const session = { query: 'session_id=s1' };

describe('a session', () => {
  test('belongs to the person who has first chosen its name', async () => {
    const setting = await gatewaySetting({ allowFrom: ['bob'] });
    const bob = await setting.token('phone', 'bob');
    const client = await setting.device(session);
    const late = setting.open({ ...session, token: bob });
    expect(await late.next('error')).toMatchObject({ code: 'SESSION_OWNER_MISMATCH' });
    expect(await late.whenClosed()).toBe(1008);
    const renamed = setting.open({ token: bob });
    await renamed.next('session_start');
    renamed.send({ type: 'connect', session_id: 's1' });
    expect(await renamed.next('error')).toMatchObject({ code: 'SESSION_OWNER_MISMATCH' });
    expect((await setting.ask('/api/sessions/s1/messages', bob)).status).toBe(404);
    expect((await setting.ask('/api/sessions/s1/abort', bob, { method: 'POST' })).status).toBe(404);
    await client.ask('mine');
    expect([...late.all('chunk'), ...renamed.all('chunk')]).toEqual([]);
  });

  test.each(['a/b', '..', 'a b', 'x'.repeat(129), '%00'])('is not called %j', async (name) => {
    const setting = await gatewaySetting();
    const client = setting.open({ token: await setting.token(), query: `session_id=${encodeURIComponent(name)}` });
    expect(await client.next('error')).toMatchObject({ code: 'INVALID_SESSION_ID' });
  });

  test('is shown on all devices of its person, and on those only', async () => {
    const setting = await gatewaySetting({ allowFrom: ['bob'] });
    const phone = await setting.device(session);
    const tablet = await setting.device({ ...session, token: await setting.token('tablet') });
    const foreign = await setting.device({ token: await setting.token('phone', 'bob') });
    phone.send({ type: 'message', content: 'hello' });
    expect(await tablet.next('done')).toMatchObject({ full_response: 'echo: hello' });
    tablet.send({ type: 'message', content: 'and I' });
    await phone.next('done');
    expect(await phone.next('done')).toMatchObject({ full_response: 'echo: and I' });
    foreign.send({ type: 'ping' });
    await foreign.next('pong');
    expect(foreign.frames.map(({ type }) => type)).toEqual(['session_start', 'connected', 'pong']);
  });

  test('is one of as many as a person may have, on all devices and in all accounts of theirs', async () => {
    const { setting, token, client } = await deviceSetting(
      { allowFrom: ['bob'], gateway: { max_sessions_per_person: 2 } },
      session,
    );
    client.send({ type: 'connect', session_id: 's2' });
    await client.next('connected');
    const another = setting.open({ token: await setting.token('tablet'), query: 'session_id=s3' });
    expect(await another.next('error')).toMatchObject({ code: 'TOO_MANY_SESSIONS' });
    expect(await another.whenClosed()).toBe(1008);
    // One of which they have said nothing yet is nobody's.
    const nameless = await setting.open({ token }).greet();
    expect(await nameless.ask('hello', 'error')).toMatchObject({ code: 'TOO_MANY_SESSIONS' });
    await setting.open({ ...session, token }).greet();
    await setting.device({ token: await setting.token('phone', 'bob'), query: 'session_id=s3' });
  });

  test('is told from others in more than capitals: its folder may not be', async () => {
    const { setting, token } = await pairedSetting({ allowFrom: ['bob'] });
    await setting.device({ ...session, token });
    const foreign = setting.open({ token: await setting.token('phone', 'bob'), query: 'session_id=S1' });
    expect(await foreign.next('error')).toMatchObject({ code: 'SESSION_OWNER_MISMATCH' });
    await setting.device({ token, query: 'session_id=S1' });
  });

  test('is resumed, with what was said in it', async () => {
    const { setting, token, client } = await deviceSetting({}, session);
    await client.ask('hello');
    await setting.daemon.restart();
    const again = setting.open({ ...session, token });
    expect(await again.next('session_start')).toMatchObject({ session_id: 's1', resumed: true, message_count: 2 });
    const messages = await (await setting.ask('/api/sessions/s1/messages', token)).json();
    expect(messages).toMatchObject({
      session_id: 's1',
      messages: [
        { role: 'user', content: 'hello' },
        { role: 'assistant', content: 'echo: hello' },
      ],
    });
    const listed = await (await setting.ask('/api/sessions', token)).json();
    expect(listed).toMatchObject({ sessions: [{ session_id: 's1', message_count: 2 }] });
  });

  test('that runs is listed as running, and aborted without a socket; its history marks what was read of it', async () => {
    const { setting, token, client } = await deviceSetting({}, session);
    setting.daemon.model.next({ early: 'I begin', rest: held('never').script });
    await client.ask('write', 'chunk');
    const running = await (await setting.ask('/api/sessions/running', token)).json();
    expect(running).toMatchObject({ sessions: [{ session_id: 's1' }] });
    const abort = await setting.ask('/api/sessions/s1/abort', token, { method: 'POST' });
    expect(await abort.json()).toEqual({ status: 'aborted' });
    await client.next('aborted');
    const again = await setting.ask('/api/sessions/s1/abort', token, { method: 'POST' });
    expect(await again.json()).toEqual({ status: 'no_active_response' });
    const { messages } = Object(await (await setting.ask('/api/sessions/s1/messages', token)).json());
    expect(messages).toMatchObject([
      { role: 'user', content: 'write' },
      { role: 'assistant', content: 'I begin\n\n*(interrupted)*' },
    ]);
  });

  test('has an answer in its history that the model broke off, with a mark', async () => {
    const { setting, token, client } = await deviceSetting({}, session);
    const cut = (): never => {
      throw new ModelError('unavailable', 'It broke off.');
    };
    setting.daemon.model.next({ early: 'I begin', rest: cut });
    await client.ask('write', 'error');
    const { messages } = Object(await (await setting.ask('/api/sessions/s1/messages', token)).json());
    expect(messages).toMatchObject([
      { role: 'user', content: 'write' },
      { role: 'assistant', content: expect.stringMatching(/^I begin\n\n\*\(interrupted\)\*/) },
    ]);
  });

  test('ends as aborted though the disk has not answered yet', async () => {
    const syncs = countSyncs();
    const { setting, token, client } = await deviceSetting({}, session);
    setting.daemon.model.next({ early: 'I begin', rest: held('never').script });
    await client.ask('write', 'chunk');
    syncs.hold();
    const abort = setting.ask('/api/sessions/s1/abort', token, { method: 'POST' });
    await client.next('aborted');
    syncs.release();
    expect(await (await abort).json()).toEqual({ status: 'aborted' });
    expect(client.all('done')).toEqual([]);
  });
});

describe('a client that comes back', () => {
  test('is shown what it has missed, and nothing twice', async () => {
    const { setting, token, client } = await deviceSetting({}, session);
    const { seq } = await client.ask('one');
    const answer = held('two');
    setting.daemon.model.next({ early: 'I think', rest: answer.script });
    await client.ask('more', 'chunk');
    await client.vanish();
    answer.release();
    const again = await setting.open({ ...session, token }).greet({ last_seq: seq ?? 0 });
    expect(await again.next('replay')).toMatchObject({ complete: true });
    expect(await again.next('done')).toMatchObject({ full_response: 'I thinktwo' });
    const numbers = again.frames.flatMap((frame) =>
      typeof frame.seq === 'number' && frame.type !== 'session_start' ? [frame.seq] : [],
    );
    expect(numbers).toEqual([...new Set(numbers)].sort((a, b) => a - b));
    expect(numbers.every((number) => number > Number(seq))).toBe(true);
    expect(
      again
        .all('chunk')
        .map(({ content }) => content)
        .join(''),
    ).toBe('I thinktwo');
  });

  test('without saying what it has seen is shown the turn that goes on, and its end', async () => {
    const { setting, token, client } = await deviceSetting({}, session);
    const answer = held(' there');
    setting.daemon.model.next({ early: 'Hello', rest: answer.script });
    await client.ask('hi', 'chunk');
    await client.vanish();
    const again = await setting.open({ ...session, token }).greet();
    expect(await again.next('chunk')).toMatchObject({ content: 'Hello' });
    answer.release();
    expect(await again.next('done')).toMatchObject({ full_response: 'Hello there' });
  });

  test('is not told that a turn is over which a restart has interrupted', async () => {
    const { setting, token, client } = await deviceSetting({}, session);
    setting.daemon.model.next({ early: 'I begin', rest: held('never').script }, 'whole');
    const { seq } = await client.ask('write', 'chunk');
    await setting.daemon.restart();
    expect(await client.whenClosed()).toBe(1001);
    expect(client.frames.filter(({ type }) => ['done', 'aborted', 'error'].includes(String(type)))).toEqual([]);
    setting.daemon.clock.advance(1000);
    const again = await setting.open({ ...session, token }).greet({ last_seq: seq ?? 0 });
    expect(await again.next('done')).toMatchObject({ full_response: 'whole' });
  });

  test.each([
    ['what it has seen is forgotten', 1],
    ['the clock was set back', 9_000_000_000_000],
  ])('after a restart is brought what was not delivered, and told that some may be missing: %s', async (_why, seq) => {
    const { setting, token, client } = await deviceSetting({}, session);
    const answer = held('at last');
    setting.daemon.model.next(answer.script);
    client.send({ type: 'message', content: 'hi' });
    await setting.daemon.model.asked(1);
    await client.vanish();
    setting.daemon.model.next('at last');
    await setting.daemon.restart();
    const again = await setting.open({ ...session, token }).greet({ last_seq: seq });
    expect(await again.next('replay')).toMatchObject({ complete: false });
    expect(await again.next('done')).toMatchObject({ full_response: 'at last' });
  });
});

test('a device that is gone before its name is stored is shown nothing: the answer waits for one that is there', async () => {
  const syncs = countSyncs();
  const setting = await gatewaySetting({ gateway: { max_frames_per_sec: 20 } });
  const token = await setting.token('');
  const options = { token, query: 'session_id=one' };
  const gone = setting.open(options);
  await gone.next('session_start');
  syncs.hold();
  gone.send({ type: 'connect', v: 1, device_name: 'Pixel' });
  await expect.poll(() => setting.daemon.rows('SELECT name FROM devices')).toEqual([{ name: 'Pixel' }]);
  // It is closed from our side, while the name waits for the disk.
  for (let number = 0; number < 60; number += 1) gone.send({ type: 'ping' });
  expect(await gone.whenClosed()).toBe(1008);
  syncs.release();

  const metrics = async (): Promise<string> => (await setting.ask('/metrics', token)).text();
  const asking = await setting.open(options).greet();
  setting.daemon.model.next(async () => {
    asking.socket.terminate();
    while (!/gateway_sockets 0\b/.test(await metrics())) await new Promise(setImmediate);
    return 'the answer';
  });
  asking.send({ type: 'message', content: 'hello' });
  const queued = (): readonly unknown[] => setting.daemon.rows(`SELECT id FROM outbox WHERE lane = 'device:one'`);
  while (queued().length === 0) await new Promise(setImmediate);
  await setting.daemon.restart();
  const back = await setting.open(options).greet();
  expect(await back.next('done')).toMatchObject({ full_response: 'the answer' });
});
