import { expect } from 'vitest';
import { daemonSetting } from './daemon-setting.ts';

/** The model is told of a builtin tool, and no more when the config switches it off. */
export async function canBeSwitchedOff(name: string): Promise<void> {
  const setting = await daemonSetting();
  await setting.channel.say('hello');
  expect((await setting.model.asked(1)).tools.map((tool) => tool.name)).toContain(name);
  await setting.restart({ tools: { [name]: { enabled: false } } });
  await setting.channel.say('hello again');
  expect((await setting.model.asked(2)).tools.map((tool) => tool.name)).not.toContain(name);
}
