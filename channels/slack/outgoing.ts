import {
  ChannelError,
  type ChannelHost,
  type Conversation,
  type MessageMark,
  type MessageRef,
  type OutboundMessage,
} from '../../src/contract.ts';
import { createMarks } from '../kit/marks.ts';
import { acceptRefusal, isRefused, onRefusal, refusalCode } from '../kit/request-failure.ts';
import { bestEffort } from '../kit/retries.ts';
import { noFeature, type SlackApi, sentTs } from './api.ts';
import { type Content, orPlain } from './content.ts';
import { createFileSender } from './files.ts';
import { createFormerSendings, metadataOf } from './former-sendings.ts';
import { createNativeStream, type Writers } from './native-stream.ts';
import { commanderOf, type ResponseUrls, showPrivately } from './private-answers.ts';
import type { Workspace } from './workspaces.ts';

const filePrefix = 'file:';
const ephemeralPrefix = 'ephemeral:';

export interface Memory {
  /** Where to answer commands in channels without the bot. */
  readonly urls: ResponseUrls;
  readonly writers: Writers;
}

/** Sends in one workspace. Throws only `ChannelError`. */
export function createOutgoing(workspace: Workspace, { urls, writers }: Memory, { clock, log }: ChannelHost) {
  const { api, botUserId, scopes: granted } = workspace;
  const former = createFormerSendings(api, clock);
  const files = createFileSender(api, botUserId, former);
  const showMark = slackMarks(api);
  const stream = createNativeStream(workspace, writers, former, { clock, log });
  let takesStatus = true;

  async function post(to: Conversation, messageId: string, content: Content): Promise<string> {
    const quiet = { unfurl_links: false, unfurl_media: false };
    const message = { ...placeOf(to), ...content, metadata: metadataOf(messageId), ...quiet };
    return sentTs('chat.postMessage', await api.call('chat.postMessage', message));
  }

  /** Edits or deletes. A message that a former process left growing is stopped first. */
  async function change(method: string, { chatId: channel }: Conversation, ts: string, content = {}): Promise<void> {
    const attempt = () => api.call(method, { channel, ts, ...content }, { repeatable: true });
    const stopAndRetry = async () => {
      const stopping = api.call('chat.stopStream', { channel, ts }, { repeatable: true });
      await stopping.catch(acceptRefusal('message_not_in_streaming_state'));
      return attempt();
    };
    await attempt().catch(onRefusal(growing, stopAndRetry));
  }

  /** Takes a message of text away. Succeeds if it is already gone. */
  async function remove(to: Conversation, { id }: MessageRef): Promise<void> {
    stream.forget(id);
    await change('chat.delete', to, id).catch(acceptRefusal('message_not_found'));
  }

  return {
    ...{ workspace, remove },

    /** Answers to slash commands are shown only to the person who gave the command. */
    async send(to: Conversation, message: OutboundMessage): Promise<MessageRef> {
      const { file, privateTo, written } = message;
      const user = commanderOf(privateTo);
      if (user !== undefined) {
        if (file !== undefined) throw permanent('a file cannot be shown to one person alone');
        await showPrivately(api, { ...placeOf(to), user }, message, urls.get(privateTo ?? ''));
        return { id: ephemeralPrefix + message.id };
      }
      if (file !== undefined) return { id: filePrefix + (await files.send(to, message, file)) };
      const id = await stream.start(to, written);
      if (id !== undefined && written !== undefined) return { id };
      if (id !== undefined) await bestEffort(() => remove(to, { id }), { log, failure: 'a reply was left growing' });
      const postOnce = () => orPlain(message, (content) => post(to, message.id, content));
      const ref = { id: await former.once(to, message, postOnce) };
      return written === undefined ? ref : { ...ref, grows: false };
    },

    /** Replaces the text, also of a message that a stream left growing. */
    async edit(to: Conversation, { id }: MessageRef, message: OutboundMessage): Promise<void> {
      if (!isTimestamp(id)) throw permanent('only messages of text can be changed');
      if (await stream.show(id, message)) return;
      const metadata = metadataOf(message.id);
      await orPlain(message, (content) => change('chat.update', to, id, { ...content, metadata }));
    },

    /**
     * Shows a status in a thread. Slack clears it with the next message, but not at the end of a stream, which needs no
     * status anyway. Does nothing where it is not supported.
     */
    async showTyping(to: Conversation): Promise<void> {
      if (stream.isGrowingIn(to) || !takesStatus || !to.threadId) return;
      const status = { channel_id: to.chatId, thread_ts: to.threadId, status: 'is thinking…' };
      try {
        await api.call('assistant.threads.setStatus', status, { repeatable: true });
      } catch (error) {
        const isRefusal = refusalCode(error) !== undefined;
        if (!(error instanceof ChannelError) || !isRefusal || error.fault.type !== 'permanent') throw error;
        // Only assistant threads take a status: do not report that at every message.
        if (isRefused(error, noFeature)) takesStatus = false;
        log.debug({ reason: error.message }, 'a thread shows no status');
      }
    },

    /** Does nothing without the scope reactions:write. */
    async mark(to: Conversation, messageId: string, mark: MessageMark): Promise<void> {
      if (granted?.has('reactions:write') ?? true) await showMark(to, messageId, mark);
    },

    /** Ends what still grows. */
    stop: stream.stop,
  };
}

export type Outgoing = ReturnType<typeof createOutgoing>;

/** Errors for changing a growing message; the second may have other causes. */
const growing = /^(?:streaming_state_conflict|cant_delete_message)$/;

/** Slack refuses an empty `thread_ts`. */
function placeOf({ chatId, threadId }: Conversation): Readonly<Record<string, unknown>> {
  return { channel: chatId, thread_ts: threadId || undefined };
}

function isTimestamp(id: string): boolean {
  return /^\d+\.\d+$/.test(id);
}

function permanent(words: string): ChannelError {
  return new ChannelError({ type: 'permanent' }, `Slack: ${words}.`);
}

const reactions = { seen: 'eyes', working: 'hourglass_flowing_sand', done: 'white_check_mark' } as const;

function slackMarks(api: SlackApi) {
  const react =
    (method: string, accepted: string) =>
    async ({ chatId: channel }: Conversation, timestamp: string, mark: MessageMark): Promise<void> => {
      const reaction = { channel, timestamp, name: reactions[mark] };
      await api.call(method, reaction, { repeatable: true }).catch(acceptRefusal(accepted));
    };
  return createMarks(react('reactions.add', 'already_reacted'), react('reactions.remove', 'no_reaction'));
}
