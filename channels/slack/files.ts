import { z } from 'zod';
import { ChannelError, type Conversation, type OutboundFile, type OutboundMessage } from '../../src/contract.ts';
import { Remembered } from '../../src/lib/remembered.ts';
import type { InLanguage } from '../../src/lib/words.ts';
import { type DownloadLimits, download, openFile, refusing, uploadTime } from '../kit/file-transfer.ts';
import { expectShape, lenient, optionalText } from '../kit/read-payload.ts';
import { onRefusal, readNetworkError } from '../kit/request-failure.ts';
import { lostAnswer, readStatus, type SlackApi, toChannelError } from './api.ts';
import { contentOf } from './content.ts';
import type { FormerSendings, Standing } from './former-sendings.ts';
import { slackWords } from './words.ts';

export type FileApi = Pick<SlackApi, 'call' | 'get' | 'post' | 'isTrusted'>;

const mostUploaded = 1_000;

const uploadShape = z.object({ upload_url: z.string(), file_id: z.string() });

/** Sends files. A file is invisible until its upload is completed, so only that step could be duplicated. */
export class FileSender {
  readonly #api: Pick<FileApi, 'call' | 'post'>;
  readonly #botUserId: string;
  readonly #former: FormerSendings;
  /** By message id: uploaded files that may have been shown. */
  readonly #uploaded = new Remembered<string, string>(mostUploaded);

  constructor(api: Pick<FileApi, 'call' | 'post'>, botUserId: string, former: FormerSendings) {
    this.#api = api;
    this.#botUserId = botUserId;
    this.#former = former;
  }

  /** Sends the file with the message's text. Resolves with the file's id. */
  async send(to: Conversation, message: OutboundMessage, file: OutboundFile): Promise<string> {
    const { id } = message;
    const show = () => this.#show(to, message, file);
    try {
      const fileId = await this.#former.once(to, message, show, ({ files }) => this.#find(files, id, file));
      this.#uploaded.delete(id);
      return fileId;
    } catch (error) {
      // After a permanent refusal, another send uploads it again.
      if (!(error instanceof ChannelError) || error.fault.type === 'permanent') this.#uploaded.delete(id);
      throw error;
    }
  }

  async #show(to: Conversation, message: OutboundMessage, file: OutboundFile): Promise<string> {
    const fileId = this.#uploaded.get(message.id) ?? (await upload(this.#api, file));
    this.#uploaded.set(message.id, fileId);
    await complete(this.#api, fileId, to, message);
    return fileId;
  }

  /** Finds a file already sent: by id, or, if a former process uploaded it, by name and size. */
  async #find(files: Standing['files'], messageId: string, file: OutboundFile): Promise<string | undefined> {
    const ours = this.#uploaded.get(messageId);
    if (ours !== undefined) return files.find(({ id }) => id === ours)?.id;
    const name = file.name.toWellFormed();
    const alike = files.filter((one) => one.user === this.#botUserId && one.name === name);
    if (alike.length === 0) return undefined;
    const { size } = await openUpload(file.path);
    return alike.find((one) => one.size === size)?.id;
  }
}

/** Streams the bytes. The upload is still invisible, so a lost answer is transient. */
async function upload(api: Pick<FileApi, 'call' | 'post'>, { name, path }: OutboundFile): Promise<string> {
  const asking = 'files.getUploadURLExternal';
  const body = await openUpload(path);
  const file = { filename: name.toWellFormed(), length: body.size };
  const answer = await api.call(asking, file, { repeatable: true });
  const unnamed = () => lostAnswer(asking, (language) => slackWords[language].namesNoPlace, true);
  const { upload_url, file_id } = expectShape(uploadShape, answer, unnamed);
  const content = { type: 'application/octet-stream', body };
  const patience = uploadTime(body.size);
  const status = await api.post(uploading, upload_url, content, { repeatable: true, patience });
  if (status !== 200) throw toChannelError(uploading, readStatus(status), true);
  return file_id;
}

async function complete(
  api: Pick<FileApi, 'call'>,
  fileId: string,
  to: Conversation,
  message: OutboundMessage,
): Promise<void> {
  const { markdown, buttons = [], file } = message;
  const files = [{ id: fileId, title: file?.name.toWellFormed() }];
  const chat = { channel_id: to.chatId, thread_ts: to.threadId || undefined };
  const show = (shown: object) => api.call('files.completeUploadExternal', { files, ...chat, ...shown });
  if (markdown.trim() === '' && buttons.length === 0) return void (await show({}));
  const { text, blocks } = contentOf(message);
  // Not all block types are accepted here.
  const asComment = () => show({ initial_comment: text });
  await show({ blocks }).catch(onRefusal(/^invalid_(?:blocks|arg)/, asComment));
}

const uploading: InLanguage = (language) => slackWords[language].uploadingFile;

async function openUpload(path: string): Promise<Blob> {
  try {
    return await openFile(path);
  } catch (error) {
    throw toChannelError(uploading, readNetworkError(error), false);
  }
}

const mostRedirects = 3;

const fileShape = z.object({
  file: z.object({
    size: lenient(z.number()),
    mimetype: optionalText,
    mode: optionalText,
    is_external: lenient(z.boolean()),
    url_private: optionalText,
    url_private_download: optionalText,
  }),
});

/**
 * Downloads a file by its id. `too-large`: more than `maxBytes`. The token is sent only to Slack's hosts and the API's.
 * Throws `ChannelError` without token or URL.
 */
export async function fetchFile(
  api: FileApi,
  fileId: string,
  { maxBytes, signal }: DownloadLimits,
): Promise<Uint8Array | 'too-large'> {
  const answer = await api.call('files.info', { file: fileId }, { repeatable: true, signal });
  const { file } = expectShape(fileShape, answer, () => refused(fileNowhere));
  if ((file.size ?? 0) > maxBytes) return 'too-large';
  const get = (url: URL): Promise<Response> => fileAt(url, api, file.mimetype, signal);
  return download(addressOf(file), { platform, maxBytes, signal, get });
}

function addressOf({
  mode,
  mimetype,
  is_external,
  url_private,
  url_private_download,
}: z.output<typeof fileShape>['file']): URL {
  if (mode === 'tombstone' || mode === 'hidden_by_limit') throw refused((language) => slackWords[language].fileGone);
  if (isCanvas.test(`${mode} ${mimetype}`)) throw refused((language) => slackWords[language].isCanvas);
  if (isList.test(`${mode} ${mimetype}`)) throw refused((language) => slackWords[language].isList);
  const address = URL.parse(url_private_download ?? url_private ?? '');
  if (is_external === true || address === null) throw refused((language) => slackWords[language].fileElsewhere);
  return address;
}

/** Documents and lists of Slack's own, which are pages for its clients, by mode and media type. */
const isCanvas = /\b(?:canvas|quip|vnd\.slack-docs)\b/;
const isList = /^list\b|\bvnd\.slack-list\b/;

/** The response after redirects, which are followed only within trusted hosts, since the token goes along. */
async function fileAt(begin: URL, api: FileApi, mediaType: string | undefined, signal: AbortSignal): Promise<Response> {
  let url: URL | null = begin;
  for (let redirects = 0; redirects <= mostRedirects; redirects += 1) {
    if (!api.isTrusted(url)) throw refused((language) => slackWords[language].fileAtForeignAddress);
    const response: Response = await api.get(url, signal);
    const { status, headers, body } = response;
    const target = status >= 300 && status < 400 ? headers.get('location') : null;
    // Without the scope files:read, Slack answers with its login page.
    const isLogin = status === 200 && isPage(headers.get('content-type')) && !isPage(mediaType);
    if (target === null && !isLogin) return response;
    await body?.cancel();
    if (target === null) throw refused((language) => slackWords[language].pageForFile);
    url = URL.parse(target, url.href);
  }
  throw refused((language) => slackWords[language].sentOnAgain);
}

function isPage(mediaType: string | null | undefined): boolean {
  return /^text\/html\b/i.test(mediaType ?? '');
}

const platform = 'Slack';
const refused = refusing(platform);
const fileNowhere: InLanguage = (language) => slackWords[language].fileNowhere;
