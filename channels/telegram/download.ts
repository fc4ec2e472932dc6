import { type DownloadLimits, download, refusing } from '../kit/file-transfer.ts';
import type { ReadingApi } from './api.ts';
import { readFailure, toChannelError } from './failure.ts';
import type { TelegramSettings } from './settings.ts';

interface FetchOptions extends DownloadLimits, Pick<TelegramSettings, 'token' | 'api_root'> {
  readonly api: Pick<ReadingApi, 'getFile'>;
}

/**
 * Downloads a file. Its URL contains the token and appears in no error. `too-large`: more than `maxBytes`, or more than
 * Telegram's 20 MiB. Throws `ChannelError`.
 */
export async function fetchFile(fileId: string, options: FetchOptions): Promise<Uint8Array | 'too-large'> {
  const { api, token, api_root: root, maxBytes, signal } = options;
  const place = await api.getFile(fileId, signal).catch((error: unknown) => {
    if (/file is too big/i.test(readFailure(error).words)) return undefined;
    throw toChannelError('getFile', error, true);
  });
  if (place === undefined || (place.file_size ?? 0) > maxBytes) return 'too-large';
  const address = new URL(`${root}/file/bot${token}/${checkedPath(place.file_path)}`);
  return download(address, { platform, maxBytes, signal });
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
const refused = refusing(platform);
