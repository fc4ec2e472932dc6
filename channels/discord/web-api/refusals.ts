import { RESTJSONErrorCodes as Reason } from 'discord-api-types/v10';
import type { ChannelFault } from '../../../src/contract.ts';
import { type ApiRequest, channelOf, neededPermissions } from './deeds.ts';

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

/** Of the second, the documentation says that it is an internal network error. */
const passing: ReadonlySet<number> = new Set([
  Reason.APIResourceOverloaded,
  Reason.CloudflareIsBlockingYourRequest,
  Reason.IndexNotYetAvailable,
]);

/** What the refusal means for whoever runs Keyturn, with Discord's number. */
export function refusalWords(request: ApiRequest, said: { readonly code: number; readonly words: string }): string {
  const remedy = remedies[said.code];
  const words = remedy === undefined ? said.words || 'refused' : remedy(request);
  return `${words} (${said.code === 0 ? 'Discord gives no reason' : `Discord's error ${said.code}`})`;
}

const remedies: Readonly<Record<number, (request: ApiRequest) => string>> = {
  0: ({ auth }) => (auth ? 'Discord does not accept the token. Check channels.discord.token' : 'its time is over'),
  [Reason.UnknownChannel]: () => 'the channel is gone, or the bot is not in its server any more',
  [Reason.UnknownMessage]: () => 'the message is gone',
  [Reason.UnknownWebhook]: () => 'its time is over',
  [Reason.UnknownInteraction]: () => 'its time is over',
  [Reason.UnknownEmoji]: () => 'Discord does not know this emoji',
  [Reason.ChannelWriteRateLimit]: () => 'too much was written in this channel',
  [Reason.MaximumNumberOfReactionsReached]: () => 'the message has 20 different reactions already, which is the most',
  [Reason.MaximumNumberOfEditsToMessagesOlderThanOneHourReached]: () =>
    'a message that is older than an hour was changed too often',
  [Reason.Unauthorized]: () => 'Discord does not accept the token. Check channels.discord.token',
  [Reason.VerifyYourAccount]: () => "Discord wants the account of the bot's owner verified first",
  [Reason.RequestEntityTooLarge]: ({ hasFiles }) =>
    hasFiles ? 'the file is larger than this server takes' : 'it is larger than Discord takes',
  [Reason.InteractionHasAlreadyBeenAcknowledged]: () => 'it was answered already',
  [Reason.MissingAccess]: (request) => `the bot does not see ${placeOf(request)}. ${allow(request)}`,
  [Reason.CannotEditMessageAuthoredByAnotherUser]: () => 'the message is not one of the bot',
  [Reason.CannotSendAnEmptyMessage]: () => 'the message is empty',
  [Reason.CannotSendMessagesToThisUser]: () =>
    'Discord does not let the bot write to this person, who takes no direct messages from members of the servers, has ' +
    'blocked the bot, or shares no server with it any more',
  [Reason.CannotSendMessagesInNonTextChannel]: () => 'this is no channel for texts',
  [Reason.MissingPermissions]: (request) => `the bot lacks a permission in ${placeOf(request)}. ${allow(request)}`,
  [Reason.InvalidToken]: () => 'Discord does not accept the token. Check channels.discord.token',
  [Reason.InvalidWebhookToken]: () => 'its time is over',
  [Reason.InvalidActionOnArchivedThread]: (request) =>
    `the thread is archived, and the bot may not open it again. ${allow(request)}`,
  [Reason.ReactionWasBlocked]: () => 'the person whose message it is has blocked the bot',
  [Reason.ThreadLocked]: () =>
    'the thread is locked: only those may write who have the permission Manage Threads. Unlock it, or give the bot that',
  [Reason.MessageWasBlockedByAutomaticModeration]: () => "the server's AutoMod has blocked the message",
  [Reason.TitleWasBlockedByAutomaticModeration]: () => "the server's AutoMod has blocked the title",
  [Reason.MessageBlockedByHarmfulLinksFilter]: () => "a link in the message is forbidden by Discord's filter",
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
