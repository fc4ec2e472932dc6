import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { commandWords } from '../../../../src/conversation/commands/words.ts';
import { engineWords } from '../../../../src/engine/words.ts';
import { deviceWords } from '../../../../src/features/devices/words.ts';
import { countSyncs } from '../../../support/count-syncs.ts';
import {
  deviceSetting,
  type GatewaySetting,
  gatewaySetting,
  unlock,
} from '../../../support/gateway/gateway-setting.ts';
import { call, held } from '../../../support/scripted-model.ts';
import { storageTroubles } from '../../../support/storage-troubles.ts';
import { waitUntil } from '../../../support/wait-for.ts';

async function revoke({ daemon }: GatewaySetting, name: string): Promise<void> {
  const [device] = daemon.rows(`SELECT id FROM devices WHERE name = '${name}'`);
  await daemon.channel.ask(`/devices revoke ${String(device?.id)}`, 'is cut off');
}

describe('when a device is revoked', () => {
  test('a run ends that it has begun, and what others have begun goes on', async () => {
    const setting = await gatewaySetting();
    const { model } = setting.daemon;
    const [lost, kept] = [await setting.token('lost'), await setting.token('kept')];
    const stolen = await setting.device({ token: lost, query: 'session_id=one' });
    const watching = await setting.device({ token: kept, query: 'session_id=one' });
    const own = await setting.device({ token: kept, query: 'session_id=two' });
    const before = await setting.device({ token: lost, query: 'session_id=two' });
    await before.ask('hello');
    await own.next('done');
    const [first, second] = [held('stolen answer'), held('own answer')];
    model.next({ early: 'I begin', rest: first.script }, { early: 'I begin', rest: second.script });
    stolen.send({ type: 'message', content: 'write' });
    await watching.next('chunk');
    await own.ask('write', 'chunk');
    await revoke(setting, 'lost');
    expect(await stolen.whenClosed()).toBe(1008);
    await watching.next('aborted');
    first.release();
    second.release();
    expect(await own.next('done')).toMatchObject({ full_response: expect.stringContaining('own answer') });
    expect(JSON.stringify(watching.frames)).not.toContain('stolen answer');
    expect(setting.daemon.rows("SELECT * FROM conversations WHERE id = 'device:one' AND is_open = 1")).toEqual([]);
  });

  test('its run ends though the disk has not answered yet', async () => {
    const syncs = countSyncs();
    const setting = await gatewaySetting();
    const { daemon } = setting;
    const client = await setting.device();
    const aborted = Promise.withResolvers<string>();
    const rest = (_request: unknown, signal: AbortSignal): Promise<string> => {
      signal.addEventListener('abort', () => aborted.resolve('too late'), { once: true });
      return aborted.promise;
    };
    daemon.model.next({ early: 'I begin', rest });
    await client.ask('write', 'chunk');
    const [device] = daemon.rows('SELECT id FROM devices');
    syncs.hold();
    const revoked = daemon.channel.say(`/devices revoke ${String(device?.id)}`);
    await daemon.channel.sees('is cut off');
    expect(await client.whenClosed()).toBe(1008);
    expect(await aborted.promise).toBe('too late');
    syncs.release();
    await revoked;
  });

  test.each(storageTroubles)('it is cut off at once while %s, and that is stored later', async (_what, troubleIn) => {
    const setting = await gatewaySetting();
    const { daemon } = setting;
    const token = await setting.token('lost');
    const client = await setting.device({ token });
    const slow = held('too late');
    const cutOff = deviceWords.en.revoked({ name: '`lost`' });
    daemon.model.next({ early: 'I begin', rest: slow.script });
    await client.ask('write', 'chunk');
    const [device] = daemon.rows('SELECT id FROM devices');
    const trouble = troubleIn(daemon.folder);
    const refused = expect(daemon.channel.say(`/devices revoke ${String(device?.id)}`)).rejects.toThrow();
    expect(await client.whenClosed()).toBe(1008);
    expect((await setting.ask('/api/tools', token)).status).toBe(401);
    await refused;
    await daemon.channel.sees(engineWords.en.notStoredYet({ held: cutOff, why: trouble.brief }));
    trouble.end();
    await waitUntil(() => daemon.rows('SELECT 1 FROM devices WHERE revoked_at IS NOT NULL').length > 0, {
      meanwhile: () => daemon.clock.advance(1_000),
    });
    await daemon.channel.sees(commandWords.en.storedNow({ answer: cutOff }));
    slow.release();
    expect((await setting.ask('/api/tools', token)).status).toBe(401);
  });

  test('it is paired again if storing that fails for another reason than the storage', async () => {
    const { setting, token } = await deviceSetting();
    const { daemon } = setting;
    const [device] = daemon.rows('SELECT id FROM devices');
    daemon.tamper("CREATE TRIGGER dead BEFORE UPDATE ON devices BEGIN SELECT raise(ABORT, 'no'); END");
    await daemon.channel.ask(`/devices revoke ${String(device?.id)}`, commandWords.en.commandFailed);
    expect((await setting.ask('/api/tools', token)).status).toBe(200);
  });

  test('what it has asked for and nobody has decided is called off, also in the next process', async () => {
    const { setting, client } = await deviceSetting({ tools: [unlock] });
    setting.daemon.model.next([call('unlock', { door: 'front' })], 'Done.');
    const { full_response: words } = await client.ask('open up');
    const [, id] = /\/approve ([a-z0-9]+)/.exec(String(words)) ?? [];
    await revoke(setting, 'phone');
    await setting.daemon.restart();
    await setting.daemon.channel.ask(`/approve ${id}`, /called off|another chat/);
    expect(setting.daemon.rows('SELECT outcome FROM calls')).toEqual([{ outcome: 'cancelled' }]);
    expect(setting.daemon.model.requests).toHaveLength(1);
  });

  test('none of the messages that it still sends is answered', async () => {
    const { setting, client } = await deviceSetting({ gateway: { max_frames_per_sec: 10_000 } });
    let isOver = false;
    const talking = (async () => {
      for (let number = 1; !isOver && client.closed === undefined; number += 1) {
        client.send({ type: 'message', content: `m${number}` });
        await new Promise(setImmediate);
      }
    })();
    await setting.daemon.model.asked(1);
    await revoke(setting, 'phone');
    await client.whenClosed();
    isOver = true;
    await talking;
    await setting.daemon.channel.whenIdle();
    const [last] = setting.daemon.rows(
      `SELECT max(CASE WHEN kind = 'command' THEN seq END) AS command, max(CASE WHEN kind = 'message' THEN seq END) AS message FROM inbox`,
    );
    expect(Number(last?.message)).toBeLessThan(Number(last?.command));
  });

  test('a message whose files are still being written is not taken, and nobody is told that they are a stranger', async () => {
    const setting = await gatewaySetting();
    const query = 'session_id=one';
    const stolen = await setting.device({ token: await setting.token('lost'), query });
    const watching = await setting.device({ token: await setting.token('kept'), query });
    const data = Buffer.alloc(70_000).toString('base64');
    const attachments = Array.from({ length: 10 }, (_, number) => ({ type: 'file', name: `${number}.bin`, data }));
    const folder = join(setting.daemon.folder, 'data', 'device-files', 'received');
    stolen.send({ type: 'message', content: 'look', attachments });
    while (!existsSync(folder) || readdirSync(folder).length === 0) await new Promise(setImmediate);
    await revoke(setting, 'lost');
    await watching.next('aborted');
    expect(JSON.stringify(watching.frames)).not.toContain('/pair');
    expect(setting.daemon.rows(`SELECT key FROM inbox WHERE conversation_id = 'device:one'`)).toEqual([]);
    expect(setting.daemon.model.requests).toEqual([]);
  });

  test('its message that waits behind the run of another device is not answered', async () => {
    const setting = await gatewaySetting();
    const query = 'session_id=one';
    const stolen = await setting.device({ token: await setting.token('lost'), query });
    const other = await setting.device({ token: await setting.token('kept'), query });
    const writing = held('own answer');
    setting.daemon.model.next({ early: 'I begin', rest: writing.script });
    await other.ask('write', 'chunk');
    const attachments = [{ type: 'file', name: 'a.txt', data: 'eA==' }];
    stolen.send({ type: 'message', content: 'and send it to me', message_id: 'm1', attachments });
    await stolen.next('message_accepted');
    await revoke(setting, 'lost');
    writing.release();
    expect(await other.next('done')).toMatchObject({ full_response: expect.stringContaining('own answer') });
    await other.ask('well?');
    expect(setting.daemon.model.requests).toHaveLength(2);
    expect(JSON.stringify(setting.daemon.model.requests)).not.toContain('send it to me');
    expect(setting.daemon.rows('SELECT * FROM attachments')).toEqual([]);
  });

  test('what a person says on another device in the same session is answered', async () => {
    const setting = await gatewaySetting();
    const query = 'session_id=one';
    const stolen = await setting.device({ token: await setting.token('lost'), query });
    const other = await setting.device({ token: await setting.token('kept'), query });
    const writing = held('stolen answer');
    setting.daemon.model.next({ early: 'I begin', rest: writing.script }, 'for you');
    stolen.send({ type: 'message', content: 'write' });
    await other.next('chunk');
    other.send({ type: 'message', content: 'and mine?', message_id: 'm1' });
    await other.next('message_accepted');
    await revoke(setting, 'lost');
    expect(await other.next('done')).toMatchObject({ full_response: expect.stringContaining('for you') });
    expect(JSON.stringify(other.frames)).not.toContain('stolen answer');
  });
});
