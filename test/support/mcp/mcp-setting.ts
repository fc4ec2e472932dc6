import { onTestFinished } from 'vitest';
import { type DaemonSetting, type DaemonSettingOptions, daemonSetting } from '../daemon-setting.ts';
import { definition, serverFolder } from './server-folder.ts';

/** A daemon with these MCP servers, which ends with the test. */
export async function mcpSetting(
  servers: Readonly<Record<string, unknown>>,
  options: DaemonSettingOptions = {},
): Promise<DaemonSetting> {
  const setting = await daemonSetting({ ...options, config: { ...options.config, mcp_servers: servers } });
  onTestFinished(() => endedWithTime(setting));
  return setting;
}

/** The same with a scripted server, `box`, that has these tools: what stands in its block, and a habit of its own. */
export async function boxSetting(tools: readonly (string | object)[], more: object = {}, habit = '') {
  const server = await serverFolder(...tools.map((tool) => (typeof tool === 'string' ? definition(tool) : tool)));
  const setting = await mcpSetting({ box: server.config(more, habit) });
  return { server, setting };
}

/** Ends the daemon while time goes by: processes are given some to end by themselves. */
export async function endedWithTime(setting: DaemonSetting): Promise<void> {
  const passing = setInterval(() => setting.clock.advance(20), 10);
  try {
    await setting.stop();
  } finally {
    clearInterval(passing);
  }
}

/** The names of the tools that the model was told of last. */
export function toldOf({ model }: DaemonSetting): readonly string[] {
  return model.requests.at(-1)?.tools.map(({ name }) => name) ?? [];
}
