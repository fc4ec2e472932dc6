import type { ChannelFault } from '../../../src/contract.ts';
import { type ApiRequest, channelOf, neededPermissions } from './deeds.ts';

/** Discord's numbers for the reasons that something is made of. */
export const refusals = {
  unknownChannel: 10003,
  unknownMessage: 10008,
  unknownWebhook: 10015,
  unknownInteraction: 10062,
  alreadyAnswered: 40060,
  invalidToken: 50027,
  archivedThread: 50083,
  unknownEmoji: 10014,
  tooManyChanges: 30046,
} as const;

/** What a refusal means for the core. Only a few of the reasons pass by themselves. */
export function refusalFault(refusal: {
  readonly status: number;
  readonly code: number;
  readonly auth: boolean;
}): ChannelFault {
  const { status, code, auth } = refusal;
  if (passing.has(code) || status === 408 || status === 425) return { type: 'transient' };
  // Without our token it says that the one of the interaction has run out.
  if (status === 401 && auth) return { type: 'auth' };
  return { type: 'permanent' };
}

/** The resource is overloaded, an internal network error, a message that is still being looked through. */
const passing: ReadonlySet<number> = new Set([130_000, 40_333, 110_000]);

/** What the refusal means for whoever runs Keyturn, with Discord's number. */
export function refusalWords(request: ApiRequest, said: { readonly code: number; readonly words: string }): string {
  const remedy = remedies[said.code];
  const words = remedy === undefined ? said.words || 'refused' : remedy(request);
  return `${words} (${said.code === 0 ? 'Discord gives no reason' : `Discord's error ${said.code}`})`;
}

const remedies: Readonly<Record<number, (request: ApiRequest) => string>> = {
  0: ({ auth }) => (auth ? 'Discord does not accept the token. Check channels.discord.token' : 'its time is over'),
  10003: () => 'the channel is gone, or the bot is not in its server any more',
  10008: () => 'the message is gone',
  10015: () => 'its time is over',
  10062: () => 'its time is over',
  10014: () => 'Discord does not know this emoji',
  20028: () => 'too much was written in this channel',
  30010: () => 'the message has 20 different reactions already, which is the most',
  30046: () => 'a message that is older than an hour was changed too often',
  40001: () => 'Discord does not accept the token. Check channels.discord.token',
  40002: () => "Discord wants the account of the bot's owner verified first",
  40005: ({ hasFiles }) => (hasFiles ? 'the file is larger than this server takes' : 'it is larger than Discord takes'),
  40060: () => 'it was answered already',
  50001: (request) => `the bot does not see ${placeOf(request)}. ${allow(request)}`,
  50005: () => 'the message is not one of the bot',
  50006: () => 'the message is empty',
  50007: () =>
    'Discord does not let the bot write to this person, who takes no direct messages from members of the servers, has ' +
    'blocked the bot, or shares no server with it any more',
  50008: () => 'this is no channel for texts',
  50013: (request) => `the bot lacks a permission in ${placeOf(request)}. ${allow(request)}`,
  50014: () => 'Discord does not accept the token. Check channels.discord.token',
  50027: () => 'its time is over',
  50083: (request) => `the thread is archived, and the bot may not open it again. ${allow(request)}`,
  90001: () => 'the person whose message it is has blocked the bot',
  160005: () =>
    'the thread is locked: only those may write who have the permission Manage Threads. Unlock it, or give the bot that',
  200000: () => "the server's AutoMod has blocked the message",
  200001: () => "the server's AutoMod has blocked the title",
  240000: () => "a link in the message is forbidden by Discord's filter",
};

function placeOf(request: ApiRequest): string {
  const channel = channelOf(request);
  return channel === undefined ? 'this place' : `the channel ${channel} (<#${channel}> in Discord)`;
}

function allow(request: ApiRequest): string {
  const permissions = neededPermissions(request);
  if (permissions.length === 0) return "Give it to the bot's role in the settings of the server";
  return (
    `What is needed is: ${permissions.join(', ')}. Look at the bot's role in Server Settings → Roles, and at what the ` +
    'channel itself allows and forbids in Edit Channel → Permissions'
  );
}
