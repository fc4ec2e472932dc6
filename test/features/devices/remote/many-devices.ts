import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect } from 'vitest';
import { tool } from '../../../../packages/client/src/client.ts';
import { remoteDaemon, WatchedClient } from '../../../support/gateway/client-setting.ts';
import { SeededRandom } from '../../../support/random.ts';
import { call, resultsOf } from '../../../support/scripted-model.ts';
import { type FakeDevice, type RemoteSetting, remoteSetting, spec } from './remote-setting.ts';

const toolsEach = 20;
const schema = { type: 'object', properties: { call: { type: 'integer' } } };

interface Crowd {
  readonly devices: number;
  /** How many calls are on their way at once. */
  readonly calls: number;
}

/** Has devices called, all at once, answers in another order, and looks whether each caller is told what was meant for them. */
async function callAll(setting: RemoteSetting, devices: readonly FakeDevice[], calls: number): Promise<void> {
  const endings = await Promise.all(
    Array.from({ length: calls }, async (_, index) => {
      const principal = devices[index % devices.length]?.link.device.principal ?? '';
      const sender = { principal, name: 'Somebody' };
      const { ending } = await setting.begin(`tool_${index % toolsEach}`, { call: index }, { sender });
      return { index, principal, ending };
    }),
  );
  const requests = devices.flatMap((device) => device.requests.map((request) => ({ device, request })));
  expect(requests).toHaveLength(calls);
  expect(new Set(requests.map(({ request }) => request.id)).size).toBe(calls);
  const chance = new SeededRandom(7);
  for (const { device, request } of requests.toSorted(() => chance.next() - 0.5)) {
    const output = `${device.link.device.principal} ${request.name} ${JSON.stringify(request.args)}`;
    expect(device.answer({ id: request.id, output })).toBe('accepted');
    expect(device.answer({ id: request.id, output: 'again' })).toBe('duplicate');
  }
  for (const { index, principal, ending } of endings) {
    expect((await ending).output.forLlm).toBe(`${principal} tool_${index % toolsEach} {"call":${index}}`);
  }
  for (const device of devices) device.frames.length = 0;
}

/** Calls many devices at once, again and again, and looks whether that stays in the memory. */
export async function callsAreMatched({
  devices: count,
  calls,
  rounds,
  mostGrowth,
}: Crowd & { readonly rounds: number; readonly mostGrowth: number }): Promise<void> {
  setFlagsFromString('--expose-gc');
  const collect: () => void = runInNewContext('gc');
  const setting = await remoteSetting();
  const specs = Array.from({ length: toolsEach }, (_, index) => spec(`tool_${index}`, { parameters: schema }));
  const round = async (): Promise<number> => {
    const devices = Array.from({ length: count }, (_, index) => {
      const device = setting.device({ id: `device${index}`, principal: `test:person${index}` });
      device.offer(...specs);
      return device;
    });
    await callAll(setting, devices, calls);
    for (const device of devices) device.leave();
    expect(setting.clock.waits).toEqual([]);
    collect();
    return process.memoryUsage().heapUsed;
  };
  // The first rounds fill caches, and what every device of the crowd is remembered by.
  await round();
  const half = Math.floor(rounds / 2);
  const least = async (): Promise<number> => {
    let found = Number.POSITIVE_INFINITY;
    for (let number = 0; number < half; number += 1) found = Math.min(found, await round());
    return found;
  };
  // What is loaded or compiled meanwhile comes once; a leak grows each time.
  const growths: number[] = [];
  let before = await least();
  do {
    const after = await least();
    growths.push(after - before);
    before = after;
  } while (growths.length < 3 && Math.min(...growths) >= mostGrowth);
  expect(Math.min(...growths)).toBeLessThan(mostGrowth);
}

/** The same over real sockets, with the client library: each person's chat calls their own device. */
export async function everybodyIsAnswered({ devices: count, calls }: Crowd): Promise<void> {
  const people = Array.from({ length: count }, (_, index) => `person${index}`);
  const config = { remote_tools: { categories: { '*': 'network_read' } } };
  const setting = await remoteDaemon({ allowFrom: people, config });
  const { model, channel } = setting.daemon;
  for (const person of people) {
    const token = await setting.token('phone', person);
    const tools = Array.from({ length: toolsEach }, (_, index) =>
      tool({
        name: `tool_${index}`,
        description: 'Says whose it is.',
        parameters: schema,
        handler: (args) => `${person} ${index} ${String(args.call)}`,
      }),
    );
    const watched = new WatchedClient({ url: setting.address, token, tools, concurrency: 3 });
    await watched.heard('tools_registered');
  }
  const each = Math.ceil(calls / count);
  const said = people.map(() => Promise.withResolvers<readonly string[]>());
  model.otherwise((request) => {
    const results = resultsOf(request);
    const person = Number(/who (\d+)/.exec(JSON.stringify(request.messages))?.[1] ?? -1);
    if (results.length === 0) {
      return Array.from({ length: each }, (_, index) => call(`tool_${index % toolsEach}`, { call: index }));
    }
    said[person]?.resolve(results);
    return 'noted';
  });
  await Promise.all(people.map((by, index) => channel.say(`who ${index}`, { by })));
  for (const [index, { promise }] of said.entries()) {
    const expected = Array.from({ length: each }, (_, at) => `person${index} ${at % toolsEach} ${at}`);
    expect(await promise).toEqual(expected);
  }
}
