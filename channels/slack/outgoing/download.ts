import { z } from 'zod';
import { ChannelError } from '../../../src/contract.ts';
import { readBody } from '../../../src/lib/read-body.ts';
import type { SlackApi } from '../web-api/api.ts';
import { readNetworkError, readStatus, toChannelError } from '../web-api/failure.ts';
import { isTrusted } from '../web-api/trusted.ts';

export interface DownloadOptions {
  readonly api: Pick<SlackApi, 'call'>;
  /** Goes to Slack's own hosts and to that of `apiUrl`, and nowhere else. */
  readonly token: string;
  readonly apiUrl: string;
  readonly maxBytes: number;
  readonly signal: AbortSignal;
}

const mostRedirects = 3;

const fileShape = z.object({
  file: z.object({
    size: z.number().optional().catch(undefined),
    mimetype: z.string().optional().catch(undefined),
    mode: z.string().optional().catch(undefined),
    is_external: z.boolean().optional().catch(undefined),
    url_private: z.string().optional().catch(undefined),
    url_private_download: z.string().optional().catch(undefined),
  }),
});

type SlackFile = z.output<typeof fileShape>['file'];

/**
 * Fetches a file that somebody has sent, by its id. `too-large`: it has more than `maxBytes`. Throws `ChannelError`, which
 * names neither the token nor the address.
 */
export async function fetchFile(fileId: string, options: DownloadOptions): Promise<Uint8Array | 'too-large'> {
  const file = await describe(fileId, options);
  if ((file.size ?? 0) > options.maxBytes) return 'too-large';
  const url = addressOf(file, options);
  try {
    return await download(url, file, options);
  } catch (error) {
    if (error instanceof ChannelError) throw error;
    throw toChannelError(method, readNetworkError(error), true);
  }
}

async function describe(fileId: string, { api, signal }: DownloadOptions): Promise<SlackFile> {
  const answer = await api.call('files.info', { file: fileId }, { repeatable: true, signal });
  const { data } = fileShape.safeParse(answer);
  if (data === undefined) throw refused('Slack does not say where the file is');
  return data.file;
}

function addressOf({ mode, is_external, url_private, url_private_download }: SlackFile, options: DownloadOptions): URL {
  if (mode === 'tombstone' || mode === 'hidden_by_limit') throw refused('the file is not there any more');
  const address = url_private_download ?? url_private;
  if (is_external === true || address === undefined || !URL.canParse(address))
    throw refused('the file does not lie with Slack. Send it as a file, or its address');
  return trusted(new URL(address), options);
}

function trusted(url: URL, { apiUrl }: DownloadOptions): URL {
  if (isTrusted(url, apiUrl)) return url;
  throw refused("the file lies at an address that is not one of Slack's, which is not followed");
}

async function download(url: URL, file: SlackFile, options: DownloadOptions): Promise<Uint8Array | 'too-large'> {
  const response = await follow(url, options);
  const { headers, body } = response;
  // Whom Slack does not let have a file, it shows a page on which to log in.
  if (isPage(headers.get('content-type')) && !isPage(file.mimetype ?? null)) {
    await body?.cancel();
    throw refused(
      'a web page came in place of the file: the app lacks the permission files:read. Add it under "OAuth & ' +
        'Permissions", then install the app anew',
    );
  }
  return readBody(response, options.maxBytes);
}

/** Throws unless it is answered with 200. */
async function follow(begin: URL, options: DownloadOptions): Promise<Response> {
  const { token, signal } = options;
  let url = begin;
  for (let redirects = 0; redirects <= mostRedirects; redirects += 1) {
    const response = await fetch(url, { headers: { authorization: `Bearer ${token}` }, redirect: 'manual', signal });
    const { status, headers, body } = response;
    if (status === 200) return response;
    await body?.cancel();
    const target = status >= 300 && status < 400 ? headers.get('location') : null;
    if (target === null) throw refusal(status, headers.get('retry-after'));
    if (!URL.canParse(target, url.href)) throw refused('the server sends us on to nowhere');
    url = trusted(new URL(target, url), options);
  }
  throw refused('the server sends us on again and again');
}

function refusal(status: number, retryAfter: string | null): ChannelError {
  if (status === 401) return new ChannelError({ type: 'auth' }, `${prefix} the server answers 401`);
  if (status < 500 && status !== 429) return refused(`the server answers ${status}`);
  const secs = Number(retryAfter ?? Number.NaN);
  return toChannelError(method, readStatus(status, Number.isFinite(secs) ? secs : undefined), true);
}

function isPage(mediaType: string | null): boolean {
  return /^text\/html\b/i.test(mediaType ?? '');
}

const method = 'download of a file';
const prefix = `Slack, ${method}:`;

function refused(words: string): ChannelError {
  return new ChannelError({ type: 'permanent' }, `${prefix} ${words}.`);
}
