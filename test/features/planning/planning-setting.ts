import type { JsonObject } from '../../../src/lib/json.ts';
import { type DaemonSetting, type DaemonSettingOptions, daemonSetting } from '../../support/daemon-setting.ts';
import type { Deed } from '../../support/deed.ts';
import { call, resultsOf } from '../../support/scripted-model.ts';

export const minute = 60_000;
export const hour = 60 * minute;
export const day = 24 * hour;

/** A daemon whose people have the model plan things. Times are in UTC; it is 22:13:20 on Tue 14 Nov 2023. */
export async function planningSetting(options: DaemonSettingOptions = {}) {
  const { tools = {}, ...config } = { tools: {}, ...options.config };
  const setting = await daemonSetting({
    ...options,
    config: { ...config, tools: { schedule: { time_zone: 'UTC' }, ...tools } },
  });
  return { setting, model: setting.model, channel: setting.channel, clock: setting.clock };
}

/** Somebody has the model call a tool. Resolves with what the tool told the model, once the model has answered. */
export async function plan(setting: DaemonSetting, name: string, args: JsonObject, deed: Deed = {}): Promise<string> {
  const { model, channel } = setting;
  const answer = `ok ${crypto.randomUUID()}`;
  model.next([call(name, args)], answer);
  const before = model.requests.length;
  await channel.say(`please ${name}`, deed);
  const request = await model.asked(before + 2);
  await channel.sees(answer);
  return resultsOf(request).at(-1) ?? '';
}

/** The id that a result names. */
export function idIn(result: string): string {
  return /(?:as|reminder) ([a-z0-9]{6})\b/.exec(result)?.[1] ?? '';
}
