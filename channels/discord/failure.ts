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
import { type InLanguage, wordsIn } from '../../src/lib/words.ts';
import {
  foreign,
  lost,
  type RequestFailure,
  readNetworkError,
  requestError,
  serverAnswers,
  tooMany,
} from '../kit/request-failure.ts';
import { discordWords, type Lack, type Mistake } from './words.ts';

interface ApiRequest {
  readonly method: string;
  readonly route: string;
  /** Whether it was sent with the bot token. */
  readonly auth: boolean;
  readonly applicationId: string | undefined;
}

/** Converts anything thrown below. `repeatable` requests are idempotent, so a lost answer is transient. */
export function toChannelError(request: ApiRequest, error: unknown, repeatable: boolean): ChannelError {
  const { method, route } = request;
  // Other routes contain tokens.
  const shown = /^\/(?:channels|guilds)\//.test(route) ? route : route.replace(/(?<=\/)[^/]*\d.*/, '…');
  return requestError({ platform: 'Discord', tried: `${method} ${shown}` }, readFailure(request, error), repeatable);
}

function readFailure(request: ApiRequest, error: unknown): RequestFailure {
  // Also thrown when the library knows from earlier answers that the limit is reached.
  if (error instanceof RateLimitError) return tooMany(error.retryAfter > 0 ? Math.ceil(error.retryAfter) : undefined);
  if (error instanceof DiscordAPIError) return readRefusal(request, error);
  if (!(error instanceof HTTPError)) return readNetworkError(error);
  const { status } = error;
  const words = serverAnswers(status);
  // Gateway timeouts: the server behind may have executed the request.
  return status === 504 || status === 524 ? lost(words) : foreign(words, status);
}

const refusalShape = z.object({
  code: z.number().catch(0),
  message: z.string().catch(''),
  errors: z.unknown().optional(),
});

function readRefusal(request: ApiRequest, { status, rawError }: DiscordAPIError): RequestFailure {
  const { code, message, errors } = refusalShape.parse(rawError);
  const mistakes = mistakesIn(errors, '', 0).slice(0, 5);
  const refused: InLanguage = (language) => discordWords[language].refused({ message, mistakes });
  // Without the bot token, it means that the interaction's token has expired.
  const isBadToken = status === 401 && request.auth;
  const isPassing = passing.includes(code) || status === 408 || status === 425;
  const why = isBadToken ? tokenRefused : (adviceFor(code, request) ?? refused);
  const words: InLanguage = (language) => discordWords[language].refusal({ why: wordsIn(language, why), code });
  const type = isPassing ? 'transient' : isBadToken ? 'auth' : 'permanent';
  return { fault: { type }, words, code };
}

const tokenRefused: InLanguage = (language) => discordWords[language].tokenRefused;

/** Paths and codes of the errors. Discord's sentences may repeat what was sent, so they are left out. */
function mistakesIn(errors: unknown, path: string, depth: number): readonly Mistake[] {
  if (!isJsonObject(errors) || depth > 8) return [];
  const { _errors: here, ...below } = errors;
  return [
    ...objectsIn(here).map(({ code }) => ({ path, code: String(code) })),
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
function adviceFor(code: number, request: ApiRequest): InLanguage | undefined {
  const { route, applicationId } = request;
  const channel = /^\/channels\/(\d+)/.exec(route)?.[1];
  const lack = { channel, deed: deedOf(request), invitation: applicationId && inviteLink(applicationId) };
  switch (code) {
    case Reason.UnknownChannel:
      return (language) => discordWords[language].channelGone;
    case Reason.MissingAccess:
      return (language) => discordWords[language].doesNotSee(lack);
    case Reason.MissingPermissions:
      return (language) => discordWords[language].lacksPermission(lack);
    case Reason.InvalidActionOnArchivedThread:
      return (language) => discordWords[language].threadArchived(lack);
    case Reason.ThreadLocked:
      return (language) => discordWords[language].threadLocked;
    case Reason.CannotSendMessagesToThisUser:
      return (language) => discordWords[language].takesNoMessages;
    case Reason.RequestEntityTooLarge:
      return (language) => discordWords[language].tooLarge;
    case Reason.MessageWasBlockedByAutomaticModeration:
      return (language) => discordWords[language].blockedByAutoMod;
    default:
      return undefined;
  }
}

function deedOf({ method, route }: ApiRequest): Lack['deed'] {
  if (route.includes('/reactions/')) return 'react';
  if (method === 'GET') return 'read';
  return /^\/channels\/\d+$/.test(route) ? 'unarchive' : 'write';
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
