import { connect, createServer, type Socket } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import { deviceWords } from '../../../../src/features/devices/words.ts';
import {
  deviceSetting,
  type GatewaySetting,
  gatewaySetting,
  pairedSetting,
} from '../../../support/gateway/gateway-setting.ts';
import { waitUntil } from '../../../support/wait-for.ts';

/** A client that does this is gone, and everybody else is served. */
async function isWell(setting: GatewaySetting): Promise<void> {
  const client = await setting.device({ token: await setting.token('witness') });
  expect(await client.ask('still there?')).toMatchObject({ full_response: 'echo: still there?' });
}

function rawSocket({ address }: GatewaySetting): { readonly socket: Socket; readonly closed: Promise<string> } {
  const socket = connect(Number(new URL(address).port), '127.0.0.1');
  onTestFinished(() => {
    socket.destroy();
  });
  let said = '';
  socket.on('data', (data) => {
    said += String(data);
  });
  socket.on('error', () => {});
  return { socket, closed: new Promise((resolve) => socket.on('close', () => resolve(said))) };
}

/** A port at which another program listens. */
async function takenPort() {
  const { promise, resolve } = Promise.withResolvers<number>();
  const squatter = createServer().listen(0, '127.0.0.1', () => {
    const address = squatter.address();
    resolve(typeof address === 'object' && address !== null ? address.port : 0);
  });
  return { squatter, port: await promise };
}

describe('the gateway bears', () => {
  test('a request that never comes to its end', async () => {
    const setting = await gatewaySetting({ gateway: { hello_secs: 1 } });
    const slow = Array.from({ length: 20 }, () => rawSocket(setting));
    for (const { socket } of slow) socket.write('GET /healthz HTTP/1.1\r\nHost: localhost\r\nX-Slow: ');
    for (const said of await Promise.all(slow.map(({ closed }) => closed))) expect(said).toContain('408');
    await isWell(setting);
  });

  test('headers, bodies and addresses that are too long', async () => {
    const setting = await gatewaySetting();
    const { socket, closed } = rawSocket(setting);
    socket.write(`GET /healthz HTTP/1.1\r\nHost: localhost\r\nX-Long: ${'x'.repeat(20_000)}\r\n\r\n`);
    expect(await closed).toContain('431');
    const long = await setting.ask('/pair', undefined, { method: 'POST', body: 'x'.repeat(20_000) });
    expect(long.status).toBe(413);
    const endless = rawSocket(setting);
    endless.socket.write(
      'POST /pair HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n',
    );
    expect(await endless.closed).toContain('411');
    await isWell(setting);
  });

  test('garbage in place of HTTP', async () => {
    const setting = await gatewaySetting();
    const { socket, closed } = rawSocket(setting);
    socket.write(Buffer.from([0, 1, 2, 255, 254, 10, 13, 10, 13, 10]));
    expect(await closed).toContain('400');
    await isWell(setting);
  });

  test('garbage in place of frames', async () => {
    const { setting, token } = await pairedSetting();
    const client = await setting.open({ token }).greet();
    for (const garbage of ['', '[]', 'null', '7', '"x"', '{"type":{}}', '{"type":"message","content":{}}', '\u0000']) {
      client.sendRaw(garbage);
      expect(await client.next('error')).toMatchObject({ code: expect.any(String) });
    }
    client.sendRaw('{"type":"register_tools","tools":{"__proto__":1}}');
    await client.next('error');
    client.socket.send(Buffer.from([1, 2, 3]));
    client.send({ type: 'ping' });
    await client.next('pong');
    // A text that is no UTF-8, and a frame that nobody may send.
    const broken = await setting.open({ token }).greet();
    Reflect.get(broken.socket, '_socket').write(Buffer.from([0x81, 0x82, 0, 0, 0, 0, 0xc3, 0x28]));
    expect([1006, 1007]).toContain(await broken.whenClosed());
    await isWell(setting);
  });

  test('a frame that is too long', async () => {
    const { setting, client } = await deviceSetting();
    client.send({ type: 'message', content: 'x'.repeat(1_048_576) });
    expect([1006, 1009]).toContain(await client.whenClosed());
    await isWell(setting);
  });

  test('a flood of frames', async () => {
    const { setting, client } = await deviceSetting({ gateway: { max_frames_per_sec: 20 } });
    for (let frame = 0; frame < 1000; frame += 1) client.send({ type: 'ping' });
    expect(await client.whenClosed()).toBe(1008);
    expect(client.all('pong').length).toBeLessThan(50);
    await isWell(setting);
  });

  test('a socket that says nothing, one that is dead, and one that has nothing to say for long', async () => {
    const setting = await gatewaySetting({ gateway: { idle_secs: 3600 } });
    const { clock } = setting.daemon;
    const token = await setting.token();
    const mute = setting.open({ token });
    await mute.next('session_start');
    clock.advance(10_000);
    expect(await mute.whenClosed()).toBe(1008);
    const dead = await setting.open({ token }).greet();
    Reflect.get(dead.socket, '_socket').pause();
    const idle = await setting.open({ token }).greet();
    for (let ping = 0; ping < 3; ping += 1) {
      const heard = new Promise((resolve) => idle.socket.once('ping', resolve));
      clock.advance(20_000);
      await heard;
      idle.send({ type: 'ping' });
      await idle.next('pong');
    }
    Reflect.get(dead.socket, '_socket').resume();
    expect(await dead.whenClosed()).toBe(1006);
    expect(idle.closed).toBeUndefined();
    clock.advance(3_600_001);
    expect(await idle.whenClosed()).toBe(1001);
  });

  test('somebody who does not read', async () => {
    const { setting, token } = await pairedSetting();
    const query = 'session_id=s1';
    const [lazy, reader] = [await setting.device({ token, query }), await setting.device({ token, query })];
    Reflect.get(lazy.socket, '_socket').pause();
    for (let turn = 0; turn < 12; turn += 1) {
      setting.daemon.model.next('word '.repeat(180_000));
      await reader.ask('go on');
    }
    Reflect.get(lazy.socket, '_socket').resume();
    await lazy.whenClosed();
    expect(lazy.all('done').length).toBeLessThan(12);
    await isWell(setting);
  });

  test('a client that was refused and does not hang up', async () => {
    const setting = await gatewaySetting();
    const socket = connect({ port: Number(new URL(setting.address).port), allowHalfOpen: true });
    onTestFinished(() => {
      socket.destroy();
    });
    const upgrade = 'Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13';
    socket.write(`GET /ws/chat HTTP/1.1\r\nHost: localhost\r\n${upgrade}\r\n\r\n`);
    await new Promise((resolve) => socket.resume().once('end', resolve));
    const broken = new Promise((resolve) => socket.once('error', resolve));
    await waitUntil(() => !socket.write('more') || socket.destroyed);
    expect(await broken).toMatchObject({ code: expect.stringMatching(/EPIPE|ECONNRESET/) });
    await setting.daemon.stop();
  });

  test('a flood of pings', async () => {
    const { setting, client } = await deviceSetting({ gateway: { max_frames_per_sec: 20 } });
    for (let ping = 0; ping < 100; ping += 1) client.socket.ping();
    expect(await client.whenClosed()).toBe(1008);
    const other = await setting.device();
    for (let pong = 0; pong < 100; pong += 1) other.socket.pong();
    expect(await other.whenClosed()).toBe(1008);
  });

  test('as many sockets as may be, and no more', async () => {
    const { setting, token } = await pairedSetting({ gateway: { max_connections: 2 } });
    const open = await setting.open({ token }).greet();
    await setting.open({ token }).greet();
    expect(await setting.open({ token }).whenRefused()).toBe(503);
    // An edit of a limit holds at once, also for those that stay connected.
    await setting.daemon.edit({ gateway: { enabled: true, port: 0, max_connections: 3, max_frames_per_sec: 1 } });
    await setting.open({ token }).greet();
    expect(open.closed).toBeUndefined();
    for (let ping = 0; ping < 10; ping += 1) open.socket.ping();
    expect(await open.whenClosed()).toBe(1008);
  });

  test('a port that another program has, and listens there once it is free', async () => {
    const { squatter, port } = await takenPort();
    const setting = await gatewaySetting({ gateway: { port } });
    const { channel, clock } = setting.daemon;
    const { text } = await channel.ask('/status', deviceWords.en.portTaken({ host: '127.0.0.1', port }));
    expect(text).toMatch(/device: not reachable .*127\.0\.0\.1/);
    await new Promise((closed) => squatter.close(closed));
    clock.advance(5_000);
    await waitUntil(async () => {
      channel.clear();
      return (await channel.ask('/status details', '- device:')).text.includes('device: connected');
    });
    expect((await setting.ask('/healthz')).status).toBe(200);
  });

  test('being closed while another program has its port, and does not listen there after that', async () => {
    const { squatter, port } = await takenPort();
    const { daemon } = await gatewaySetting({ gateway: { port } });
    await daemon.channel.ask('/status', deviceWords.en.portTaken({ host: '127.0.0.1', port }));
    await daemon.edit({ gateway: { enabled: false, port } });
    await new Promise((closed) => squatter.close(closed));
    daemon.clock.advance(5_000);
    await expect(fetch(`http://127.0.0.1:${port}/healthz`)).rejects.toThrow();
  });

  test('being closed while devices are connected', async () => {
    const { setting, client } = await deviceSetting();
    const { address } = setting;
    await setting.daemon.stop();
    expect(await client.whenClosed()).toBe(1001);
    await expect(fetch(`${address}/healthz`)).rejects.toThrow();
  });
});
