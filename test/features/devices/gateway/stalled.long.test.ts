import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { connect, Socket } from 'node:net';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { deviceSetting } from '../../../support/gateway/gateway-setting.ts';
import { call } from '../../../support/scripted-model.ts';

test('who asks for a file and does not read it is cut off', { timeout: 60_000 }, async () => {
  const { setting, token, client } = await deviceSetting({ gateway: { hello_secs: 1 } });
  await writeFile(join(setting.daemon.workspace, 'large.bin'), Buffer.alloc(24 * 2 ** 20));
  setting.daemon.model.next([call('send_file', { path: 'large.bin' })], 'Done.');
  const { path } = await client.ask('show it', 'file');
  const { hostname, port } = new URL(setting.address);
  const taken = nextAccepted();
  const socket = connect(Number(port), hostname);
  onTestFinished(() => void socket.destroy());
  const closed = new Promise<number>((resolve) => {
    socket.on('error', () => {});
    socket.on('close', () => resolve(socket.bytesRead));
  });
  socket.pause();
  socket.write(`GET ${String(path)} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${token}\r\n\r\n`);
  // What is in the way is read only when the other end is gone.
  await once(await taken, 'close');
  socket.resume();
  expect(await closed).toBeLessThan(24 * 2 ** 20);
});

/** The server's side of the next connection that this process accepts. */
function nextAccepted(): Promise<Socket> {
  return new Promise((resolve) => {
    const take = (message: unknown): void => {
      const socket: unknown = Reflect.get(Object(message), 'socket');
      if (!(socket instanceof Socket)) return;
      unsubscribe('net.server.socket', take);
      resolve(socket);
    };
    subscribe('net.server.socket', take);
  });
}
