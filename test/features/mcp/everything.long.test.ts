import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { DaemonSetting } from '../../support/daemon-setting.ts';
import { mcpSetting, toldOf } from '../../support/mcp/mcp-setting.ts';
import { buttonOf } from '../../support/platform-traffic.ts';
import { call, resultsOf } from '../../support/scripted-model.ts';
import { useTool } from '../../support/use-tool.ts';
import { waitUntil } from '../../support/wait-for.ts';
import { type EverythingServer, everything, everythingServer } from './servers/everything-server.ts';

const ways = ['streamable HTTP', 'standard input and output'] as const;
let shared: EverythingServer;

beforeAll(async () => {
  shared = await everythingServer(afterAll);
});

async function setUp(way: (typeof ways)[number]): Promise<DaemonSetting> {
  const reached =
    way === 'streamable HTTP' ? { url: shared.url } : { command: process.execPath, args: [everything, 'stdio'] };
  const channel = { capabilities: { maxFileBytes: 1_000_000 } };
  // It says that its tools stay in a closed world, which counts as private: what others wrote and private data together ask.
  return mcpSetting({ all: { ...reached, category: 'network_read', private: false } }, { channel });
}

describe.each(ways)('the reference server over %s', (way) => {
  test('has its tools called, and its answers read', async () => {
    const setting = await setUp(way);
    expect(await useTool(setting, 'all_echo', { message: 'hello' })).toBe('Echo: hello');
    expect(await useTool(setting, 'all_get-sum', { a: 2, b: '3' })).toContain('5');
    const weather: unknown = JSON.parse(await useTool(setting, 'all_get-structured-content', { location: 'New York' }));
    expect(weather).toMatchObject({ temperature: expect.any(Number) });
    expect(await useTool(setting, 'all_get-resource-links', { count: 2 })).toContain(
      '[resource] Blob Resource 1: demo://',
    );
    expect(await useTool(setting, 'all_get-resource-reference', { resourceType: 'Text', resourceId: 1 })).toContain(
      '[resource demo://',
    );
    // It wants to be a task, and the others that clients have to be able to do more for are not listed at all.
    expect(toldOf(setting)).not.toContain('all_simulate-research-query');
  });

  test('shows its pictures in the chat and to the model, which learns where they are', async () => {
    const setting = await setUp(way);
    const said = await useTool(setting, 'all_get-tiny-image', {});
    const [, path = ''] =
      /\[image\/png, .*: saved as (\S+\.png), and shown to the person in the chat\]/.exec(said) ?? [];
    const bytes = await readFile(join(setting.workspace, path));
    expect(bytes.subarray(1, 4).toString()).toBe('PNG');
    await waitUntil(() => setting.channel.screen.some(({ file }) => file?.mediaType === 'image/png'));
    const images = [{ mediaType: 'image/png', bytes: new Uint8Array(bytes) }];
    expect(setting.model.requests.at(-1)?.messages.at(-1)).toMatchObject({ images });
  });

  test('reports what it does while it works', async () => {
    const setting = await setUp(way);
    expect(await useTool(setting, 'all_trigger-long-running-operation', { duration: 0.4, steps: 4 })).toContain(
      'completed',
    );
    expect(setting.channel.statuses.map(({ tip }) => tip)).toContain('2 of 4');
  });

  test('is told when a person stops it', async () => {
    const setting = await setUp(way);
    setting.model.next([call('all_trigger-long-running-operation', { duration: 60, steps: 600 })]);
    await setting.channel.say('go');
    await waitUntil(() => setting.channel.statuses.some(({ tip }) => tip === '1 of 600'));
    await setting.channel.sayAtRest('/stop');
    expect(setting.rows('SELECT outcome FROM calls')).toEqual([{ outcome: 'cancelled' }]);
    expect(await useTool(setting, 'all_echo', { message: 'still there' })).toBe('Echo: still there');
  });

  test('asks a person in the chat, field by field, and gets what they answer', async () => {
    const setting = await setUp(way);
    const { channel, model } = setting;
    model.next([call('all_trigger-elicitation-request', {})]);
    await channel.say('ask me');
    const answers: readonly (readonly [field: string, answer: string])[] = [
      ['1 of 13: String', 'Ada Lovelace'],
      ['2 of 13: Boolean', 'yes'],
      ['3 of 13: String with default', 'button Keep: It was a dark'],
      ['4 of 13: String with email format', 'ada@example.com'],
      ['5 of 13: String with uri format', 'button Skip'],
      ['6 of 13: String with date format', '1815-12-10'],
      ['7 of 13: Integer', '7'],
      ['8 of 13: Number', 'button Keep: 3.14'],
      ['9 of 13: Untitled Single', 'button Ross'],
      ['10 of 13: Untitled Multiple', '1, Violin'],
      ['11 of 13: Titled Single', '2'],
      ['12 of 13: Titled Multiple', 'Tuna'],
      ['13 of 13: Legacy', 'button Fish'],
    ];
    for (const [field, answer] of answers) {
      const card = await channel.sees(field);
      const [, label] = /^button (.*)$/.exec(answer) ?? [];
      if (label === undefined) await channel.say(answer);
      else await channel.press(buttonOf(card, label));
      await channel.sees(
        label === undefined
          ? `(\`Ada\`): ${answer === '2' ? 'Green Lantern' : answer === 'yes' ? 'Yes' : ''}`
          : '(`Ada`):',
      );
    }
    const [result = ''] = resultsOf(await model.asked(2));
    const [, raw = ''] = /Raw result: (\{.*\})/s.exec(result) ?? [];
    expect(JSON.parse(raw)).toEqual({
      action: 'accept',
      content: {
        name: 'Ada Lovelace',
        check: true,
        firstLine: 'It was a dark and stormy night.',
        email: 'ada@example.com',
        birthdate: '1815-12-10',
        integer: 7,
        number: 3.14,
        untitledSingleSelectEnum: 'Ross',
        untitledMultipleSelectEnum: ['Guitar', 'Violin'],
        titledSingleSelectEnum: 'hero-2',
        titledMultipleSelectEnum: ['fish-1'],
        legacyTitledEnum: 'pet-4',
      },
    });
  });

  test('learns that a person declines, and that they do not answer', async () => {
    const setting = await setUp(way);
    const { channel, model, clock } = setting;
    for (const [act, what] of [
      [async () => channel.press(buttonOf(await channel.card(), 'Decline')), 'declined'],
      [async () => clock.advance(86_400_000), 'cancelled'],
    ] as const) {
      const asked = model.requests.length;
      model.next([call('all_trigger-elicitation-request', {})]);
      await channel.cardFor('ask me');
      await act();
      expect(resultsOf(await model.asked(asked + 2)).at(-1)).toContain(`User ${what}`);
      await channel.whenIdle();
    }
  });
});

describe('a server over streamable HTTP', () => {
  test('that was started again is greeted again, and the call is made', async () => {
    const server = await everythingServer();
    const setting = await mcpSetting({ all: { url: server.url, category: 'network_read', private: false } });
    expect(await useTool(setting, 'all_echo', { message: 'one' })).toBe('Echo: one');
    await server.kill();
    await server.start();
    expect(await useTool(setting, 'all_echo', { message: 'two' })).toBe('Echo: two');
  });

  test('that is gone is said, and is found again when it is there', async () => {
    const server = await everythingServer();
    const setting = await mcpSetting({ all: { url: server.url, category: 'network_read', private: false } });
    await useTool(setting, 'all_echo', { message: 'one' });
    await server.kill();
    const said = await useTool(setting, 'all_echo', { message: 'two' });
    expect(said).toContain('The MCP server all cannot be reached, and nothing was done: ');
    expect(said).toContain('ECONNREFUSED');
    await setting.channel.ask('/status', 'The MCP server all is not connected');
    await server.start();
    const passing = setInterval(() => setting.clock.advance(100), 10);
    setting.channel.clear();
    await waitUntil(async () => {
      return !(await setting.channel.ask('/status', 'is up for')).text.includes('not connected');
    });
    clearInterval(passing);
    expect(await useTool(setting, 'all_echo', { message: 'three' })).toBe('Echo: three');
  });

  test('that dies while it works ends the call as lost', async () => {
    const server = await everythingServer();
    const setting = await mcpSetting({ all: { url: server.url, category: 'network_read', private: false } });
    setting.model.next([call('all_trigger-long-running-operation', { duration: 60, steps: 600 })]);
    await setting.channel.say('go');
    await waitUntil(() => setting.channel.statuses.some(({ tip }) => tip === '1 of 600'));
    await server.kill();
    const passing = setInterval(() => setting.clock.advance(100), 10);
    const [result] = resultsOf(await setting.model.asked(2));
    clearInterval(passing);
    expect(result).toContain('The connection to the MCP server all was lost while it worked');
  });
});
