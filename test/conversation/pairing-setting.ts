import { strangerWords } from '../../src/conversation/access/words.ts';
import { daemonSetting } from '../support/daemon-setting.ts';
import type { TestChannel } from '../support/test-channel.ts';

export const minute = 60_000;
export const hour = 60 * minute;

/** A daemon of these owners, in which these people may talk. */
export function housed(pairing: object = {}, owners = ['test:ada'], allowFrom: readonly string[] = []) {
  return daemonSetting({ config: { pairing, owners }, allowFrom });
}

/** A stranger writes, and is given a code. */
export async function knock(channel: TestChannel, by: string, text = 'hello'): Promise<string> {
  const conversationId = `${channel.name}:${by}`;
  const before = channel.textsIn(conversationId).length;
  await channel.say(text, { by });
  await channel.changes.waitFor(() => channel.textsIn(conversationId).length > before);
  return codeOf(channel, by);
}

/** What lets a stranger in by `/pair`: the code that they were given last, or their id, if the owners were asked. */
export async function codeOf(channel: TestChannel, by: string): Promise<string> {
  const asked = strangerWords.en.ownerAsked;
  const chat = `${channel.name}:${by}`;
  if (channel.textsIn(chat).at(-1) === asked) return chat;
  const { text } = await channel.sees(/\/pair [a-z0-9]+/, chat);
  return /\/pair ([a-z0-9]+)/.exec(text)?.[1] ?? '';
}
