import { type ChannelAdapter, ChannelError, type InboundAttachment } from '../../contract.ts';
import { growingPause } from '../../engine/outbox.ts';
import { type Clock, sleep } from '../../lib/clock.ts';
import type { Log } from '../../lib/log.ts';
import { oneLine } from '../../lib/plain-text.ts';
import { tooLargeNote } from './attachment-words.ts';

export interface DownloadSettings {
  /** In bytes. */
  readonly maxBytes: number;
  /** How long one file may take, with all tries, in milliseconds. */
  readonly timeout: number;
}

export interface DownloadDependencies {
  readonly adapter: ChannelAdapter | undefined;
  readonly settings: DownloadSettings;
  readonly clock: Clock;
  readonly log: Log;
}

export type Download =
  | { readonly type: 'got'; readonly bytes: Uint8Array }
  /** The note says why, for the model and for people. */
  | { readonly type: 'missing'; readonly note: string }
  | { readonly type: 'aborted' };

const mostRetries = 2;
const pauses = { firstPause: 500, longestPause: 30_000, ambiguousPause: 500 };

/** Fetches an attachment. Tries again twice after a fault that may pass, and waits as long as the platform asks. Aborts at once. */
export async function download(
  attachment: InboundAttachment,
  { adapter, settings, clock, log }: DownloadDependencies,
  signal: AbortSignal,
): Promise<Download> {
  if (adapter?.fetchAttachment === undefined) return missing('this channel cannot fetch files');
  const deadline = new AbortController();
  const cancel = clock.after(settings.timeout, () => deadline.abort());
  const limits = { maxBytes: settings.maxBytes, signal: AbortSignal.any([signal, deadline.signal]) };
  const end = clock.now() + settings.timeout;
  try {
    for (let failures = 0; ; ) {
      const found = await attempt(() => adapter.fetchAttachment?.(attachment, limits), limits.signal);
      if (signal.aborted) return { type: 'aborted' };
      if (found === undefined) return missing(`fetching it took longer than ${Math.round(settings.timeout / 1000)} s`);
      if (found === 'too-large') return missing(tooLargeWords(attachment, settings));
      if (found instanceof Uint8Array)
        return found.length > settings.maxBytes
          ? missing(tooLargeNote(settings.maxBytes))
          : { type: 'got', bytes: found };
      if (!(found.error instanceof ChannelError)) log.error({ err: found.error }, 'a channel failed to fetch a file');
      const wait = waitAfter(found.error, failures);
      if (wait === undefined || clock.now() + wait >= end) return missing(wordsOf(found.error));
      if (!isRateLimit(found.error)) failures += 1;
      await sleep(clock, wait, limits.signal);
    }
  } finally {
    cancel();
  }
}

/** The platform may hand out less than we take. */
function tooLargeWords({ size = Number.POSITIVE_INFINITY }: InboundAttachment, { maxBytes }: DownloadSettings): string {
  return size > maxBytes ? tooLargeNote(maxBytes) : 'it is larger than the files that this channel hands out';
}

interface Failure {
  readonly error: unknown;
}

/** Undefined once the signal aborts: a channel that goes on all the same is not waited for. */
async function attempt<Result>(
  fetch: () => Promise<Result> | undefined,
  signal: AbortSignal,
): Promise<Result | Failure | undefined> {
  if (signal.aborted) return undefined;
  const { promise: aborted, resolve } = Promise.withResolvers<undefined>();
  const stop = (): void => resolve(undefined);
  signal.addEventListener('abort', stop, { once: true });
  try {
    return await Promise.race([fetch(), aborted]);
  } catch (error) {
    return signal.aborted ? undefined : { error };
  } finally {
    signal.removeEventListener('abort', stop);
  }
}

/** In milliseconds; undefined if another try is of no use. */
function waitAfter(error: unknown, failures: number): number | undefined {
  if (!(error instanceof ChannelError)) return undefined;
  switch (error.fault.type) {
    case 'rate-limited':
      return Math.max(error.fault.retryAfter, pauses.firstPause);
    case 'transient':
    case 'ambiguous':
      return failures < mostRetries ? growingPause(failures, pauses) : undefined;
    case 'permanent':
    case 'auth':
    case 'moved':
      return undefined;
  }
}

function isRateLimit(error: unknown): boolean {
  return error instanceof ChannelError && error.fault.type === 'rate-limited';
}

function missing(note: string): Download {
  return { type: 'missing', note };
}

/** Only what a channel says is meant to be read. */
function wordsOf(error: unknown): string {
  return `it could not be fetched${error instanceof ChannelError ? ` (${oneLine(error.message, 200)})` : ''}`;
}
