import { z } from 'zod';
import { ChannelError, type Conversation, type MessageRef, type OutboundMessage } from '../../../src/contract.ts';
import type { Clock } from '../../../src/lib/clock.ts';
import type { CallOptions, SlackAnswer, SlackApi } from '../web-api/api.ts';
import { refusalCode, toChannelError } from '../web-api/failure.ts';
import { isAbsence } from '../web-api/refusals.ts';
import { type Content, contentOf, plainContentOf } from './content.ts';
import { FileSender } from './file-sender.ts';
import { FormerSendings, metadataOf } from './former-sendings.ts';
import { commanderOf, type ResponseUrls } from './response-urls.ts';

export interface MessageSenderDependencies {
  readonly api: Pick<SlackApi, 'call'>;
  readonly clock: Clock;
  /** Where commands can be answered in channels that the bot is not in. */
  readonly urls: ResponseUrls;
  /** Answers a command there. */
  readonly respond: (url: string, content: Content) => Promise<void>;
  /** Uploads the bytes of a file: see `uploadBytes`. */
  readonly upload: ConstructorParameters<typeof FileSender>[0]['upload'];
}

const filePrefix = 'file:';
const ephemeralPrefix = 'ephemeral:';

/** Sends, changes and takes away messages in one workspace. Its methods throw `ChannelError` and nothing else. */
export class MessageSender {
  readonly #dependencies: MessageSenderDependencies;
  readonly #former: FormerSendings;
  readonly #files: FileSender;

  constructor(dependencies: MessageSenderDependencies) {
    this.#dependencies = dependencies;
    this.#former = new FormerSendings(dependencies);
    this.#files = new FileSender(dependencies);
  }

  /** A message that answers a slash command is shown to the person who gave it, and to nobody else. */
  async send(to: Conversation, message: OutboundMessage): Promise<MessageRef> {
    const commander = commanderOf(message.privateTo);
    if (message.file !== undefined && commander !== undefined)
      throw permanent('a file cannot be shown to one person alone');
    if (message.file !== undefined) return { id: filePrefix + (await this.#files.send(to, message, message.file)) };
    if (commander !== undefined) return this.#whisper(to, message, commander);
    const post = () => orPlain(message, (content) => this.#post(to, message.id, content));
    return { id: await this.#former.once(to, message.id, post) };
  }

  /** Shows another text in place of the one that stood there; of a message that a stream has left growing, too. */
  async edit(to: Conversation, { id }: MessageRef, message: OutboundMessage): Promise<void> {
    if (!isTimestamp(id)) throw permanent('only messages of text can be changed');
    await orPlain(message, (content) =>
      this.#unlessGrowing(to, id, () =>
        this.#call(
          'chat.update',
          { channel: to.chatId, ts: id, ...content, ...metadataIn(message.id) },
          { repeatable: true },
        ),
      ),
    );
  }

  /** That it is gone already is no error. */
  async remove(to: Conversation, { id }: MessageRef): Promise<void> {
    if (id.startsWith(filePrefix)) return this.#files.remove(id.slice(filePrefix.length));
    if (!isTimestamp(id)) throw permanent('this message cannot be taken away');
    try {
      await this.#unlessGrowing(to, id, () =>
        this.#call('chat.delete', { channel: to.chatId, ts: id }, { repeatable: true }),
      );
    } catch (error) {
      if (refusalCode(error) !== 'message_not_found') throw error;
    }
  }

  async #post(to: Conversation, messageId: string, content: Content): Promise<string> {
    const answer = await this.#call('chat.postMessage', {
      ...placeOf(to),
      ...content,
      ...metadataIn(messageId),
      unfurl_links: false,
      unfurl_media: false,
    });
    return timestampIn(answer, 'ts', 'chat.postMessage');
  }

  async #whisper(to: Conversation, message: OutboundMessage, userId: string): Promise<MessageRef> {
    try {
      return await orPlain(message, async (content) => {
        const answer = await this.#call('chat.postEphemeral', { ...placeOf(to), user: userId, ...content });
        return { id: ephemeralPrefix + timestampIn(answer, 'message_ts', 'chat.postEphemeral') };
      });
    } catch (error) {
      const url = isAbsence(refusalCode(error)) ? this.#urlFor(message) : undefined;
      if (url === undefined) throw error;
      await this.#dependencies.respond(url, contentOf(message));
      return { id: `${ephemeralPrefix}response` };
    }
  }

  #urlFor({ privateTo }: OutboundMessage): string | undefined {
    return privateTo && this.#dependencies.urls.take(privateTo);
  }

  /** What grows has to be stopped before it can be changed: a former process may have left it so. */
  async #unlessGrowing(to: Conversation, ts: string, change: () => Promise<unknown>): Promise<void> {
    try {
      await change();
    } catch (error) {
      if (!growingCodes.has(refusalCode(error) ?? '')) throw error;
      await this.#stopGrowing(to, ts);
      await change();
    }
  }

  async #stopGrowing({ chatId }: Conversation, ts: string): Promise<void> {
    try {
      await this.#call('chat.stopStream', { channel: chatId, ts }, { repeatable: true });
    } catch (error) {
      if (refusalCode(error) !== 'message_not_in_streaming_state') throw error;
    }
  }

  #call(method: string, args: Readonly<Record<string, unknown>>, options: CallOptions = {}): Promise<SlackAnswer> {
    return this.#dependencies.api.call(method, args, options);
  }
}

/** With these, Slack refuses a change of what grows; the second one may have other reasons. */
const growingCodes: ReadonlySet<string> = new Set(['streaming_state_conflict', 'cant_delete_message']);

/** Formatting that Slack does not take must not cost the message: it goes without. */
async function orPlain<Result>(
  message: OutboundMessage,
  request: (content: Content) => Promise<Result>,
): Promise<Result> {
  try {
    return await request(contentOf(message));
  } catch (error) {
    if (!/^invalid_blocks/.test(refusalCode(error) ?? '')) throw error;
    return request(plainContentOf(message));
  }
}

/** Slack refuses an empty `thread_ts`. */
function placeOf({ chatId, threadId }: Conversation): Readonly<Record<string, unknown>> {
  return { channel: chatId, ...(threadId && { thread_ts: threadId }) };
}

/** A preview is of no message yet. */
function metadataIn(messageId: string): Readonly<Record<string, unknown>> {
  return messageId === '' ? {} : { metadata: metadataOf(messageId) };
}

function timestampIn(answer: SlackAnswer, key: 'ts' | 'message_ts', method: string): string {
  const { data } = z.string().safeParse(answer[key]);
  if (data !== undefined) return data;
  throw toChannelError(method, { type: 'lost', words: 'the answer does not name the message' }, false);
}

function isTimestamp(id: string): boolean {
  return /^\d+\.\d+$/.test(id);
}

function permanent(words: string): ChannelError {
  return new ChannelError({ type: 'permanent' }, `Slack: ${words}.`);
}
