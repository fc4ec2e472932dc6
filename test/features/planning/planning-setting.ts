import type { FeatureCore } from '../../../src/feature-points.ts';
import type { JsonObject } from '../../../src/lib/json.ts';
import { silentLog } from '../../../src/lib/log.ts';
import { coreWith } from '../../support/core-with.ts';
import { type DaemonSettingOptions, daemonSetting } from '../../support/daemon-setting.ts';
import type { Deed } from '../../support/deed.ts';
import { useTool } from '../../support/use-tool.ts';
import { wholeSchema } from '../../support/whole-schema.ts';

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
  /** Somebody has the model call a tool. */
  const plan = (name: string, args: JsonObject, deed: Deed = {}) => useTool(setting, name, args, deed);
  /** It is down for so long. */
  const away = async (time: number): Promise<void> => {
    await setting.stop();
    setting.clock.advance(time);
    await setting.start();
  };
  return { setting, model: setting.model, channel: setting.channel, clock: setting.clock, plan, away };
}

/** From the start to 09:00 on the 15th. */
export const untilNine = 10 * hour + 46 * minute + 40_000;
export const daily = { action: 'create', task: 'tell me the news', title: 'News', cron: '0 9 * * *' };

/** The id that a result names. */
export function idIn(result: string): string {
  return /(?:as|reminder) ([a-z0-9]{6})\b/.exec(result)?.[1] ?? '';
}

/** What a scheduler is made from: everybody is welcome, and both channels run. `catchUp`: in seconds. */
export function schedulerCore(changed: Partial<Record<keyof FeatureCore, unknown>>, catchUp = 86_400): FeatureCore {
  return coreWith({
    config: wholeSchema().parse({}),
    settings: () => ({ tools: { schedule: { catch_up_secs: catchUp } } }),
    rules: { isWelcome: () => true },
    adapters: new Set(['test', 'other']),
    ownersChats: { best: async () => [] },
    readers: {
      forConversation: () => ({ timeZone: 'UTC', isNamed: false, language: 'en' }),
      prepare: async () => {},
    },
    log: silentLog,
    deliver: () => {},
    wake: () => {},
    ...changed,
  });
}
