import type { JsonValue } from '../../src/lib/json.ts';
import type { DaemonSetting } from './daemon-setting.ts';
import { type Deed, direct } from './deed.ts';
import { call, resultsOf } from './scripted-model.ts';

/** Has the model make a call for a person that nobody has to approve. Resolves with what the model is told of it. */
export async function useTool(
  { model, channel }: Pick<DaemonSetting, 'model' | 'channel'>,
  name: string,
  args: JsonValue,
  deed: Deed = {},
): Promise<string> {
  const asked = model.requests.length;
  model.next([call(name, args)], 'noted');
  await channel.say(`use ${name}`, deed);
  const request = await model.asked(asked + 2);
  await channel.whenIdle(deed.in ?? direct(channel.name, deed.by));
  return resultsOf(request).at(-1) ?? '';
}
