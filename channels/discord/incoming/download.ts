import { z } from 'zod';
import { ChannelError, type ChannelFault, type InboundAttachment } from '../../../src/contract.ts';
import { readBody } from '../../../src/lib/read-body.ts';
import type { DiscordApi } from '../web-api/api.ts';
import { type FilePlace, readHandle } from './inbound-files.ts';

export interface DownloadOptions {
  readonly api: Pick<DiscordApi, 'call'>;
  /** Where the API is: files may lie there, too, where somebody has put something in Discord's place. */
  readonly apiUrl: string;
  readonly maxBytes: number;
  readonly signal: AbortSignal;
}

const fileHosts: ReadonlySet<string> = new Set(['cdn.discordapp.com', 'media.discordapp.net']);
/** What Discord answers once the time of an address is over. */
const refusedAddress: ReadonlySet<number> = new Set([401, 403, 404, 410]);

/**
 * Fetches a file that somebody has sent. Its address holds for a day; after that the message is asked for another. `too-large`:
 * it has more than `maxBytes`. Throws `ChannelError`.
 */
export async function fetchFile(
  { handle }: Pick<InboundAttachment, 'handle'>,
  options: DownloadOptions,
): Promise<Uint8Array | 'too-large'> {
  const place = readHandle(handle);
  if (place === undefined) throw refused('this is not a file of Discord');
  const first = await get(place.url, options);
  if (typeof first !== 'number') return first;
  if (!refusedAddress.has(first)) throw refusal(first);

  const second = await get(await freshAddress(place, options), options);
  if (typeof second === 'number') throw refusal(second);
  return second;
}

const withFiles = z.object({ attachments: z.array(z.object({ id: z.string(), url: z.string() })).catch([]) });
const messageShape = withFiles.extend({
  message_snapshots: z.array(z.object({ message: withFiles })).catch([]),
});

async function freshAddress(
  { channelId, messageId, attachmentId }: FilePlace,
  { api, signal }: DownloadOptions,
): Promise<string> {
  if (![channelId, messageId].every((id) => /^\d{15,20}$/.test(id))) throw refused('this is not a file of Discord');
  const answer = await api.call('GET', `/channels/${channelId}/messages/${messageId}`, { signal });
  const { data } = messageShape.safeParse(answer);
  const files = [data, ...(data?.message_snapshots ?? []).map(({ message }) => message)].flatMap(
    (content) => content?.attachments ?? [],
  );
  const found = files.find(({ id }) => id === attachmentId);
  if (found === undefined) throw refused('the file was taken away');
  return found.url;
}

/** The file, or the status with which it is refused. */
async function get(address: string, options: DownloadOptions): Promise<Uint8Array | 'too-large' | number> {
  const url = allowed(address, options.apiUrl);
  try {
    return await download(url, options);
  } catch (error) {
    if (error instanceof ChannelError) throw error;
    // What the client throws may name the address, with which anybody can have the file: it is not repeated.
    const words = options.signal.aborted ? 'the download was called off' : 'the connection broke';
    throw new ChannelError({ type: 'transient' }, `${prefix} ${words}`);
  }
}

/** Anybody can write a handle's address into a message that looks like one of Discord's. */
function allowed(address: string, apiUrl: string): URL {
  const url = URL.parse(address);
  const isDiscords = url?.protocol === 'https:' && url.port === '' && fileHosts.has(url.hostname);
  const isBesideApi = url !== null && url.origin === URL.parse(apiUrl)?.origin;
  if (url !== null && url.username === '' && (isDiscords || isBesideApi)) return url;
  throw refused('the address is none of Discord');
}

async function download(url: URL, { maxBytes, signal }: DownloadOptions): Promise<Uint8Array | 'too-large' | number> {
  const response = await fetch(url, { redirect: 'manual', signal });
  const { status, headers, body } = response;
  if (status !== 200) {
    await body?.cancel();
    if (status === 429) throw tooMany(Number(headers.get('retry-after') ?? Number.NaN));
    return status;
  }
  return readBody(response, maxBytes);
}

const prefix = 'Discord, download of a file:';
const defaultRetrySecs = 5;

function tooMany(retryAfterSecs: number): ChannelError {
  const secs = Number.isFinite(retryAfterSecs) ? retryAfterSecs : defaultRetrySecs;
  return new ChannelError({ type: 'rate-limited', retryAfter: secs * 1000 }, `${prefix} too many requests`);
}

function refusal(status: number): ChannelError {
  if (status >= 300 && status < 400) return refused('the server sends us on to another address, which is not followed');
  const fault: ChannelFault = { type: status >= 500 ? 'transient' : 'permanent' };
  return new ChannelError(fault, `${prefix} the server answers ${status}`);
}

function refused(words: string): ChannelError {
  return new ChannelError({ type: 'permanent' }, `${prefix} ${words}`);
}
