import { type DaemonSettingOptions, daemonSetting } from '../support/daemon-setting.ts';
import { RecordingTool } from '../support/recording-tool.ts';
import { call } from '../support/scripted-model.ts';

/** A daemon whose model looks again and again, and takes so many tokens each time. */
export async function spendingSetting(
  config: Readonly<Record<string, unknown>>,
  options: DaemonSettingOptions & { readonly tokens?: number } = {},
) {
  const look = new RecordingTool('look', 'memory');
  const { tokens = 100, ...rest } = options;
  const setting = await daemonSetting({
    allowFrom: ['bob'],
    ...rest,
    tools: [look.registration],
    config: { agent: { burst_ms: 0, max_repeats: 0 }, ...config },
  });
  const { model, channel, clock } = setting;
  model.usage = { inputTokens: tokens - 10, outputTokens: 10 };
  model.otherwise(() => [call('look', { what: 'again' })]);
  return { setting, model, channel, clock, look };
}
