import {
  type ChannelAdapter,
  type ChannelCapabilities,
  ChannelError,
  type ChannelHost,
  type Conversation,
  defineChannel,
  type MessageRef,
  type OutboundMessage,
  type ReplyStream,
  type Sender,
  type ToolStatus,
} from '../../src/contract.ts';
import type { Dialogue } from './dialogue.ts';
import { localConversation, localOwner } from './local.ts';
import { openSession, type Session } from './session.ts';
import { settings } from './settings.ts';
import { processStreams, type TerminalStreams } from './streams.ts';

/** The terminal in which Keyturn was started, or the pipe that it reads. */
export const terminal = defineChannel({
  name: 'terminal',
  settings,
  create: () => new Terminal(processStreams),
});

/** Makes an adapter on streams of one's own. They are not touched before `start`, and not closed by `stop`. */
export function createTerminal(streams: TerminalStreams): ChannelAdapter {
  return new Terminal(() => streams);
}

class Terminal implements ChannelAdapter {
  readonly capabilities: ChannelCapabilities = {
    maxLength: 1_000_000,
    forms: false,
    maxFileBytes: 0,
    editPause: { direct: 0, group: 0 },
    history: false,
  };
  readonly localOwner: Sender = localOwner();
  readonly #openStreams: () => TerminalStreams;
  #session: Session | undefined;

  constructor(openStreams: () => TerminalStreams) {
    this.#openStreams = openStreams;
  }

  measure(markdown: string): number {
    return markdown.length;
  }

  async start(host: ChannelHost): Promise<void> {
    this.#session = openSession(this.#openStreams(), host, this.localOwner);
    host.reportHealth({ status: 'connected', account: this.localOwner.name });
  }

  async stop(): Promise<void> {
    const session = this.#session;
    this.#session = undefined;
    session?.stop();
  }

  async send(to: Conversation, message: OutboundMessage): Promise<MessageRef> {
    return this.#dialogueFor(to).send(message);
  }

  async edit(to: Conversation, ref: MessageRef, message: OutboundMessage): Promise<void> {
    await this.#dialogueFor(to).edit(ref, message);
  }

  showStatus(to: Conversation, status: ToolStatus): void {
    if (isLocal(to)) this.#session?.dialogue.showStatus(status);
  }

  openStream(to: Conversation): ReplyStream {
    return this.#dialogueFor(to).openStream();
  }

  #dialogueFor(to: Conversation): Dialogue {
    if (!isLocal(to)) {
      throw new ChannelError({ type: 'permanent' }, 'The terminal has one conversation, "local", and no other.');
    }
    if (this.#session === undefined) {
      throw new ChannelError({ type: 'transient' }, 'The terminal is not open. It will be when Keyturn runs again.');
    }
    return this.#session.dialogue;
  }
}

function isLocal({ chatId, threadId }: Conversation): boolean {
  return chatId === localConversation.chatId && threadId === undefined;
}
