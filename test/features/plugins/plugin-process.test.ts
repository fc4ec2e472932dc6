import { existsSync } from 'node:fs';
import { chmod, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { extensionWords } from '../../../src/extension-kit/words.ts';
import { isJsonObject, type JsonObject, parseJson } from '../../../src/lib/json.ts';
import type { ToolOutput } from '../../../src/tools/output.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { copyPlugin, writePlugin, writeTroublesome } from '../../support/plugin-files.ts';
import { processesWith } from '../../support/processes.ts';
import { waitUntil } from '../../support/wait-for.ts';
import { type PluginSetting, type PluginSettingOptions, pluginSetting, startTrusted } from './plugin-setting.ts';

async function troublesome(options: PluginSettingOptions = {}, manifest: JsonObject = {}): Promise<PluginSetting> {
  const setting = await pluginSetting(options);
  await writeTroublesome(setting.folder, manifest);
  await startTrusted(setting, 'troublesome');
  return setting;
}

function read({ forLlm }: ToolOutput): JsonObject {
  const value = parseJson(forLlm);
  if (!isJsonObject(value)) throw new Error(`no object: ${forLlm}`);
  return value;
}

/** A call that hangs, and the id of its process. */
async function hang({ call, folder }: PluginSetting): Promise<{ hanging: Promise<ToolOutput>; pid: string }> {
  const { promise: begun, resolve } = Promise.withResolvers<void>();
  const hanging = call('hang', {}, { progress: () => resolve() });
  await begun;
  const [pid = ''] = await processesWith(folder);
  return { hanging, pid };
}

describe('a program that goes on running', () => {
  test('is started with the first call, and does all calls in one process', async () => {
    const setting = await troublesome();
    expect(await processesWith(setting.folder)).toEqual([]);
    const first = read(await setting.call('count'));
    const second = read(await setting.call('count'));
    expect([first.calls, second.calls]).toEqual([1, 2]);
    expect(second.pid).toBe(first.pid);
    expect((await processesWith(setting.folder)).length).toBe(1);
  });

  test('is told the tool, the arguments, the call and where it was asked for', async () => {
    const setting = await troublesome();
    const params = read(await setting.call('params', { a: [1, { b: null }] }, { callId: 'call-7' }));
    expect(params).toEqual({
      tool: 'params',
      args: { a: [1, { b: null }] },
      call_id: 'call-7',
      context: { channel: 'terminal', chat_id: '1', workspace: setting.workspace },
    });
  });

  test('works in the workspace, and sees none of our secrets', async () => {
    const setting = await troublesome();
    const { environment, folder } = read(await setting.call('environment'));
    expect(folder).toBe(setting.workspace);
    expect(environment).toMatchObject({ KEYTURN_PLUGIN_DIR: join(setting.folder, 'troublesome') });
    expect(JSON.stringify(environment)).not.toContain('hunter2');
  });

  test('says one thing to the model and another to people, and all of it is untrusted', async () => {
    const { call } = await troublesome();
    const untrusted = 'plugin troublesome';
    expect(await call('people')).toEqual({
      forLlm: 'for the model',
      forUser: 'for people',
      isError: false,
      isAsync: false,
      untrusted,
    });
    expect(await call('sorry')).toMatchObject({ forLlm: 'it did not work', isError: true, untrusted });
    expect(await call('number')).toMatchObject({ forLlm: '{"rolls":[1,2]}', isError: false, untrusted });
    expect(await call('refuse')).toMatchObject({ forLlm: 'no such thing', isError: true, untrusted });
    expect(await call('nonsense')).toMatchObject({ isError: true, untrusted });
  });

  test('does several calls at once, whichever ends first', async () => {
    const { call } = await troublesome();
    const waiting = [call('wait_for', { gate: 'a' }), call('wait_for', { gate: 'b' })];
    expect((await call('open', { gate: 'b' })).forLlm).toBe('opened b');
    expect((await waiting[1])?.forLlm).toBe('b is open');
    await call('open', { gate: 'a' });
    expect((await waiting[0])?.forLlm).toBe('a is open');
  });

  test('shows its progress, on one line', async () => {
    const { call } = await troublesome();
    const shown: string[] = [];
    await call('garbage', {}, { progress: (status) => shown.push(status) });
    expect(shown).toEqual(['among ⏎ garbage']);
  });

  test('may say what means nothing: it is skipped, and the log says so without its words', async () => {
    const { call, log } = await troublesome();
    expect(await call('garbage')).toMatchObject({ forLlm: 'and yet it answers', isError: false });
    expect(await call('say', { text: 'still there' })).toMatchObject({ forLlm: 'still there' });
    const skipped = log.filter(({ message }) => message.includes('means nothing'));
    expect(skipped.filter(({ level }) => level === 'warn')).toHaveLength(1);
    expect(skipped.length).toBeGreaterThan(5);
    expect(JSON.stringify(skipped)).not.toContain('not JSON"');
  });

  test('that ends after an answer has not crashed: the next call starts it at once', async () => {
    const { call, folder, log } = await troublesome({ clock: new ManualClock() });
    expect((await call('leave')).forLlm).toBe('bye');
    await waitUntil(() => log.some(({ message }) => message.includes('has ended')), { what: 'its end' });
    expect(await processesWith(folder)).toEqual([]);
    expect(read(await call('count')).calls).toBe(1);
    expect(log.filter(({ message }) => message.includes('crashed'))).toEqual([]);
  });
});

test('a call that comes while what has ended is still tidied up waits for that', async () => {
  const { call, folder } = await troublesome();
  await call('count');
  const ids = await processesWith(folder);
  await call('leave_a_child');
  // Until then it has ended, and Keyturn need not know it.
  await waitUntil(() => ids.every((id) => !existsSync(`/proc/${id}`)), { what: 'that its end was taken note of' });
  expect(read(await call('count')).calls).toBe(1);
});

describe('a call', () => {
  test('during which the program crashes ends at once, and says that its outcome is unknown', async () => {
    const { call } = await troublesome();
    const [other, crashed] = await Promise.all([call('wait_for', { gate: 'x' }), call('crash', { code: 3 })]);
    expect(crashed).toMatchObject({ isError: true, untrusted: 'plugin troublesome' });
    expect(crashed.forLlm).toMatch(/exit code 3; .*the disk has melted.*\nThe outcome is unknown: it may have done/);
    expect(other.forLlm).toContain('The outcome is unknown');
    expect(other.isError).toBe(true);
  });

  test('of a tool that only reads may be tried again after a crash', async () => {
    const { call } = await troublesome(
      {},
      { tools: [{ name: 'crash', description: 'x', category: 'network_read', parameters: { code: 'integer' } }] },
    );
    expect((await call('crash', { code: 1 })).forLlm).toContain('It only reads, so that it can be tried again.');
  });

  test('during which a line of more than 1 MiB comes ends with the program', async () => {
    const { call, folder } = await troublesome();
    expect((await call('flood')).forLlm).toContain(extensionWords.en.endedForLine({ bytes: 2 ** 20 }));
    await waitUntil(async () => (await processesWith(folder)).length === 0, { what: 'its end' });
  });

  test('during which the program asks and asks, and reads no answer, ends with it', async () => {
    const setting = await pluginSetting();
    const begin = `import { writeSync } from 'node:fs';
tools.nag = () => {
  const questions = JSON.stringify({ jsonrpc: '2.0', id: 'x'.repeat(20000), method: 'you' }) + '\\n';
  for (;;) {
    try { writeSync(1, questions); } catch (error) { if (error.code !== 'EAGAIN') throw error; }
  }
};`;
    await writeTroublesome(setting.folder, { tools: [{ name: 'nag', description: 'Nags.', parameters: {} }] }, begin);
    await startTrusted(setting, 'troublesome');
    expect((await setting.call('nag')).forLlm).toContain(extensionWords.en.endedUnread);
    await waitUntil(async () => (await processesWith(setting.folder)).length === 0, { what: 'its end' });
  });

  test('that takes too long ends, and so does a program that does not let go of it', async () => {
    const clock = new ManualClock();
    const setting = await troublesome({ clock });
    const { folder } = setting;
    const { hanging, pid } = await hang(setting);
    clock.advance(30_000);
    expect((await hanging).forLlm).toMatch(/did not end within 30 s and was ended\.\nThe outcome is unknown/);
    expect(await processesWith(folder)).toEqual([pid]);
    clock.advance(5_000);
    await waitUntil(async () => (await processesWith(folder)).length === 0, { what: 'its end' });
  });

  test('that a person stops is cancelled, and the program goes on if it lets go of it', async () => {
    const { call } = await troublesome();
    const { pid } = read(await call('count'));
    const controller = new AbortController();
    const progress = (): void => controller.abort();
    expect((await call('obedient', {}, { signal: controller.signal, progress })).isError).toBe(true);
    expect(read(await call('count')).pid).toBe(pid);
  });

  test('that a person stops ends within a second with a program that does not let go of it', async () => {
    const { call, folder } = await troublesome();
    const controller = new AbortController();
    const progress = (): void => controller.abort();
    const stopped = await call('hang', {}, { signal: controller.signal, progress });
    expect(stopped.forLlm).toContain('was stopped');
    expect(await processesWith(folder)).toEqual([]);
  });
});

describe('stopping the plugins', () => {
  test('leaves no process behind, neither children nor grandchildren', async () => {
    const setting = await troublesome();
    const { call, plugins, folder } = setting;
    const sleep = `sleep 97${Math.floor(Math.random() * 1e9)}`;
    await call('children', { sleep });
    const asArguments = sleep.replace(' ', '\0');
    await waitUntil(async () => (await processesWith(asArguments)).length === 2, { what: 'its children' });
    const { hanging } = await hang(setting);
    await plugins.stop();
    expect(await processesWith(asArguments)).toEqual([]);
    expect(await processesWith(folder)).toEqual([]);
    expect((await hanging).forLlm).toContain('The outcome is unknown');
  });

  test('takes its tools away', async () => {
    const { plugins, names } = await troublesome();
    await plugins.stop();
    expect(names()).toEqual([]);
  });
});

test('a program that is started for each call reads one request to its end, and answers with its last line', async () => {
  const setting = await pluginSetting();
  await copyPlugin('once', setting.folder);
  await startTrusted(setting, 'once');
  const { forLlm, untrusted } = await setting.call('say_once', { text: 'ä\n"; rm -rf /' });
  expect(parseJson(forLlm)).toEqual({
    jsonrpc: '2.0',
    method: 'execute',
    tool: 'say_once',
    args: { text: 'ä\n"; rm -rf /' },
  });
  expect(untrusted).toBe('plugin once');
  expect(await processesWith(setting.folder)).toEqual([]);
});

describe('a program that is started for each call, and does badly', () => {
  async function once(program: string, name = 'program.mjs'): Promise<PluginSetting> {
    const setting = await pluginSetting();
    const tools = [{ name: 'do_it', description: 'x', timeout_secs: 1, command: '' }];
    const manifest = {
      name: 'once',
      version: '1',
      description: 'x',
      execution: 'binary',
      binary: { path: name },
      tools,
    };
    const path = await writePlugin(setting.folder, manifest, 'once', { [name]: program });
    await chmod(join(path, name), 0o755);
    await startTrusted(setting, 'once');
    return setting;
  }

  test('may be any that is executable', async () => {
    const { call } = await once(`#!/bin/sh\nread line\necho '{"result":{"output":"hi"}}'\necho\n`, 'run.sh');
    expect(await call('do_it')).toMatchObject({ forLlm: 'hi', isError: false });
  });

  test.each([
    [
      "process.stderr.write('no licence'); process.exit(4)",
      /exit code 4, and its last line was no answer; .*no licence/,
    ],
    ["console.log('half an ans')", /exit code 0, and its last line was no answer/],
    ["console.log('{}')", /its answer has no "output"/],
    ["console.log('x'.repeat(2e6))", /it printed more than 1 MB/],
    ['process.kill(process.pid, 9)', /it was ended by SIGKILL/],
    ['setInterval(() => {}, 1000)', /did not end within 1 s and was ended/],
  ])('says that the outcome is unknown: %s', async (program, words) => {
    const { call, folder } = await once(program);
    const { forLlm, isError } = await call('do_it');
    expect(isError).toBe(true);
    expect(forLlm).toMatch(words);
    expect(forLlm).toContain('The outcome is unknown');
    expect(await processesWith(folder)).toEqual([]);
  });

  test('ends with all that it started when a person stops it', async () => {
    const { call, folder, workspace } = await once(
      "import { writeFileSync } from 'node:fs'; writeFileSync('begun', ''); setInterval(() => {}, 1000)",
    );
    const controller = new AbortController();
    const stopped = call('do_it', {}, { signal: controller.signal });
    await waitUntil(async () => (await readdir(workspace)).includes('begun'), { what: 'its begin' });
    controller.abort();
    expect((await stopped).forLlm).toContain('was stopped');
    expect(await processesWith(folder)).toEqual([]);
  });
});

test('the example rolls dice', async () => {
  const setting = await pluginSetting();
  await copyPlugin('dice', setting.folder);
  await startTrusted(setting, 'dice');
  const { forLlm, forUser } = await setting.call('roll_dice', { count: 3, sides: 6 });
  expect(forLlm).toMatch(/^[1-6] [1-6] [1-6]$/);
  expect(forUser).toBe(`🎲 ${forLlm}`);
  await expect(setting.prepare('roll_dice', { count: 0 })).rejects.toThrow('count');
  await setting.plugins.stop();
  expect(await readdir(setting.workspace)).toEqual([]);
});
