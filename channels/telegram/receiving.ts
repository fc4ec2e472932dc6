import { Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import { Api, type RawApi } from 'grammy';
import { z } from 'zod';
import type { ChannelError } from '../../src/contract.ts';
import { type DownloadLimits, download, downloadError, statusError } from '../kit/file-transfer.ts';
import { readFailure, toChannelError, UnexpectedAnswer } from './failure.ts';
import type { TelegramSettings } from './settings.ts';

export interface BotIdentity {
  readonly id: number;
  readonly username: string;
}

/** Other kinds of updates are not delivered. */
const allowedUpdates = ['message', 'edited_message', 'callback_query', 'stopped_message_generation'] as const;

/** The client's timeout is a fallback: ours follows the injected clock. */
const clientGraceSecs = 60;
const updatesAtOnce = 100;

const identityShape = z.object({ id: z.number(), username: z.string() });
const updatesShape = z.array(z.unknown());
const webhookShape = z.object({ pending_update_count: z.number() });
const fileShape = z.object({ file_path: z.string().optional(), file_size: z.number().optional() });

/** Calls that read something. They never retry, and throw what `readFailure` reads. */
export function createReceivingApi(settings: TelegramSettings) {
  const { token, api_root: apiRoot, poll_timeout_secs: pollSecs, request_timeout_secs: requestSecs } = settings;
  let connection = connect();

  function connect() {
    const agent = new (apiRoot.startsWith('https:') ? HttpsAgent : HttpAgent)({ keepAlive: true });
    const client = (timeoutSeconds: number): RawApi =>
      new Api(token, { apiRoot, timeoutSeconds, baseFetchConfig: { agent } }).raw;
    return { agent, polling: client(pollSecs + clientGraceSecs), asking: client(requestSecs) };
  }

  return {
    /** Closes all connections and opens new ones. */
    renew(): void {
      connection.agent.destroy();
      connection = connect();
    },

    async getMe(signal: AbortSignal): Promise<BotIdentity> {
      return expectShape(identityShape, await connection.asking.getMe(toClientSignal(signal)), 'getMe');
    },

    /** Deletes a webhook, which would block polling. Keeps pending updates. */
    async deleteWebhook(signal: AbortSignal): Promise<void> {
      await connection.asking.deleteWebhook({ drop_pending_updates: false }, toClientSignal(signal));
    },

    /** Waits up to `timeout` seconds for updates, and confirms all below the offset. Does not check the updates. */
    async getUpdates(offset: number | undefined, timeout: number, signal: AbortSignal): Promise<readonly unknown[]> {
      const request = { timeout, limit: updatesAtOnce, allowed_updates: allowedUpdates, offset };
      const updates = await connection.polling.getUpdates(request, toClientSignal(signal));
      return expectShape(updatesShape, updates, 'getUpdates');
    },

    async countPending(signal: AbortSignal): Promise<number> {
      const info = await connection.asking.getWebhookInfo(toClientSignal(signal));
      return expectShape(webhookShape, info, 'getWebhookInfo').pending_update_count;
    },

    /** The file's path on the server, if it can provide the file. */
    async getFile(fileId: string, signal: AbortSignal): Promise<z.output<typeof fileShape>> {
      const file = await connection.asking.getFile({ file_id: fileId }, toClientSignal(signal));
      return expectShape(fileShape, file, 'getFile');
    },
  };
}

export type ReceivingApi = ReturnType<typeof createReceivingApi>;

interface FetchOptions extends DownloadLimits, Pick<TelegramSettings, 'token' | 'api_root'> {
  readonly api: Pick<ReceivingApi, 'getFile'>;
}

/**
 * Downloads a file. Its URL contains the token and appears in no error. `too-large`: more than `maxBytes`, or more than
 * Telegram's 20 MiB. Throws `ChannelError`.
 */
export async function fetchFile(fileId: string, options: FetchOptions): Promise<Uint8Array | 'too-large'> {
  const { api, token, api_root: root, maxBytes, signal } = options;
  const place = await api.getFile(fileId, signal).catch((error: unknown) => {
    const failure = readFailure(error);
    if (failure.type === 'refused' && /file is too big/i.test(failure.words)) return undefined;
    throw toChannelError('getFile', failure, true);
  });
  if (place === undefined || (place.file_size ?? 0) > maxBytes) return 'too-large';
  const found = await download(new URL(`${root}/file/bot${token}/${checkedPath(place.file_path)}`), {
    platform,
    maxBytes,
    signal,
  });
  if (typeof found !== 'number') return found;
  if (found === 401) throw downloadError(platform, 'the server answers 401', { type: 'auth' });
  if (found >= 300 && found < 400)
    throw refused('the server sends us on to another address, which is not followed. Check api_root');
  throw statusError(platform, found);
}

/** A self-hosted Bot API server may return a local path, which cannot be downloaded. */
function checkedPath(path: string | undefined): string {
  if (path === undefined) throw refused('the server does not say where the file is');
  if (/^(?:[/\\]|[a-z]:)|(?:^|\/)\.\.?(?:\/|$)/i.test(path))
    throw refused(
      'the Bot API server runs with --local, and names a place on its own disk. Start it without --local to have files',
    );
  return path.split('/').map(encodeURIComponent).join('/');
}

const platform = 'Telegram';

function refused(words: string): ChannelError {
  return downloadError(platform, words);
}

/** Throws `UnexpectedAnswer` if the answer does not have the documented shape. */
export function expectShape<Shape extends z.ZodType>(shape: Shape, answer: unknown, method: string): z.output<Shape> {
  const { success, data } = shape.safeParse(answer);
  if (!success) throw new UnexpectedAnswer(`${method} was answered with something that the Bot API does not say`);
  return data;
}

type ClientSignal = NonNullable<Parameters<RawApi['getMe']>[0]>;

/** grammY's types name a polyfill's signal, but it works with Node's. */
export function toClientSignal(signal: AbortSignal): ClientSignal {
  return signal as unknown as ClientSignal;
}
