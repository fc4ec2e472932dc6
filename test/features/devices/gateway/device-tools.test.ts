import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { isJsonObject, type JsonObject } from '../../../../src/lib/json.ts';
import { llmOnly } from '../../../../src/tools/output.ts';
import type { ToolRegistration } from '../../../../src/tools/registry.ts';
import { defineTool, type ToolScope } from '../../../../src/tools/tool.ts';
import { deviceSetting, type GatewaySetting, gatewaySetting } from '../../../support/gateway/gateway-setting.ts';
import { call, resultsOf } from '../../../support/scripted-model.ts';

const spec = {
  name: 'device_info',
  description: 'Says what device it is.',
  parameters: { type: 'object', properties: { detail: { type: 'string' } } },
};

const looker = defineTool({
  name: 'looking',
  category: 'memory',
  description: 'Looks around.',
  input: z.object({}),
  describeCall: () => 'look around',
  execute: async () => llmOnly('nothing'),
});

async function offering(setting: GatewaySetting, token?: string) {
  const client = await setting.device(token === undefined ? {} : { token });
  await client.offer(spec);
  return client;
}

describe('a tool of a device', () => {
  test('takes no name of a builtin tool, whether that is on or off, and however it is spelled', async () => {
    const { client } = await deviceSetting({ config: { tools: { disabled: ['web_fetch'] } } });
    const names = ['delegate', 'new_task', 'http_request', 'web_fetch', 'Shell', 'ATTEMPT_COMPLETION', 'device_info'];
    client.send({ type: 'register_tools', tools: names.map((name) => ({ ...spec, name })) });
    const { accepted, rejected } = await client.next('tools_registered');
    expect(accepted).toEqual(['device_info']);
    expect(rejected).toMatchObject(names.slice(0, -1).map((name) => ({ name, code: 'NAME_RESERVED' })));
  });

  test('is called from another channel of its person, who approves it there with a button', async () => {
    const setting = await gatewaySetting();
    const { channel, model } = setting.daemon;
    const client = await offering(setting);
    model.next([call('device_info', { detail: 'battery' })], (request) => `It says: ${resultsOf(request).join()}`);
    const card = await channel.cardFor('How full is my phone?');
    expect(card.text).toContain('device_info');
    expect(card.text).toContain('battery');
    expect(client.all('tool_call_request')).toEqual([]);
    await channel.press(card);
    const request = await client.next('tool_call_request');
    expect(request).toMatchObject({ name: 'device_info', args: { detail: 'battery' }, timeout_ms: 30_000 });
    expect(Object.keys(request).sort()).toEqual(['args', 'id', 'name', 'timeout_ms', 'tool_call_id', 'type']);
    client.send({ type: 'tool_result', id: request.id ?? '', output: '80 %', success: true });
    expect(await client.next('result_acknowledged')).toMatchObject({ id: request.id, status: 'accepted' });
    await channel.sees(/It says: [\s\S]*80 %/);
    client.send({ type: 'tool_result', id: request.id ?? '', output: '81 %' });
    expect(await client.next('result_acknowledged')).toMatchObject({ status: 'duplicate' });
  });

  test('is there for its own person only, in chats and in lists', async () => {
    const setting = await gatewaySetting({ allowFrom: ['bob'] });
    const ada = await setting.token();
    const bob = await setting.token('phone', 'bob');
    await offering(setting, ada);
    const [hers] = await toolsNamed(setting, ada);
    expect(hers).toMatchObject({
      ...spec,
      description: expect.stringContaining(spec.description),
      enabled: true,
      source_type: 'remote',
      source: 'phone',
      category: 'hardware',
    });
    expect(await toolsNamed(setting, bob)).toEqual([]);
    await setting.daemon.channel.say('hello', { by: 'bob' });
    const { tools } = await setting.daemon.model.asked(1);
    expect(JSON.stringify(tools)).not.toContain('device_info');
  });

  test('is listed with all others as they are in a chat of the device', async () => {
    const scopes: ToolScope[] = [];
    const looking: ToolRegistration = {
      name: 'looking',
      category: 'memory',
      dynamic: true,
      create: (scope) => {
        scopes.push(scope);
        return looker;
      },
    };
    const setting = await gatewaySetting({ tools: [looking] });
    const workspace = join(setting.daemon.folder, 'places', '{channel}', '{chat_id}');
    await setting.daemon.restart({ gateway: { enabled: true, port: 0 }, workspace });
    const token = await setting.token();
    expect((await setting.ask('/api/tools', token)).status).toBe(200);
    const [device] = setting.daemon.rows('SELECT id FROM devices');
    const id = String(device?.id);
    expect(scopes.at(-1)).toMatchObject({
      channel: 'device',
      chatId: id,
      conversationId: `device:${id}`,
      workspace: join(setting.daemon.folder, 'places', 'device', id),
      sender: { principal: `device:${id}`, name: 'Ada' },
    });
  });

  test('is gone with its socket, and a call that was on its way fails at once', async () => {
    const setting = await gatewaySetting({ config: { remote_tools: { categories: { '*': 'memory' } } } });
    const { channel, model } = setting.daemon;
    const token = await setting.token();
    const client = await offering(setting, token);
    model.next([call('device_info', {})], (request) => `It says: ${resultsOf(request).join()}`);
    await channel.say('go');
    await client.next('tool_call_request');
    client.socket.terminate();
    await channel.sees(/It says: .*disconnect/i);
    expect(await toolsNamed(setting, token)).toEqual([]);
  });

  test('is told when its person stops the call', async () => {
    const setting = await gatewaySetting({ config: { remote_tools: { categories: { '*': 'memory' } } } });
    const client = await offering(setting);
    setting.daemon.model.next([call('device_info', {})]);
    await setting.daemon.channel.say('go');
    const { id = '' } = await client.next('tool_call_request');
    await setting.daemon.channel.say('/stop');
    expect(await client.next('tool_call_cancelled')).toMatchObject({ id, reason: 'aborted' });
    client.send({ type: 'tool_result', id, output: 'too late' });
    expect(await client.next('result_acknowledged')).toMatchObject({ status: 'late' });
  });

  test('of a revoked device is gone at once', async () => {
    const setting = await gatewaySetting();
    const client = await offering(setting);
    const [device] = setting.daemon.rows('SELECT id FROM devices');
    await setting.daemon.channel.say(`/devices revoke ${String(device?.id)}`);
    await client.whenClosed();
    await setting.daemon.channel.say('hello');
    const { tools } = await setting.daemon.model.asked(1);
    expect(JSON.stringify(tools)).not.toContain('device_info');
  });
});

async function toolsNamed(setting: GatewaySetting, token: string): Promise<readonly JsonObject[]> {
  const body: unknown = await (await setting.ask('/api/tools', token)).json();
  const tools = isJsonObject(body) && Array.isArray(body.tools) ? body.tools : [];
  return tools.filter((tool): tool is JsonObject => isJsonObject(tool) && tool.name === 'device_info');
}
