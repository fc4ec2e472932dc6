import { ChannelError, type ChannelFault } from '../../src/contract.ts';
import { innermostError, wasNeverSent } from '../../src/lib/http.ts';
import { connectionFault } from '../../src/lib/network/connection-fault.ts';
import { type InLanguage, type Words, wordsIn } from '../../src/lib/words.ts';
import { kitWords } from './words.ts';

/** How a request failed. */
export interface RequestFailure {
  /** `lost`: the answer was lost, so the request may have been executed. In all other cases nothing was done. */
  readonly fault: ChannelFault | 'lost';
  /** A clause for people, without tokens and message text. */
  readonly words: Words;
  /** The platform's error code, if it refused. Telegram has few: its words tell more. */
  readonly code?: string | number;
}

export function lost(words: Words): RequestFailure {
  return { fault: 'lost', words };
}

/** Something else answered, such as a proxy with an error page. A page without a status may be about this request alone. */
export function foreign(words: Words, status = 400): RequestFailure {
  return { fault: { type: 'transient', isBlocked: status < 500 }, words };
}

/** A rate limit, the platform's or our own count of it. The pause is in ms, 5 s if the platform names none. */
export function tooMany(retryAfter = 5_000): RequestFailure {
  return { fault: { type: 'rate-limited', retryAfter }, words: (language) => kitWords[language].tooManyRequests };
}

/** Thrown where a request fails before the client sends it, or although the client takes the answer. */
export class FailedRequest extends Error {
  override readonly name = 'FailedRequest';
  readonly failure: RequestFailure;

  constructor(failure: RequestFailure) {
    super(wordsIn('en', failure.words));
    this.failure = failure;
  }
}

/** What was tried, as Slack's `chat.update`. */
export interface Tried {
  /** Display name: "Slack". */
  readonly platform: string;
  readonly tried: Words;
}

/**
 * What is thrown of a failed request. `repeatable` requests (edits, reactions) are idempotent, so a lost
 * answer is transient. The cause holds only the code: the clients' errors may contain the token and what was sent.
 */
export function requestError(
  { platform, tried }: Tried,
  { fault, words, code }: RequestFailure,
  repeatable: boolean,
): ChannelError {
  const cause = code === undefined ? undefined : new Refusal(code);
  const lostFault = { type: repeatable ? 'transient' : 'ambiguous' } as const;
  const said: InLanguage = (language) =>
    kitWords[language].requestFailed({ platform, tried: wordsIn(language, tried), why: wordsIn(language, words) });
  return new ChannelError(fault === 'lost' ? lostFault : fault, said, { cause });
}

class Refusal extends Error {
  override readonly name = 'Refusal';
  readonly code: string | number;

  constructor(code: string | number) {
    super(`refused: ${code}`);
    this.code = code;
  }
}

/** The platform's error code, if it refused. */
export function refusalCode(error: unknown): string | number | undefined {
  return error instanceof ChannelError && error.cause instanceof Refusal ? error.cause.code : undefined;
}

/** Whether the platform refused with one of these codes. */
export function isRefused(error: unknown, codes: RegExp | readonly (string | number)[]): boolean {
  const code = refusalCode(error);
  if (code === undefined) return false;
  return codes instanceof RegExp ? codes.test(String(code)) : codes.includes(code);
}

/** For `catch`: what to do instead after one of these refusals. Rethrows everything else. */
export function onRefusal<Result>(
  codes: RegExp | readonly (string | number)[],
  instead: () => Result,
): (error: unknown) => Result {
  return (error) => {
    if (isRefused(error, codes)) return instead();
    throw error;
  };
}

/** For `catch`: ignores these refusals, since the requested state already holds. Rethrows everything else. */
export function acceptRefusal(...codes: readonly (string | number)[]): (error: unknown) => void {
  return onRefusal(codes, () => {});
}

/** Classifies what was thrown below the platform's client. `host`: that was asked, for the operator. */
export function readNetworkError(error: unknown, host: Words = theServer): RequestFailure {
  if (error instanceof FailedRequest) return error.failure;
  const network = innermostError(error);
  const { name, code, message } = network;
  // The file has changed since it was opened.
  if (name === 'NotReadableError')
    return { fault: { type: 'permanent' }, words: (language) => kitWords[language].fileUnreadable };
  if (name === 'TimeoutError') return lost(noAnswerInTime);
  if (name === 'AbortError') return lost((language) => kitWords[language].calledOff);
  if (message.includes('unexpected redirect')) return foreign(requestSentOn);
  const connection = connectionFault(error, host);
  if (connection !== undefined)
    return { fault: { type: 'transient', isUnsent: true }, words: asClause(connection.wordsIn) };
  if (wasNeverSent(network)) {
    const words: InLanguage = (language) => kitWords[language].noConnection({ code: code ?? message });
    return { fault: { type: 'transient', isUnsent: true }, words };
  }
  if (code !== undefined) return lost((language) => kitWords[language].connectionBroke({ code }));
  // The client failed to read the answer, such as the JSON value null.
  return lost((language) => kitWords[language].answerUnreadable({ name }));
}

const theServer: InLanguage = (language) => kitWords[language].theServer;
export const noAnswerInTime: InLanguage = (language) => kitWords[language].noAnswerInTime;
export const requestSentOn: InLanguage = (language) => kitWords[language].requestSentOn;
export const answerCutOff: InLanguage = (language) => kitWords[language].answerCutOff;
export const proxyPage: InLanguage = (language) => kitWords[language].proxyPage;

export function serverAnswers(status: number): InLanguage {
  return (language) => kitWords[language].serverAnswers({ status });
}

/** Sentences as a clause of another one: without the last full stop. */
export function asClause(words: Words): InLanguage {
  return (language) => wordsIn(language, words).replace(/[.。]$/, '');
}
