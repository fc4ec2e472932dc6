import type { RawApi } from 'grammy/web';
import { directNetwork, type Network } from '../../src/contract.ts';
import { createKeptRequests, type KeptRequests } from '../../src/lib/network/kept-requests.ts';
import { type DownloadLimits, download, fetchPlainly, refusing } from '../kit/file-transfer.ts';
import { kitWords } from '../kit/words.ts';
import { botApiClient, toClientSignal } from './bot-api-client.ts';
import { readFailure, toChannelError } from './failure.ts';
import type { TelegramSettings } from './settings.ts';
import { telegramWords } from './words.ts';

/** The bot itself. */
export interface BotIdentity {
  readonly id: number;
  readonly username: string;
}

/** Calls that read something. They never retry. All but `fetchFile` throw what `readFailure` reads. */
export interface ReadingApi {
  /** Closes all connections and opens new ones. */
  renew(): void;
  getMe(signal: AbortSignal): Promise<BotIdentity>;
  /** Deletes a webhook, which would block polling. Keeps pending updates. */
  deleteWebhook(signal: AbortSignal): Promise<true>;
  /** Waits up to `timeout` seconds for updates, and confirms all below the offset. Does not check the updates. */
  getUpdates(offset: number | undefined, timeout: number, signal: AbortSignal): Promise<readonly unknown[]>;
  countPending(signal: AbortSignal): Promise<number>;
  /**
   * Downloads a file. Its URL contains the token and appears in no error. `too-large`: more than `maxBytes`, or more
   * than Telegram's 20 MiB. Throws `ChannelError`.
   */
  fetchFile(fileId: string, limits: DownloadLimits): Promise<Uint8Array | 'too-large'>;
}

/** Other kinds of updates are not delivered. */
const allowedUpdates = [
  'message',
  'edited_message',
  'callback_query',
  'my_chat_member',
  'stopped_message_generation',
] as const;
const updatesAtOnce = 100;

export function createReadingApi(settings: TelegramSettings, network: Network = directNetwork): ReadingApi {
  const connection = connect(settings, network);
  return {
    renew: () => connection.requests.close(),

    getMe: (signal) => connection.asking.getMe(toClientSignal(signal)),

    deleteWebhook: (signal) => connection.asking.deleteWebhook({ drop_pending_updates: false }, toClientSignal(signal)),

    getUpdates(offset, timeout, signal) {
      const request = { timeout, limit: updatesAtOnce, allowed_updates: allowedUpdates, offset };
      return connection.polling.getUpdates(request, toClientSignal(signal));
    },

    async countPending(signal) {
      return (await connection.asking.getWebhookInfo(toClientSignal(signal))).pending_update_count;
    },

    fetchFile: (fileId, limits) => fetchFile(fileId, limits, { settings, network, asking: connection.asking }),
  };
}

interface Connection {
  readonly requests: KeptRequests;
  /** For `getUpdates`, which may take long. */
  readonly polling: RawApi;
  readonly asking: RawApi;
}

/** The client's timeout is a fallback: ours follows the injected clock. */
const clientGraceSecs = 60;

function connect(settings: TelegramSettings, network: Network): Connection {
  const { poll_timeout_secs: pollSecs, request_timeout_secs: requestSecs } = settings;
  const requests = createKeptRequests(network);
  return {
    requests,
    polling: botApiClient({ settings, requests, timeoutSeconds: pollSecs + clientGraceSecs }),
    asking: botApiClient({ settings, requests, timeoutSeconds: requestSecs }),
  };
}

interface FileSource extends Pick<Connection, 'asking'> {
  readonly settings: TelegramSettings;
  readonly network: Network;
}

async function fetchFile(
  fileId: string,
  { maxBytes, signal }: DownloadLimits,
  { settings, network, asking }: FileSource,
): Promise<Uint8Array | 'too-large'> {
  const file = await asking.getFile({ file_id: fileId }, toClientSignal(signal)).catch((error: unknown) => {
    if (/file is too big/i.test(String(readFailure(error).code))) return undefined;
    throw toChannelError('getFile', error, true);
  });
  if (file === undefined || (file.file_size ?? 0) > maxBytes) return 'too-large';
  const address = new URL(`${settings.api_root}/file/bot${settings.token}/${checkedPath(file.file_path)}`);
  return download(address, { platform, maxBytes, signal, get: fetchPlainly(network) });
}

const platform = 'Telegram';
const refused = refusing(platform);

/** A self-hosted Bot API server may return a local path, which cannot be downloaded. */
function checkedPath(path: string | undefined): string {
  if (path === undefined) throw refused((language) => kitWords[language].namesNoPlace);
  if (/^(?:[/\\]|[a-z]:)|(?:^|\/)\.\.?(?:\/|$)/i.test(path))
    throw refused((language) => telegramWords[language].localFile);
  return path.split('/').map(encodeURIComponent).join('/');
}
