import { ChannelError, type ChannelFault } from '../../../src/contract.ts';
import { type ApiRequest, deedWords } from './deeds.ts';
import { refusalFault, refusalWords } from './refusals.ts';

/** How a request to Discord's API failed. The words carry neither a token nor the text of a message. */
export type Failure =
  /** Discord refused. */
  | {
      readonly type: 'refused';
      readonly status: number;
      /** Discord's number for the reason. */
      readonly code: number;
      readonly words: string;
    }
  /** Discord, or our own count of its limits, asks for a pause, in milliseconds. Nothing was done. */
  | { readonly type: 'too-many'; readonly retryAfter: number }
  /** A file that was to be sent can't be read: Discord has got no whole request. */
  | { readonly type: 'unreadable'; readonly words: string }
  /** Proven not to have left this machine. */
  | { readonly type: 'not-sent'; readonly words: string }
  /** Something that is not Discord's API answered: a proxy with its error page. Nothing was done. */
  | { readonly type: 'foreign'; readonly words: string }
  /** The answer was lost: the request may have been carried out. */
  | { readonly type: 'lost'; readonly words: string };

/** Thrown when an answer says that it was done but does not hold what Discord promises, or does not arrive. */
export class LostAnswer extends Error {
  override readonly name = 'LostAnswer';
}

/** Thrown when what answers is not Discord's API. */
export class ForeignAnswer extends Error {
  override readonly name = 'ForeignAnswer';
}

/** Thrown when Discord refuses something because of a limit that is not worth waiting for. */
export class LimitReached extends Error {
  override readonly name = 'LimitReached';
  readonly code: number;

  constructor(code: number) {
    super('a limit is reached');
    this.code = code;
  }
}

/** Thrown while a file is sent that is not there, or not whole. */
export class UnreadableFile extends Error {
  override readonly name = 'UnreadableFile';
}

/** Stands as the cause of a `ChannelError` where Discord itself has refused. */
class DiscordRefusal extends Error {
  override readonly name = 'DiscordRefusal';
  readonly status: number;
  /** Discord's number for the reason: 50013 is Missing Permissions. */
  readonly code: number;

  constructor(status: number, code: number) {
    super(`Discord says ${status}, ${code}`);
    this.status = status;
    this.code = code;
  }
}

/** Discord's number for the reason, if it was Discord that refused. */
export function refusalCode(error: unknown): number | undefined {
  return error instanceof ChannelError && error.cause instanceof DiscordRefusal ? error.cause.code : undefined;
}

/**
 * The failure as the core knows it. `repeatable` requests (edits, reactions) change nothing when they are done twice, so
 * for them a lost answer is transient. The cause is at most a `DiscordRefusal`: the library's errors hold what was sent.
 */
export function toChannelError(request: ApiRequest, failure: Failure, repeatable: boolean): ChannelError {
  const prefix = `Discord, ${deedWords(request)}:`;
  if (failure.type !== 'refused')
    return new ChannelError(faultOf(failure, repeatable), `${prefix} ${wordsOf(failure)}`);
  const { status, code, words } = failure;
  return new ChannelError(
    refusalFault({ status, code, auth: request.auth }),
    `${prefix} ${refusalWords(request, { code, words })}`,
    { cause: new DiscordRefusal(status, code) },
  );
}

type Other = Exclude<Failure, { readonly type: 'refused' }>;

function wordsOf(failure: Other): string {
  return failure.type === 'too-many' ? 'too many requests' : failure.words;
}

function faultOf(failure: Other, repeatable: boolean): ChannelFault {
  switch (failure.type) {
    case 'too-many':
      return { type: 'rate-limited', retryAfter: failure.retryAfter };
    case 'unreadable':
      return { type: 'permanent' };
    case 'not-sent':
    case 'foreign':
      return { type: 'transient' };
    case 'lost':
      return { type: repeatable ? 'transient' : 'ambiguous' };
  }
}
