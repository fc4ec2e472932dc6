import {
  DiscordAPIError,
  HTTPError,
  PermissionFlagsBits,
  RateLimitError,
  RESTJSONErrorCodes as Reason,
} from 'discord.js';
import { z } from 'zod';
import type { ChannelError } from '../../src/contract.ts';
import { isJsonObject, objectsIn } from '../../src/lib/json.ts';
import { foreign, lost, type RequestFailure, readNetworkError, requestError, tooMany } from '../kit/request-failure.ts';
import type { DiscordWords } from './words.ts';

interface ApiRequest {
  readonly method: string;
  readonly route: string;
  /** Whether it was sent with the bot token. */
  readonly auth: boolean;
  readonly applicationId: string | undefined;
  readonly words: DiscordWords;
}

/** Converts anything thrown below. `repeatable` requests are idempotent, so a lost answer is transient. */
export function toChannelError(request: ApiRequest, error: unknown, repeatable: boolean): ChannelError {
  const { method, route } = request;
  // Other routes contain tokens.
  const shown = /^\/(?:channels|guilds)\//.test(route) ? route : route.replace(/(?<=\/)[^/]*\d.*/, '…');
  return requestError(`Discord, ${method} ${shown}`, readFailure(request, error), repeatable);
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
  // Without the bot token, it means that the interaction's token has expired.
  const isBadToken = status === 401 && request.auth;
  const isPassing = passing.includes(code) || status === 408 || status === 425;
  const words = isBadToken ? request.words.tokenRefused : (adviceFor(code, request) ?? (said || 'refused'));
  const codeWords = code === 0 ? 'Discord gives no reason' : `Discord's error ${code}`;
  const type = isPassing ? 'transient' : isBadToken ? 'auth' : 'permanent';
  return { fault: { type }, words: `${words} (${codeWords})`, code };
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

/** What to do about a refusal, where Discord's own words do not say it. */
function adviceFor(code: number, request: ApiRequest): string | undefined {
  const { route, applicationId, words } = request;
  const lack = {
    channel: /^\/channels\/(\d+)/.exec(route)?.[1],
    permissions: permissionsFor(request),
    invitation: applicationId && inviteLink(applicationId),
  };
  switch (code) {
    case Reason.UnknownChannel:
      return words.channelGone;
    case Reason.MissingAccess:
      return words.doesNotSee(lack);
    case Reason.MissingPermissions:
      return words.lacksPermission(lack);
    case Reason.InvalidActionOnArchivedThread:
      return words.threadArchived(lack);
    case Reason.ThreadLocked:
      return words.threadLocked;
    case Reason.CannotSendMessagesToThisUser:
      return words.takesNoMessages;
    case Reason.RequestEntityTooLarge:
      return words.tooLarge;
    case Reason.MessageWasBlockedByAutomaticModeration:
      return words.blockedByAutoMod;
    default:
      return undefined;
  }
}

/** What a request needs besides seeing the channel. */
function permissionsFor({ method, route }: ApiRequest): string {
  if (route.includes('/reactions/')) return 'Read Message History, Add Reactions';
  if (method === 'GET') return 'Read Message History';
  if (/^\/channels\/\d+$/.test(route)) return 'Manage Threads';
  return 'Send Messages, Send Messages in Threads (in a thread), Read Message History, Attach Files (with a file)';
}

/** The permissions that the bot needs in a server. */
const permissions = [
  'ViewChannel',
  'SendMessages',
  'SendMessagesInThreads',
  'ReadMessageHistory',
  'AttachFiles',
  'AddReactions',
] as const;

/** The URL where a server's admin adds the bot with these permissions. */
export function inviteLink(applicationId: string): string {
  const scope = 'bot applications.commands';
  const bits = permissions.reduce((sum, name) => sum | PermissionFlagsBits[name], 0n);
  const query = new URLSearchParams({ client_id: applicationId, scope, permissions: String(bits) });
  return `https://discord.com/oauth2/authorize?${query}`;
}
