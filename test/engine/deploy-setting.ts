import { expect, onTestFinished } from 'vitest';
import { type DaemonSettingOptions, daemonSetting } from '../support/daemon-setting.ts';
import type { Deed } from '../support/deed.ts';
import { RecordingTool } from '../support/recording-tool.ts';
import { call, type Scripted } from '../support/scripted-model.ts';
import { faultsOf } from '../support/well-formed.ts';

/** A daemon with the tool `deploy`, which asks. All that the model is ever asked has to be well formed. */
export async function deploySetting(options: DaemonSettingOptions = {}, deploy = new RecordingTool('deploy', 'shell')) {
  const { tools = [] } = options;
  const setting = await daemonSetting({ ...options, tools: [deploy.registration, ...tools] });
  onTestFinished(() => expect(setting.model.requests.flatMap(faultsOf)).toEqual([]));
  const { model, channel, clock } = setting;
  return { setting, model, channel, clock, deploy };
}

/** The same where the model has called `deploy` as soon as somebody spoke, and will answer so. Its card asks. */
export async function askedSetting({
  deploy,
  answers = [],
  deed,
  ...options
}: DaemonSettingOptions & {
  readonly deploy?: RecordingTool;
  readonly answers?: readonly Scripted[];
  readonly deed?: Deed;
} = {}) {
  const around = await deploySetting(options, deploy);
  around.model.next([call('deploy', { what: 'site' })], ...answers);
  const card = await around.channel.cardFor('deploy the site', deed);
  return { ...around, card };
}
