import { setImmediate } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';
import { daemonSetting } from '../support/daemon-setting.ts';

/** Frees what nothing holds; gives what is still in use, in megabytes. */
async function collected(): Promise<number> {
  setFlagsFromString('--expose-gc');
  const collect: unknown = runInNewContext('gc');
  if (typeof collect !== 'function') throw new Error('there is no gc');
  for (let times = 0; times < 3; times += 1) {
    // A WeakRef holds its target until the turn in which it was made is over.
    await setImmediate();
    collect();
  }
  return process.memoryUsage().heapUsed / 2 ** 20;
}

test('1,000 edits leave the memory as it was', async () => {
  const setting = await daemonSetting();
  const setups: WeakRef<object>[] = [];
  const edit = async (number: number): Promise<void> => {
    const sandbox = { shell: { allowed_domains: [`host${number % 7}.example`] }, disabled: [`tool${number}`] };
    const custom_tools = [{ name: `tool${number % 5}`, description: `Edit ${number}.`, command: `echo ${number}` }];
    const hooks = { before_tool_call: [{ command: `echo ${number}` }] };
    const keys = { agent: { instructions: `Edit ${number}.` }, tools: sandbox, custom_tools, hooks };
    setups.push(new WeakRef(await setting.edit(keys)));
    if (number % 50 === 0) {
      await setting.channel.ask(`hello ${number}`, `echo: hello ${number}`);
      // The platform's memory of what it was told is not Keyturn's.
      setting.channel.clear();
      setting.channel.traffic.length = 0;
      for (const list of [setting.model.requests, setting.model.timed]) list.length = 0;
    }
  };
  for (let number = 0; number < 200; number += 1) await edit(number);
  const before = await collected();
  for (let number = 200; number < 1_200; number += 1) await edit(number);
  const grown = (await collected()) - before;
  const held = setups.filter((setup) => setup.deref() !== undefined).length;
  console.log(`1,000 edits: ${before.toFixed(1)} MB, and ${grown.toFixed(1)} MB more; ${held} setups are held`);
  expect(held).toBeLessThan(4);
  // What the engine compiles meanwhile takes up to 4 MB; 20 kB kept per edit would take 20.
  expect(grown).toBeLessThan(10);
});
