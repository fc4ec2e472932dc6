import { type DaemonSetting, type DaemonSettingOptions, daemonSetting } from '../support/daemon-setting.ts';
import { waitUntil } from '../support/wait-for.ts';
import { WrittenAnswer } from '../support/written-answer.ts';

/** Has the model answer the next message piece by piece, as the test says. */
export function nextAnswer({ model }: DaemonSetting): WrittenAnswer {
  const answer = new WrittenAnswer();
  model.next(answer);
  return answer;
}

/** A daemon whose model has begun to write this to Ada, at this very instant. */
export async function writingSetting(first: string, options: DaemonSettingOptions = {}) {
  const setting = await daemonSetting(options);
  const answer = nextAnswer(setting);
  await setting.channel.say('tell me');
  await answer.write(first);
  const { channel, clock } = setting;
  return { setting, answer, channel, clock };
}

/** The same, when people see it already. */
export async function shownSetting(first: string, options: DaemonSettingOptions = {}) {
  const parts = await writingSetting(first, options);
  parts.clock.advance(1500);
  const shown = await parts.channel.sees(first.trim());
  await previewIsNoted(parts.setting);
  return { ...parts, ref: shown.ref };
}

/** Resolves once a later process would know where so many messages of the preview stand. */
export async function previewIsNoted(setting: DaemonSetting, messages = 1): Promise<void> {
  const noted = `SELECT 1 FROM outbox WHERE json_array_length(previews) = ${messages}`;
  await waitUntil(() => setting.rows(noted).length > 0, { what: 'the preview to be noted down' });
}
