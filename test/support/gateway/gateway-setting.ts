import { onTestFinished } from 'vitest';
import { z } from 'zod';
import { isJsonObject } from '../../../src/lib/json.ts';
import { llmOnly } from '../../../src/tools/output.ts';
import { registrationOf } from '../../../src/tools/registry.ts';
import { defineTool } from '../../../src/tools/tool.ts';
import { type DaemonSetting, type DaemonSettingOptions, daemonSetting } from '../daemon-setting.ts';
import { type ClientOptions, DeviceClient } from './device-client.ts';

/** A tool that a person has to approve. */
export const unlock = registrationOf(
  defineTool({
    name: 'unlock',
    category: 'hardware',
    description: 'Unlocks a door.',
    input: z.object({ door: z.string() }),
    describeCall: ({ door }) => `unlock the ${door} door`,
    execute: async ({ door }) => llmOnly(`${door} is open`),
  }),
);

/** A whole daemon with an open door, whose owner Ada has a chat on the test channel. */
export class GatewaySetting {
  readonly daemon: DaemonSetting;

  constructor(daemon: DaemonSetting) {
    this.daemon = daemon;
  }

  get address(): string {
    return this.daemon.gatewayAddress;
  }

  /** A code as a person is shown it in their own chat. */
  async code(command = '/device phone', by = 'ada'): Promise<string> {
    const { channel } = this.daemon;
    channel.clear();
    await channel.say(command, { by });
    const shown = await channel.sees('Type this code');
    const [, code] = /`([a-z0-9]{4}-[a-z0-9]{4})`/.exec(shown.text) ?? [];
    if (code === undefined) throw new Error(`no code in: ${shown.text}`);
    return code;
  }

  pair(code: string, headers: Readonly<Record<string, string>> = {}): Promise<Response> {
    return fetch(`${this.address}/pair`, { method: 'POST', headers: { 'X-Pairing-Code': code, ...headers } });
  }

  /** The token of a new device. */
  async token(name = 'phone', by = 'ada'): Promise<string> {
    const response = await this.pair(await this.code(`/device ${name}`, by));
    const body: unknown = await response.json();
    if (!isJsonObject(body) || typeof body.token !== 'string') throw new Error(JSON.stringify(body));
    return body.token;
  }

  /** Opens a socket, which is closed with the test. */
  open(options: ClientOptions = {}): DeviceClient {
    const client = new DeviceClient(this.address, options);
    onTestFinished(() => client.socket.terminate());
    return client;
  }

  /** A device that has connected as clients of old do. */
  async device(options: ClientOptions = {}): Promise<DeviceClient> {
    return this.open({ token: options.token ?? (await this.token()), ...options }).greet();
  }

  ask(path: string, token?: string, init: RequestInit = {}): Promise<Response> {
    const authorization = token === undefined ? {} : { Authorization: `Bearer ${token}` };
    return fetch(`${this.address}${path}`, { ...init, headers: { ...authorization, ...init.headers } });
  }
}

export async function gatewaySetting({
  config = {},
  gateway = {},
  ...options
}: DaemonSettingOptions & { readonly gateway?: Readonly<Record<string, unknown>> } = {}): Promise<GatewaySetting> {
  return new GatewaySetting(
    await daemonSetting({ ...options, config: { ...config, gateway: { enabled: true, port: 0, ...gateway } } }),
  );
}

/** The same with a device of Ada's that is paired. */
export async function pairedSetting(options?: Parameters<typeof gatewaySetting>[0]) {
  const setting = await gatewaySetting(options);
  return { setting, token: await setting.token() };
}

/** The same with a device that has connected, too. */
export async function deviceSetting(options?: Parameters<typeof gatewaySetting>[0], client: ClientOptions = {}) {
  const { setting, token } = await pairedSetting(options);
  return { setting, token, client: await setting.device({ ...client, token }) };
}
