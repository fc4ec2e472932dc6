import { expect, test } from 'vitest';
import { gatewaySetting } from '../support/gateway/gateway-setting.ts';

test('a device that is gone before its name is stored is shown nothing: the answer waits for one that is there', async () => {
  const setting = await gatewaySetting({ gateway: { max_frames_per_sec: 20 } });
  const token = await setting.token('');
  const options = { token, query: 'session_id=one' };
  const gone = setting.open(options);
  await gone.next('session_start');
  gone.send({ type: 'connect', v: 1, device_name: 'Pixel' });
  // It is closed at once, from our side, while the name waits for the database.
  for (let number = 0; number < 60; number += 1) gone.send({ type: 'ping' });
  expect(await gone.whenClosed()).toBe(1008);
  expect(setting.daemon.rows('SELECT name FROM devices')).toEqual([{ name: 'Pixel' }]);

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
