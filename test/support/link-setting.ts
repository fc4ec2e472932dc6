import { strangerWords } from '../../src/conversation/access/words.ts';
import { peopleWords } from '../../src/conversation/commands/people/words.ts';
import { knock } from '../conversation/pairing-setting.ts';
import { type DaemonSetting, type DaemonSettingOptions, daemonSetting } from './daemon-setting.ts';
import { direct } from './deed.ts';
import type { TestChannel } from './test-channel.ts';

export const minute = 60_000;

/** What a stranger is told first. */
export const toStranger = strangerWords.en.unknown({ id: '' }).split('. ')[0] ?? '';

/** The account `u1` of the channel `other`, as it is said. */
export const u1 = '`other:u1` (`U1`)';

/** What an owner is told who lets somebody of `test` in no longer. */
export function unpaired(id: string, isLinkedIn = false): string {
  const name = `${id.charAt(0).toUpperCase()}${id.slice(1)}`;
  return peopleWords.en.unpaired({ person: `\`test:${id}\` (\`${name}\`)`, isNamed: false, isLinkedIn });
}

/** A daemon on two channels, `test` and `other`. Ada owns it on the first; Bob may talk there. */
export async function twoChannels(options: DaemonSettingOptions = {}) {
  const config = { channels: { test: { allow_from: ['bob'] }, other: {} }, ...options.config };
  const setting: DaemonSetting = await daemonSetting({ ...options, config, moreChannels: [{ name: 'other' }] });
  const [here, there] = setting.channels;
  if (here === undefined || there === undefined) throw new Error('a channel is missing');
  return { setting, here, there, clock: setting.clock };
}

/** Somebody asks for a code in their own chat. */
export async function codeOf(channel: TestChannel, by: string): Promise<string> {
  const conversationId = `${channel.name}:${by}`;
  const before = codesIn(channel, conversationId).length;
  await channel.say('/link', { by, in: direct(channel.name, by) });
  await channel.changes.waitFor(() => codesIn(channel, conversationId).length > before);
  return codesIn(channel, conversationId).at(-1) ?? '';
}

/** Links two accounts, as one person does who has both. */
export async function linked(
  [from, maker]: readonly [TestChannel, string],
  [to, joining]: readonly [TestChannel, string],
): Promise<void> {
  const code = await codeOf(from, maker);
  await to.say(`/link ${code}`, { by: joining, in: direct(to.name, joining) });
  await to.sees('🔗 Linked: ', `${to.name}:${joining}`);
}

/** A daemon on two channels, on which this person of the first is also `u1` of the second. */
export async function linkedAs(maker: string, options: DaemonSettingOptions = {}) {
  const parts = await twoChannels(options);
  await linked([parts.here, maker], [parts.there, 'u1']);
  return parts;
}

/** A stranger is let in by the owner. */
export async function pair(channel: TestChannel, stranger: string): Promise<void> {
  const welcomes = (): number =>
    channel.textsIn(`${channel.name}:${stranger}`).filter((text) => text === strangerWords.en.welcome).length;
  const before = welcomes();
  await channel.say(`/pair ${await knock(channel, stranger)}`);
  await channel.changes.waitFor(() => welcomes() > before);
}

function codesIn(channel: TestChannel, conversationId: string): readonly string[] {
  return channel.textsIn(conversationId).flatMap((text) => /The code: `([a-z0-9]+)`/.exec(text)?.[1] ?? []);
}
