import { connect } from 'node:net';
import { expect, test } from 'vitest';
import { gatewaySetting } from '../support/gateway/gateway-setting.ts';

const wait = (ms: number) => new Promise((r) => setTimeout(r, ms));
function raw(address: string) {
  const socket = connect({ port: Number(new URL(address).port), host: '127.0.0.1', allowHalfOpen: true });
  let said = '';
  let closed = false;
  let ended = false;
  socket.on('data', (d) => {
    said += d;
  });
  socket.on('error', () => {});
  socket.on('end', () => {
    ended = true;
  });
  socket.on('close', () => {
    closed = true;
  });
  return { socket, said: () => said, closed: () => closed, ended: () => ended };
}

test('half-open refused upgrade', async () => {
  const s = await gatewaySetting();
  const r = raw(s.address);
  r.socket.write(
    'GET /ws/chat HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\nSec-WebSocket-Version: 13\r\n\r\n',
  );
  await wait(300);
  console.log('refused', r.said().slice(0, 30), 'ended', r.ended());
  r.socket.write('x');
  await wait(300);
  r.socket.write('x');
  await wait(300);
  console.log('closed after write', r.closed());
  const started = Date.now();
  await Promise.race([s.daemon.stop(), wait(4000)]);
  console.log('stop took', Date.now() - started);
  r.socket.destroy();
});

test('ws ping flood', async () => {
  const s = await gatewaySetting();
  const c = await s.device();
  const sock = Reflect.get(c.socket, '_socket');
  sock.pause();
  const before = process.memoryUsage().rss;
  for (let i = 0; i < 200000 && c.closed === undefined; i++) {
    c.socket.ping('x'.repeat(100));
    if (i % 5000 === 0) await wait(1);
  }
  await wait(500);
  console.log('ping flood', c.closed, (process.memoryUsage().rss - before) / 1e6, 'buffered', c.socket.bufferedAmount);
  sock.resume();
  await wait(500);
  console.log('ping flood', c.closed);
});

test('deep', async () => {
  const s = await gatewaySetting();
  const c = await s.device();
  const deep = '['.repeat(400000) + ']'.repeat(400000);
  c.sendRaw(`{"type":"register_tools","tools":${deep}}`);
  await wait(500);
  console.log(JSON.stringify(c.frames.slice(2)), c.closed);
  c.sendRaw(`{"type":"register_tools","tools":[{"name":"a","parameters":{"x":${deep}}}]}`);
  await wait(500);
  console.log(JSON.stringify(c.frames.slice(2)), c.closed);
  c.sendRaw(`{"type":"tool_result","id":"q","output":${deep}}`);
  c.sendRaw(`{"type":"approval_response","id":"${'z'.repeat(500000)}","decision":"allow"}`);
  c.sendRaw('{"type":"approval_response","id":"x","choice":"\\u0000"}');
  c.sendRaw('{"type":"approval_response","id":"\\ud800","decision":"deny","reason":"\\ud800"}');
  c.sendRaw('{"type":"constructor"}');
  c.sendRaw('{"type":"message","content":"x","message_id":"__proto__"}');
  await wait(800);
  console.log(JSON.stringify(c.frames.slice(2)).slice(0, 2500), c.closed);
});

test('deep result of a real call', async () => {
  const s = await gatewaySetting();
  const c = await s.device();
  c.send({ type: 'register_tools', tools: [{ name: 'battery', description: 'x', parameters: { type: 'object' } }] });
  await c.next('tools_registered');
  s.daemon.model.next({ calls: [['battery', {}]] } as never);
  c.send({ type: 'message', content: 'go' });
  await wait(1000);
  console.log(JSON.stringify(c.frames.slice(2)).slice(0, 1500));
});

test('link from a device', async () => {
  const s = await gatewaySetting({ allowFrom: ['bob'] });
  const c = await s.device();
  c.send({ type: 'message', content: '/link' });
  const done = await c.next('done');
  console.log(done);
});

test('approval by a stranger', async () => {
  const s = await gatewaySetting({ allowFrom: ['bob'] });
  const bob = await s.device({ token: await s.token('bobphone', 'bob') });
  console.log((await (await s.ask('/metrics', await s.token('b2', 'bob'))).text()).slice(0, 100));
  bob.send({ type: 'approval_response', id: 'nonexist', decision: 'allow' });
  console.log(await bob.next('approval_ack'));
});

test('ws misc', async () => {
  const s = await gatewaySetting();
  const token = await s.token();
  for (const q of ['token=', 'token', `Token=${token}`, 'ticket=', 'token=%20']) {
    const c = s.open({ query: q });
    console.log(q.slice(0, 10), await c.whenRefused());
  }
  for (const h of [
    { Authorization: 'Bearer' },
    { Authorization: 'Bearer ' },
    { Authorization: `Basic ${token}` },
    { Authorization: `Bearer ${token} x` },
    { Authorization: `bearer\t${token}` },
  ] as Record<string, string>[]) {
    const c = s.open({ headers: h });
    console.log(JSON.stringify(h).slice(0, 30), await c.whenRefused());
  }
  const t = (await (await s.ask('/api/ticket', token, { method: 'POST' })).json()) as { ticket: string };
  const many = Array.from({ length: 8 }, () => s.open({ query: `ticket=${t.ticket}` }));
  await wait(500);
  console.log('ticket race', many.filter((c) => c.refused === undefined).length);
  for (const host of [
    'LOCALHOST',
    'localhost.',
    'localhost:',
    '127.0.0.1.',
    '127.1',
    '[::1]:1',
    '[::ffff:127.0.0.1]',
    '0.0.0.0',
    'localhost:42:43',
    'evil@localhost',
    'localhost,evil',
    ' localhost ',
    'localhost:1@evil',
  ]) {
    const r = raw(s.address);
    r.socket.write(`GET /healthz HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`);
    await wait(100);
    console.log(host, r.said().slice(9, 12));
    r.socket.destroy();
  }
  for (const headers of [
    'Host: localhost\r\nHost: evil',
    'Host: evil\r\nHost: localhost',
    'Host: localhost\r\nOrigin: \r\n',
    'Host: localhost\r\nOrigin: null',
    'Host: localhost\r\nOrigin: http://localhost\r\nOrigin: http://evil',
    'Host: localhost\r\nContent-Length: 5\r\nTransfer-Encoding: chunked',
  ]) {
    for (const path of ['GET /healthz', 'GET /ws/chat']) {
      const r = raw(s.address);
      r.socket.write(
        `${path} HTTP/1.1\r\n${headers}\r\nAuthorization: Bearer ${token}\r\nConnection: ${path.includes('ws') ? 'Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\nSec-WebSocket-Version: 13' : 'close'}\r\n\r\n`,
      );
      await wait(100);
      console.log(JSON.stringify(headers), path, r.said().slice(9, 12));
      r.socket.destroy();
    }
  }
  expect(1).toBe(1);
});
