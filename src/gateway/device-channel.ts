import type { Approval } from '../approval/approval.ts';
import {
  type ChannelAdapter,
  type ChannelCapabilities,
  ChannelError,
  type ChannelHost,
  type Conversation,
  type InboundAttachment,
  type MessageRef,
  type OutboundFile,
  type OutboundMessage,
  type ReplyStream,
  type RunFailure,
  type ShownCall,
  type ShownResult,
  type ToolStatus,
} from '../contract.ts';
import type { DeviceFiles, ShownFile, ShownFileDraft } from '../conversation/devices/device-files.ts';
import type { Clock } from '../lib/clock.ts';
import { approvalFrame, askedIn } from './approval-frame.ts';
import type { ChatSession } from './chat-session.ts';
import { ChatSessions } from './chat-sessions.ts';
import { ChatStream } from './chat-stream.ts';
import { fileFacts, fileLine } from './file-facts.ts';
import type { ApprovalRequestFrame } from './server-frames.ts';

/** What lets devices in, while the channel is connected. */
export interface DeviceEntrance {
  /** Throws nothing: how it is, it reports. */
  open(host: ChannelHost): Promise<void>;
  close(): Promise<void>;
}

export interface DeviceChannelDependencies {
  readonly entrance: () => DeviceEntrance;
  readonly approvalOf: (id: string) => Promise<Approval | undefined>;
  readonly files: Pick<DeviceFiles, 'received' | 'show' | 'tidy'>;
  readonly clock: Clock;
}

/** The largest file that a device is shown, in bytes. */
export const largestDeviceFile = 50 * 2 ** 20;

/**
 * The chats of devices, as a channel. What is said while nobody shows a session waits until somebody does: it stays in
 * the outbox, and nothing is tried meanwhile.
 */
export class DeviceChannel implements ChannelAdapter {
  readonly capabilities: ChannelCapabilities = {
    maxLength: 250_000,
    forms: true,
    maxFileBytes: largestDeviceFile,
    editPause: { direct: 0, group: 0 },
    history: false,
  };
  readonly sessions: ChatSessions;
  readonly #dependencies: DeviceChannelDependencies;
  #host: ChannelHost | undefined;
  #stopped = Promise.withResolvers<never>();

  constructor(dependencies: DeviceChannelDependencies) {
    this.#dependencies = dependencies;
    this.#stopped.promise.catch(() => {});
    this.sessions = new ChatSessions({
      clock: dependencies.clock,
      whenIdle: async (conversation) => this.#host?.whenIdle(conversation),
      failed: (error) => this.#host?.log.error({ err: error }, 'a turn of a device could not be ended'),
    });
  }

  measure(markdown: string): number {
    return markdown.length;
  }

  async start(host: ChannelHost): Promise<void> {
    this.#host = host;
    this.#stopped = Promise.withResolvers();
    this.#stopped.promise.catch(() => {});
    await this.#tidy(host);
    await this.#dependencies.entrance().open(host);
  }

  async stop(): Promise<void> {
    this.#stopped.reject(
      new ChannelError({ type: 'transient' }, 'The gateway is closed. It opens with the next start.'),
    );
    await this.#dependencies.entrance().close();
  }

  async send(to: Conversation, message: OutboundMessage): Promise<MessageRef> {
    const session = await this.#heard(to);
    const { id, kind, markdown } = message;
    if (asks(message)) {
      const frame = await this.#question(message);
      session.ask(frame);
      return { id: frame.id };
    }
    if (message.file !== undefined) await this.#showFile(to, message, message.file);
    else if (kind === 'notice' && session.turn().fate === 'failed') session.turn().explain(markdown);
    else session.say(markdown);
    return { id };
  }

  async edit(to: Conversation, { id }: MessageRef, message: OutboundMessage): Promise<void> {
    const session = await this.#heard(to);
    if (asks(message)) session.ask(await this.#question(message));
    else if (message.kind === 'card') session.resolve(id, message.markdown);
    else session.say(message.markdown);
  }

  showStatus({ chatId }: Conversation, { callId, toolName, state, tip, duration }: ToolStatus): void {
    const session = this.sessions.of(chatId);
    session.turn();
    session.publish({
      type: 'tool_status',
      id: callId,
      name: toolName,
      state,
      ...(tip === undefined ? {} : { tip }),
      ...(duration === undefined ? {} : { duration_ms: duration }),
    });
  }

  showCall({ chatId }: Conversation, { callId, toolName, arguments: args }: ShownCall): void {
    const session = this.sessions.of(chatId);
    session.turn();
    session.publish({ type: 'tool_call', id: callId, name: toolName, args });
  }

  showResult({ chatId }: Conversation, { callId, toolName, text, succeeded }: ShownResult): void {
    const session = this.sessions.of(chatId);
    session.turn();
    session.publish({ type: 'tool_result', id: callId, name: toolName, output: text, success: succeeded });
  }

  showThinking({ chatId }: Conversation, delta: string): void {
    if (delta === '') return;
    const session = this.sessions.of(chatId);
    session.turn();
    session.publish({ type: 'thinking', content: delta });
  }

  showFailure({ chatId }: Conversation, failure: RunFailure): void {
    this.sessions.of(chatId).turn().ends('failed', failure);
  }

  openStream(to: Conversation): ReplyStream {
    return new ChatStream({
      session: this.sessions.of(to.chatId),
      heard: () => this.#heard(to),
      send: (message) => this.send(to, message),
    });
  }

  async fetchAttachment(
    { handle }: InboundAttachment,
    { maxBytes }: { readonly maxBytes: number },
  ): Promise<Uint8Array | 'too-large'> {
    const bytes = await this.#dependencies.files.received(handle);
    if (bytes === undefined) throw new ChannelError({ type: 'permanent' }, 'It is not kept any more.');
    return bytes.length > maxBytes ? 'too-large' : bytes;
  }

  /** Its name stands in the text as well: not every client shows files. */
  async #showFile({ chatId }: Conversation, { id, markdown }: OutboundMessage, file: OutboundFile): Promise<void> {
    const { name, mediaType, path } = file;
    const session = this.sessions.of(chatId);
    const draft = { id, sessionId: chatId, name, mediaType, path, at: this.#dependencies.clock.now() };
    const shown = await this.#kept(draft);
    session.say([...(markdown === '' ? [] : [markdown]), fileLine(shown)].join('\n\n'));
    session.publish({ type: 'file', ...fileFacts(shown) });
  }

  async #tidy({ log }: ChannelHost): Promise<void> {
    const { files, clock } = this.#dependencies;
    try {
      await files.tidy(clock.now());
    } catch (error) {
      log.warn({ err: error }, 'the files of devices could not be tidied up');
    }
  }

  async #kept(draft: ShownFileDraft): Promise<ShownFile> {
    try {
      return await this.#dependencies.files.show(draft);
    } catch (cause) {
      throw new ChannelError({ type: 'transient' }, 'The file could not be kept for devices.', { cause });
    }
  }

  async #heard({ chatId }: Conversation): Promise<ChatSession> {
    const session = this.sessions.of(chatId);
    if (!session.isHeard) await Promise.race([session.whenHeard(), this.#stopped.promise]);
    return session;
  }

  async #question(message: OutboundMessage): Promise<ApprovalRequestFrame> {
    const { approvalOf, clock } = this.#dependencies;
    return approvalFrame(message, await approvalOf(askedIn(message)), clock.now());
  }
}

function asks({ buttons = [] }: OutboundMessage): boolean {
  return buttons.some((row) => row.length > 0);
}
