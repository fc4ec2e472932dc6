import { extname } from 'node:path/posix';
import { MessageFlags } from 'discord.js';
import { z } from 'zod';
import type { InboundAttachment, Network } from '../../src/contract.ts';
import { parseJson } from '../../src/lib/json.ts';
import type { InLanguage } from '../../src/lib/words.ts';
import { type DownloadLimits, download, fetchPlainly, refusing } from '../kit/file-transfer.ts';
import { mediaKind } from '../kit/read-payload.ts';
import { onRefusal } from '../kit/request-failure.ts';
import type { DiscordApi } from './api.ts';
import { type DiscordAttachment, type DiscordContent, messageShape } from './payload.ts';
import { discordWords } from './words.ts';

interface DownloadOptions extends DownloadLimits {
  readonly network: Network;
  readonly api: Pick<DiscordApi, 'call'>;
  /** Files may also be served from the API's origin, if the operator has replaced Discord's. */
  readonly apiUrl: string;
}

const platform = 'Discord';
const refused = refusing(platform);
const notItsFile: InLanguage = (language) => discordWords[language].notItsFile;
const fileHosts: readonly string[] = ['cdn.discordapp.com', 'media.discordapp.net'];
/** Statuses that Discord answers for an expired URL. */
const refusedAddress = [401, 403, 404, 410] as const;

/**
 * Downloads an attachment. Its URL holds for a day; after that a new one is fetched with the message. `too-large`: more
 * than `maxBytes`. Throws `ChannelError`.
 */
export async function fetchFile(
  { handle }: Pick<InboundAttachment, 'handle'>,
  options: DownloadOptions,
): Promise<Uint8Array | 'too-large'> {
  const file = readHandle(handle);
  if (file === undefined) throw refused(notItsFile);
  const renewed = async () => downloadFrom(await freshAddress(file, options), options);
  return downloadFrom(file.url, options).catch(onRefusal(refusedAddress, renewed));
}

async function downloadFrom(
  address: string,
  { network, apiUrl, ...limits }: DownloadOptions,
): Promise<Uint8Array | 'too-large'> {
  return download(allowed(address, apiUrl), { platform, ...limits, get: fetchPlainly(network) });
}

async function freshAddress(
  { channelId, messageId, attachmentId }: FileHandle,
  { api, signal }: DownloadOptions,
): Promise<string> {
  if (![channelId, messageId].every((id) => /^\d{15,20}$/.test(id))) throw refused(notItsFile);
  const answer = await api.call('GET', `/channels/${channelId}/messages/${messageId}`, { signal });
  const { data } = messageShape.safeParse(answer);
  const contents = data === undefined ? [] : [data, ...data.message_snapshots.map(({ message }) => message)];
  const found = contents.flatMap(({ attachments }) => attachments).find(({ id }) => id === attachmentId);
  if (found === undefined) throw refused((language) => discordWords[language].fileTakenAway);
  return found.url;
}

/** A message that looks like one of Discord's could contain any URL. */
function allowed(address: string, apiUrl: string): URL {
  const url = URL.parse(address);
  const isDiscords = url?.protocol === 'https:' && url.port === '' && fileHosts.includes(url.hostname);
  const isBesideApi = url !== null && url.origin === URL.parse(apiUrl)?.origin;
  if (url !== null && url.username === '' && (isDiscords || isBesideApi)) return url;
  throw refused((language) => discordWords[language].notItsAddress);
}

/** The location of a file. The URL expires after at most a day; fetching the message gives a new one. */
interface FileHandle {
  readonly channelId: string;
  readonly messageId: string;
  readonly attachmentId: string;
  readonly url: string;
}

/** The files of a message, or of one forwarded with it. */
export function attachmentsOf(
  { attachments, flags = 0 }: DiscordContent,
  { channelId, messageId }: Pick<FileHandle, 'channelId' | 'messageId'>,
): readonly InboundAttachment[] {
  const isVoice = (flags & MessageFlags.IsVoiceMessage) !== 0;
  return attachments.map((attachment) => ({
    kind: isVoice ? 'voice' : mediaKind(attachment.content_type),
    handle: JSON.stringify([channelId, messageId, attachment.id, attachment.url]),
    name: nameOf(attachment) || undefined,
    mediaType: attachment.content_type || undefined,
    size: attachment.size,
  }));
}

const handleShape = z.tuple([z.string(), z.string(), z.string(), z.string()]);

/** Undefined if the handle is not one of ours. */
export function readHandle(handle: string): FileHandle | undefined {
  const { data } = handleShape.safeParse(parseJson(handle));
  if (data === undefined) return undefined;
  const [channelId, messageId, attachmentId, url] = data;
  return { channelId, messageId, attachmentId, url };
}

/** The title, if set, is the original name that people know. */
function nameOf({ filename = '', title = '' }: DiscordAttachment): string {
  if (title === '') return filename;
  const ending = extname(filename);
  return title.endsWith(ending) ? title : `${title}${ending}`;
}
