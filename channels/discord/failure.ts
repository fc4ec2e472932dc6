import {
  DiscordAPIError,
  HTTPError,
  PermissionFlagsBits,
  RateLimitError,
  RESTJSONErrorCodes as Reason,
} from 'discord.js';
import { z } from 'zod';
import type { ChannelError, ChannelFault } from '../../src/contract.ts';
import { isJsonObject, objectsIn } from '../../src/lib/json.ts';
import { foreign, lost, type RequestFailure, readNetworkError, requestError, tooMany } from '../kit/request-failure.ts';

interface ApiRequest {
  readonly method: string;
  readonly route: string;
  readonly auth: boolean;
  readonly hasFiles: boolean;
  readonly applicationId: string | undefined;
}

/** Converts anything thrown below. `repeatable` requests are idempotent, so a lost answer is transient. */
export function toChannelError(request: ApiRequest, error: unknown, repeatable: boolean): ChannelError {
  return requestError(`Discord, ${requestWords(request)}`, readFailure(request, error), repeatable);
}

function readFailure(request: ApiRequest, error: unknown): RequestFailure {
  // Also thrown when the library knows from earlier answers that the limit is reached.
  if (error instanceof RateLimitError) return tooMany(error.retryAfter > 0 ? Math.ceil(error.retryAfter) : undefined);
  if (error instanceof DiscordAPIError) return readRefusal(request, error);
  if (!(error instanceof HTTPError)) return readNetworkError(error);
  const { status } = error;
  const words = `the server answers ${status}`;
  // Gateway timeouts: the server behind may have executed the request.
  return status === 504 || status === 524 ? lost(words) : foreign(words, status);
}

const refusalShape = z.object({
  code: z.number().catch(0),
  message: z.string().catch(''),
  errors: z.unknown().optional(),
});
const longestWords = 300;

function readRefusal(request: ApiRequest, { status, rawError }: DiscordAPIError): RequestFailure {
  const { code, message, errors } = refusalShape.parse(rawError);
  const places = mistakesIn(errors, '', 0).slice(0, 5).join(', ');
  const said = (places === '' ? message : `${message} (${places})`).slice(0, longestWords);
  const remedy = remedies[code] ?? (said || 'refused');
  const words = typeof remedy === 'string' ? remedy : remedy(request);
  const codeWords = code === 0 ? 'Discord gives no reason' : `Discord's error ${code}`;
  return { fault: refusalFault(status, code, request.auth), words: `${words} (${codeWords})`, code };
}

/** Paths and codes of the errors. Discord's sentences may repeat what was sent, so they are left out. */
function mistakesIn(errors: unknown, path: string, depth: number): readonly string[] {
  if (!isJsonObject(errors) || depth > 8) return [];
  const { _errors: here, ...below } = errors;
  return [
    ...objectsIn(here).map(({ code }) => `${path || 'all of it'}: ${String(code)}`),
    ...Object.entries(below).flatMap(([key, value]) => mistakesIn(value, path ? `${path}.${key}` : key, depth + 1)),
  ];
}

/** Codes that pass by themselves. The documentation calls the second an internal network error. */
const passing: readonly number[] = [
  Reason.APIResourceOverloaded,
  Reason.CloudflareIsBlockingYourRequest,
  Reason.IndexNotYetAvailable,
];

function refusalFault(status: number, code: number, auth: boolean): ChannelFault {
  if (passing.includes(code) || status === 408 || status === 425) return { type: 'transient' };
  // Without the bot token, 401 means that the interaction's token has expired.
  return { type: status === 401 && auth ? 'auth' : 'permanent' };
}

const overWords = 'its time is over';
const badToken = 'Discord does not accept the token. Check channels.discord.token';

const remedies: Readonly<Record<number, string | ((request: ApiRequest) => string)>> = {
  0: ({ auth }) => (auth ? badToken : overWords),
  [Reason.Unauthorized]: badToken,
  [Reason.InvalidToken]: badToken,
  [Reason.UnknownWebhook]: overWords,
  [Reason.UnknownInteraction]: overWords,
  [Reason.InvalidWebhookToken]: overWords,
  [Reason.InteractionHasAlreadyBeenAcknowledged]: 'it was answered already',
  [Reason.UnknownChannel]: 'the channel is gone, or the bot is no longer in its server',
  [Reason.UnknownMessage]: 'the message is gone',
  [Reason.UnknownEmoji]: 'Discord does not know this emoji',
  [Reason.ChannelWriteRateLimit]: 'too much was written in this channel',
  [Reason.MaximumNumberOfReactionsReached]: 'the message has 20 different reactions already, which is the most',
  [Reason.MaximumNumberOfEditsToMessagesOlderThanOneHourReached]:
    'a message that is older than an hour was changed too often',
  [Reason.VerifyYourAccount]: "Discord wants the account of the bot's owner verified first",
  [Reason.RequestEntityTooLarge]: ({ hasFiles }) =>
    hasFiles ? 'the file is larger than this server takes' : 'it is larger than Discord takes',
  [Reason.MissingAccess]: (request) => `the bot does not see ${placeOf(request)}. ${allow(request)}`,
  [Reason.MissingPermissions]: (request) => `the bot lacks a permission in ${placeOf(request)}. ${allow(request)}`,
  [Reason.CannotEditMessageAuthoredByAnotherUser]: 'the message is not one of the bot',
  [Reason.CannotSendAnEmptyMessage]: 'the message is empty',
  [Reason.CannotSendMessagesToThisUser]:
    'Discord does not let the bot write to this person, who takes no direct messages from members of the servers, has ' +
    'blocked the bot, or no longer shares a server with it',
  [Reason.CannotSendMessagesInNonTextChannel]: 'this is no channel for texts',
  [Reason.InvalidActionOnArchivedThread]: (request) =>
    `the thread is archived, and the bot may not open it again. ${allow(request)}`,
  [Reason.ThreadLocked]:
    'the thread is locked: only those may write who have the permission Manage Threads. Unlock it, or give the bot that',
  [Reason.ReactionWasBlocked]: 'the person whose message it is has blocked the bot',
  [Reason.MessageWasBlockedByAutomaticModeration]: "the server's AutoMod has blocked the message",
  [Reason.TitleWasBlockedByAutomaticModeration]: "the server's AutoMod has blocked the title",
  [Reason.MessageBlockedByHarmfulLinksFilter]: "a link in the message is forbidden by Discord's filter",
};

function placeOf({ route }: ApiRequest): string {
  const channel = channelIn(route);
  return channel === undefined ? 'this place' : `the channel ${channel} (<#${channel}> in Discord)`;
}

function channelIn(route: string): string | undefined {
  return /^\/channels\/(\d+)/.exec(route)?.[1];
}

function allow(request: ApiRequest): string {
  const [, , , permissions = []] = findRequest(request) ?? [];
  if (permissions.length === 0) return "Give it to the bot's role in the settings of the server";
  const needed = [...permissions, ...(request.hasFiles ? ['Attach Files'] : [])].join(', ');
  const look =
    `What is needed is: ${needed}. Look at the bot's role in Server Settings → Roles, and at what the ` +
    'channel itself allows and forbids in Edit Channel → Permissions';
  const { applicationId } = request;
  if (applicationId === undefined) return look;
  return `${look}. To give the bot all that it needs in a server, open ${inviteLink(applicationId)}`;
}

/** What the request does and its channel or thread, without secrets. */
function requestWords(request: ApiRequest): string {
  const { method, route } = request;
  const [, , words] = findRequest(request) ?? [];
  const channel = channelIn(route);
  if (words !== undefined) return channel === undefined ? words : `${words} the channel ${channel}`;
  if (route.startsWith('/webhooks/')) return 'answering a command for one person';
  return `${method} ${route.replaceAll(/\/[^/]*\d[^/]*/g, '/…')}`;
}

function findRequest({ method, route }: ApiRequest) {
  return requests.find(([verb, path]) => verb === method && path.test(route));
}

const seeing = ['View Channel'];
const reading = [...seeing, 'Read Message History'];
const writing = [...seeing, 'Send Messages', 'Send Messages in Threads (in a thread)'];

/** What requests do, and the permissions they need. */
const requests: readonly (readonly [method: string, route: RegExp, words: string, permissions: readonly string[]])[] = [
  ['POST', /^\/channels\/\d+\/messages$/, 'sending a message to', [...writing, 'Read Message History']],
  ['PATCH', /^\/channels\/\d+\/messages\/\d+$/, 'changing a message in', writing],
  ['DELETE', /^\/channels\/\d+\/messages\/\d+$/, 'removing a message from', seeing],
  ['PUT', /^\/channels\/\d+\/messages\/\d+\/reactions\//, 'marking a message in', [...reading, 'Add Reactions']],
  ['DELETE', /^\/channels\/\d+\/messages\/\d+\/reactions\//, 'taking a mark from a message in', reading],
  ['POST', /^\/channels\/\d+\/typing$/, 'showing that the bot is typing in', writing],
  ['GET', /^\/channels\/\d+\/messages/, 'reading', reading],
  ['PATCH', /^\/channels\/\d+$/, 'opening again', [...seeing, 'Send Messages in Threads', 'Manage Threads']],
  ['GET', /^\/channels\/\d+$/, 'looking at', seeing],
  ['POST', /^\/users\/@me\/channels$/, 'opening a direct chat', []],
  ['PUT', /^\/applications\/\d+\/commands$/, 'writing the slash commands', []],
  ['GET', /^\/gateway/, 'asking for the gateway', []],
  ['POST', /^\/interactions\//, 'answering a press or a command', []],
];

/** The permissions that the bot needs in a server. */
const permissions =
  PermissionFlagsBits.ViewChannel |
  PermissionFlagsBits.SendMessages |
  PermissionFlagsBits.SendMessagesInThreads |
  PermissionFlagsBits.ReadMessageHistory |
  PermissionFlagsBits.AttachFiles |
  PermissionFlagsBits.AddReactions;

/** The URL where a server's admin adds the bot with these permissions. */
export function inviteLink(applicationId: string): string {
  const scope = 'bot applications.commands';
  const query = new URLSearchParams({ client_id: applicationId, scope, permissions: String(permissions) });
  return `https://discord.com/oauth2/authorize?${query}`;
}
