import { z } from 'zod';
import { ChannelError, type ChannelFault } from '../../src/contract.ts';
import { isJsonObject, parseJson } from '../../src/lib/json.ts';
import { optionalText } from '../kit/read-payload.ts';
import {
  defaultRetry,
  failedError,
  type RequestFailure,
  readNetworkError,
  refusalCode,
  refusedError,
} from '../kit/request-failure.ts';

export interface SlackServer {
  readonly token: string;
  /** Ends with a slash. */
  readonly apiUrl: string;
  readonly requestTimeoutSecs: number;
  /** Told each time when Slack does not accept the token. Returns at once. */
  readonly onShutOut?: () => void;
}

/** What Slack has answered. It says "ok"; nothing else in it is sure. */
export type SlackAnswer = Readonly<Record<string, unknown>>;

export interface CallOptions {
  /** Done twice it changes nothing: a lost answer is transient, and not ambiguous. */
  readonly repeatable?: boolean;
  readonly signal?: AbortSignal;
}

/** The Web API for one token. Nothing is tried twice here, and no call waits for another one. */
export class SlackApi {
  readonly #server: SlackServer;

  constructor(server: SlackServer) {
    this.#server = server;
  }

  /** Throws `ChannelError`. */
  async call(
    method: string,
    args: Readonly<Record<string, unknown>>,
    { repeatable = false, signal }: CallOptions = {},
  ): Promise<SlackAnswer> {
    if (signal?.aborted) throw new ChannelError({ type: 'transient' }, `Slack, ${method}: it was called off`);
    const result = await this.#ask(method, args, signal).catch(readNetworkError);
    if (result.type === 'done') return result.answer;
    const error = toChannelError(method, result, repeatable);
    if (error.fault.type === 'auth') this.#server.onShutOut?.();
    throw error;
  }

  /** Throws what `fetch` throws. */
  async #ask(method: string, args: Readonly<Record<string, unknown>>, signal: AbortSignal | undefined) {
    const { token, apiUrl, requestTimeoutSecs } = this.#server;
    const late = AbortSignal.timeout(requestTimeoutSecs * 1000);
    const response = await fetch(`${apiUrl}${method}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}` },
      body: formOf(args),
      redirect: 'error',
      signal: signal ? AbortSignal.any([signal, late]) : late,
    });
    return readAnswer(response, await response.text());
  }

  /**
   * Posts to an address that Slack has named, `what` for. Gives the status. Throws `ChannelError`, which does not name the
   * address: anybody who knows it can post there too.
   */
  async post(
    what: string,
    url: string,
    content: { readonly type: string; readonly body: Blob | string },
    { repeatable, patience = 0 }: { readonly repeatable: boolean; readonly patience?: number },
  ): Promise<number> {
    if (!this.isTrusted(URL.parse(url)))
      throw new ChannelError({ type: 'permanent' }, `Slack, ${what}: the address is not one of Slack's. Check api_url`);
    try {
      const response = await fetch(url, {
        method: 'POST',
        headers: { 'content-type': content.type },
        body: content.body,
        redirect: 'error',
        signal: AbortSignal.timeout(this.#server.requestTimeoutSecs * 1000 + patience),
      });
      await response.body?.cancel();
      return response.status;
    } catch (error) {
      throw toChannelError(what, readNetworkError(error), repeatable);
    }
  }

  /** Asks for what lies at an address with the token, following nobody. Throws what `fetch` throws. */
  get(url: URL, signal: AbortSignal): Promise<Response> {
    return fetch(url, { headers: { authorization: `Bearer ${this.#server.token}` }, redirect: 'manual', signal });
  }

  /** Whether the address is one of Slack's own, or of what stands in its place: a token may go there. */
  isTrusted(address: URL | null): address is URL {
    if (address === null || address.username !== '' || address.password !== '') return false;
    if (address.origin === new URL(this.#server.apiUrl).origin) return true;
    const isSlack = address.hostname === 'slack.com' || address.hostname.endsWith('.slack.com');
    return isSlack && address.protocol === 'https:' && address.port === '';
  }
}

/** Slack takes what is no single value as JSON, and leaves out what is undefined. */
function formOf(args: Readonly<Record<string, unknown>>): URLSearchParams {
  const form = new URLSearchParams();
  for (const [key, value] of Object.entries(args))
    if (value !== undefined && value !== null)
      form.set(key, typeof value === 'object' ? JSON.stringify(value) : String(value));
  return form;
}

/** How a request to the Web API failed. The words carry neither a token nor the text of a message. */
type Failure =
  | {
      readonly type: 'refused';
      readonly code: string;
      /** The scopes that are missing, where that is what is wrong. */
      readonly needed?: string | undefined;
      /** For how long Slack wants to be left alone, where that is what is wrong, in milliseconds. */
      readonly retryAfter: number;
    }
  | RequestFailure;

export function toChannelError(method: string, failure: Failure, repeatable: boolean): ChannelError {
  const tried = `Slack, ${method}`;
  if (failure.type !== 'refused') return failedError(tried, failure, repeatable);
  return refusedError(refusalFault(failure), `${tried}: ${refusalWords(failure)}`, failure.code);
}

export function isRefused(error: unknown, code: RegExp): boolean {
  return code.test(String(refusalCode(error)));
}

export function lostAnswer(method: string, words: string, repeatable: boolean): ChannelError {
  return toChannelError(method, { type: 'lost', words }, repeatable);
}

/** What was granted to the token, Slack says in a header: it is given as `granted`. */
function readAnswer(
  { status, headers }: Response,
  text: string,
): { readonly type: 'done'; readonly answer: SlackAnswer } | Failure {
  const retrySecs = Number.parseInt(headers.get('retry-after') ?? '', 10);
  if (status !== 200) return readStatus(status, retrySecs);
  const answer = parseJson(text);
  if (isJsonObject(answer) && answer.ok === true) {
    const granted = headers.get('x-oauth-scopes')?.split(',');
    return { type: 'done', answer: { ...answer, granted: granted?.map((scope) => scope.trim()) } };
  }
  const { data } = refusalShape.safeParse(answer);
  if (data !== undefined) return { type: 'refused', ...data, retryAfter: readRetry(retrySecs) };
  if (answer !== undefined) return { type: 'lost', words: 'what answered is not the Web API' };
  if (/^\s*(?:[[{]|$)/.test(text)) return { type: 'lost', words: 'the answer was cut off' };
  return { type: 'foreign', words: 'an error page of a proxy came in place of an answer' };
}

const refusalShape = z
  .object({ error: z.string().regex(/^\w[\w.-]{0,99}$/), needed: optionalText })
  .transform(({ error: code, needed }) => ({ code, needed }));

function readRetry(secs: number): number {
  return Number.isFinite(secs) ? secs * 1000 : defaultRetry;
}

export function readStatus(status: number, retrySecs = Number.NaN): RequestFailure {
  if (status === 429) return { type: 'too-many', retryAfter: readRetry(retrySecs) };
  const words = `the server answers ${status}`;
  if (status === 504) return { type: 'lost', words };
  if (status >= 500) return { type: 'foreign', words, status };
  return { type: 'foreign', words: `${words}, which Slack does not. Check api_url` };
}

function refusalFault({ code, retryAfter }: Failure & { readonly type: 'refused' }): ChannelFault {
  if (tooMany.test(code)) return { type: 'rate-limited', retryAfter };
  if (wrongToken.test(code)) return { type: 'auth' };
  return { type: forNow.test(code) ? 'transient' : 'permanent' };
}

function refusalWords({ code, needed = '' }: Failure & { readonly type: 'refused' }): string {
  if (code === 'missing_scope') {
    const scopes = /^[\w:.,\s-]{1,200}$/.test(needed) ? `: ${needed}` : '';
    return `missing_scope: the app lacks a permission${scopes}. Add it under "OAuth & Permissions", then install the app again`;
  }
  const words = advice[code];
  return words === undefined ? code : `${code}: ${words}`;
}

/** The bot, or the one person who should see a message, is not in the channel. */
export const absence = /^(?:channel_not_found|not_in_channel|user_not_in_channel|is_archived|restricted_action)$/;
/** The workspace will take no such request, whatever it says: it need not be asked again. */
export const noFeature = /^(?:feature_not_enabled|method_deprecated|unknown_method|missing_scope|no_permission)$/;
const tooMany = /^(?:rate_?limited|message_limit_exceeded)$/;
const wrongToken =
  /^(?:invalid_auth|not_authed|account_inactive|token_revoked|token_expired|not_allowed_token_type|user_removed_from_team|team_access_not_granted|access_denied)$/;
const forNow =
  /^(?:internal_error|fatal_error|service_unavailable|temporarily_unavailable|(?:request_)?timeout|team_added_to_org|accesslimited)$/;

const invite = 'Invite it there: /invite @ and its name';

const advice: Readonly<Record<string, string>> = {
  invalid_auth: 'the token is wrong. Copy it again from api.slack.com/apps',
  not_authed: 'no token was given',
  account_inactive: 'the app was removed from the workspace. Install it again',
  token_revoked: 'the token was taken back. Install the app again',
  token_expired: 'the token has expired. Switch token rotation off, or install the app again',
  not_allowed_token_type: 'this kind of token is not for this. The bot token begins with "xoxb-"',
  channel_not_found: `the bot does not see this channel. ${invite}`,
  not_in_channel: `the bot is not in this channel. ${invite}`,
  is_archived: 'the channel is archived',
  message_not_found: 'the message is not there any more',
  cant_update_message: 'this message cannot be changed by the bot',
  cant_delete_message: 'this message cannot be taken away by the bot',
  msg_too_long: 'the text is too long',
  msg_blocks_too_long: 'the text and the buttons are too long together',
  invalid_blocks: 'Slack does not take this formatting',
  restricted_action: 'the workspace does not let apps write here',
  messages_tab_disabled:
    'people cannot write to the app. Switch on "Messages Tab" under "App Home", and allow people to send messages from it',
  cannot_dm_bot: 'this is another bot, which cannot be written to',
  user_not_found: 'Slack does not know this person',
};
