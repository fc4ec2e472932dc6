import { z } from 'zod';
import { ChannelError, type Conversation, type OutboundFile, type OutboundMessage } from '../../../src/contract.ts';
import type { Clock } from '../../../src/lib/clock.ts';
import { Remembered } from '../../../src/lib/remembered.ts';
import type { SlackApi } from '../web-api/api.ts';
import { refusalCode, toChannelError } from '../web-api/failure.ts';
import { contentOf } from './content.ts';
import { recentMessages } from './recent-messages.ts';
import { sizeOf } from './upload.ts';

export interface FileSenderDependencies {
  readonly api: Pick<SlackApi, 'call'>;
  readonly clock: Clock;
  /** Puts the bytes where Slack wants them. */
  readonly upload: (url: string, file: OutboundFile) => Promise<void>;
}

/** More than that are not remembered. */
const mostDoubtful = 1_000;

const placeShape = z.object({ upload_url: z.string(), file_id: z.string() });
const shownShape = z.object({ files: z.array(z.object({ id: z.string() })) });

/** Shows files. Nothing of one is seen before its upload is completed, so that only this step can be done twice. */
export class FileSender {
  readonly #dependencies: FileSenderDependencies;
  /** The files of messages that may be shown already, by the message's id. */
  readonly #doubtful = new Remembered<string, { readonly fileId: string; readonly since: number }>(mostDoubtful);

  constructor(dependencies: FileSenderDependencies) {
    this.#dependencies = dependencies;
  }

  /** Shows the file with the text of the message. Answers with the id of the file. */
  async send(to: Conversation, message: OutboundMessage, file: OutboundFile): Promise<string> {
    const former = this.#doubtful.get(message.id);
    const isShown = former !== undefined && (await this.#isShown(former.fileId, to, former.since));
    const fileId = former?.fileId ?? (await this.#upload(file));
    const since = former?.since ?? this.#dependencies.clock.now();
    try {
      if (!isShown) await this.#complete(fileId, to, message);
      this.#doubtful.delete(message.id);
      return fileId;
    } catch (error) {
      // What Slack refuses for good is uploaded anew, if it is sent again.
      if (!(error instanceof ChannelError) || error.fault.type === 'permanent') this.#doubtful.delete(message.id);
      else this.#doubtful.set(message.id, { fileId, since });
      throw error;
    }
  }

  /** That it is gone already is no error. */
  async remove(fileId: string): Promise<void> {
    try {
      await this.#dependencies.api.call('files.delete', { file: fileId }, { repeatable: true });
    } catch (error) {
      if (!/^file_(?:not_found|deleted)$/.test(refusalCode(error) ?? '')) throw error;
    }
  }

  async #upload(file: OutboundFile): Promise<string> {
    const { api, upload } = this.#dependencies;
    const method = 'files.getUploadURLExternal';
    const args = { filename: file.name.toWellFormed(), length: await sizeOf(file) };
    const { data } = placeShape.safeParse(await api.call(method, args, { repeatable: true }));
    if (data === undefined)
      throw toChannelError(method, { type: 'lost', words: 'the answer does not name a place' }, true);
    await upload(data.upload_url, file);
    return data.file_id;
  }

  async #complete(fileId: string, to: Conversation, message: OutboundMessage): Promise<void> {
    const { markdown, buttons } = message;
    const args = {
      files: [{ id: fileId, title: message.file?.name.toWellFormed() }],
      channel_id: to.chatId,
      ...(to.threadId && { thread_ts: to.threadId }),
    };
    const hasText = markdown.trim() !== '' || (buttons?.length ?? 0) > 0;
    const { text, blocks } = contentOf(message);
    try {
      await this.#call({ ...args, ...(hasText && { blocks }) });
    } catch (error) {
      // Not every kind of block is taken here.
      if (!hasText || !/^invalid_(?:blocks|arg)/.test(refusalCode(error) ?? '')) throw error;
      await this.#call({ ...args, initial_comment: text });
    }
  }

  async #call(args: Readonly<Record<string, unknown>>): Promise<void> {
    await this.#dependencies.api.call('files.completeUploadExternal', args);
  }

  async #isShown(fileId: string, to: Conversation, since: number): Promise<boolean> {
    const recent = await recentMessages(to, since, this.#dependencies);
    return recent.some((message) => shownShape.safeParse(message).data?.files.some(({ id }) => id === fileId));
  }
}
