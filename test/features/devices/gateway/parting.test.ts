import { describe, expect, test } from 'vitest';
import { deviceSetting, type GatewaySetting, gatewaySetting } from '../../../support/gateway/gateway-setting.ts';
import { linked, pair } from '../../../support/link-setting.ts';
import { held } from '../../../support/scripted-model.ts';

const session = { query: 'session_id=s1' };

/** Bob's account is linked with Ada's, and a device of each shows the same session. */
async function together() {
  const setting = await gatewaySetting({ allowFrom: ['bob'] });
  const { channel } = setting.daemon;
  await linked([channel, 'ada'], [channel, 'bob']);
  const ada = await setting.device({ ...session, token: await setting.token('hers', 'ada') });
  const token = await setting.token('his', 'bob');
  return { setting, ada, bob: await setting.device({ ...session, token }), token };
}

async function part({ daemon: { channel } }: GatewaySetting): Promise<void> {
  await channel.ask('/unlink test:bob', 'no longer linked');
}

describe('a device whose rights end', () => {
  test('is disconnected at once when its person’s account is unpaired, and is refused from then on', async () => {
    const setting = await gatewaySetting();
    await pair(setting.daemon.channel, 'pia');
    const token = await setting.token('phone', 'pia');
    const client = await setting.device({ token });
    const owner = await setting.device();
    await setting.daemon.channel.say('/unpair pia');
    expect(await client.whenClosed()).toBe(1008);
    expect(await setting.open({ token }).whenRefused()).toBe(403);
    owner.send({ type: 'ping' });
    await owner.next('pong');
  });

  test('is disconnected when the session no longer belongs to its person, and gets nothing more of it', async () => {
    const { setting, ada, bob, token } = await together();
    await part(setting);
    expect(await bob.whenClosed()).toBe(1008);
    await ada.ask('mine alone');
    expect(JSON.stringify(bob.frames)).not.toContain('mine alone');
    expect(await setting.open({ ...session, token }).next('error')).toMatchObject({ code: 'SESSION_OWNER_MISMATCH' });
    // What is their own is still theirs.
    await setting.open({ token, query: 'session_id=his' }).greet();
  });

  test('gets nothing more of a running turn of a session that is no longer its person’s, and cannot abort it', async () => {
    const { setting, ada, bob, token } = await together();
    const rest = held('the end');
    setting.daemon.model.next({ early: 'I begin', rest: rest.script });
    ada.send({ type: 'message', content: 'write' });
    await bob.next('chunk');
    await part(setting);
    bob.send({ type: 'abort' });
    expect(await bob.whenClosed()).toBe(1008);
    expect((await setting.ask('/api/sessions/s1/abort', token, { method: 'POST' })).status).toBe(404);
    rest.release();
    expect((await ada.next('done')).full_response).toContain('the end');
    expect(JSON.stringify(bob.frames)).not.toContain('the end');
  });

  test('offers its tools no longer to a person whose account was unlinked', async () => {
    const { setting, bob, token } = await together();
    const own = await setting.open({ token, query: 'session_id=his' }).greet();
    await own.offer({ name: 'torch', description: 'Lights.', parameters: {} });
    await setting.daemon.channel.say('hello');
    expect(JSON.stringify((await setting.daemon.model.asked(1)).tools)).toContain('torch');
    await part(setting);
    await bob.whenClosed();
    await setting.daemon.channel.say('hello again');
    expect(JSON.stringify((await setting.daemon.model.asked(2)).tools)).not.toContain('torch');
    expect(own.closed).toBeUndefined();
  });
});

describe('a device', () => {
  test('links no accounts: a stolen device must not leave an account behind', async () => {
    const { setting, client } = await deviceSetting();
    const { full_response: words } = await client.ask('/link');
    expect(words).toContain('in another chat');
    expect(words).not.toContain('The code');
    expect(setting.daemon.rows('SELECT * FROM link_codes')).toEqual([]);
  });

  test('does not keep its person from linking another account, nor counts as one', async () => {
    const setting = await gatewaySetting({ allowFrom: ['bob'] });
    const { channel } = setting.daemon;
    const token = await setting.token('his', 'bob');
    await setting.device({ ...session, token: await setting.token('hers', 'ada') });
    await linked([channel, 'ada'], [channel, 'bob']);
    await setting.open({ ...session, token }).greet();
    channel.clear();
    expect((await channel.ask('/links', '`/unlink ID`')).text).not.toContain('device:');
  });
});
