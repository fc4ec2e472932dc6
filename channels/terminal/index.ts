import {
  type ChannelAdapter,
  type ChannelCapabilities,
  ChannelError,
  type ChannelHost,
  type Conversation,
  defineChannel,
  type InboundEvent,
  type MessageRef,
  type OutboundMessage,
  type ReplyStream,
  type Sender,
  type ToolStatus,
} from '../../src/contract.ts';
import { Dialogue, type Heard } from './dialogue.ts';
import { LocalEvents, localConversation, localOwner } from './local.ts';
import { ansiStyle, Output, plainStyle } from './output.ts';
import { readPipe } from './pipe.ts';
import type { OpenCard } from './question.ts';
import { pipeDisplay } from './question.ts';
import { Screen, type ScreenHandlers, type TypedLine } from './screen.ts';
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
      throw new ChannelError(
        { type: 'transient', isUnsent: true },
        'The terminal is not open. It will be when Keyturn runs again.',
      );
    }
    return this.#session.dialogue;
  }
}

function isLocal({ chatId, threadId }: Conversation): boolean {
  return chatId === localConversation.chatId && threadId === undefined;
}

/** From a start of the channel to its stop. */
export interface Session {
  readonly dialogue: Dialogue;
  /** Stops to read and leaves the terminal as it was. */
  stop(): void;
}

/** Begins to read from the streams. */
function openSession(streams: TerminalStreams, host: ChannelHost, sender: Sender): Session {
  const events = new LocalEvents(sender, host.clock);
  const output = new Output({ stream: streams.output, onBroken: (error) => reportBroken(error, streams, host) });
  const { isTty, input } = streams;
  input.ref?.();
  const { dialogue, stop } = isTty
    ? openScreen(streams, host, { events, output })
    : openPipe(streams, host, { events, output });
  return {
    dialogue,
    stop: () => {
      stop();
      input.unref?.();
    },
  };
}

interface Parts {
  readonly events: LocalEvents;
  readonly output: Output;
}

function openScreen(streams: TerminalStreams, host: ChannelHost, { events, output }: Parts): Session {
  const screen = new Screen({ streams, output, clock: host.clock });
  const style = streams.color === true ? ansiStyle : plainStyle;
  const dialogue = new Dialogue({ host, display: screen, style, events });
  screen.open(new Keyboard(host, dialogue, events));
  return { dialogue, stop: () => screen.close() };
}

function openPipe(streams: TerminalStreams, host: ChannelHost, { events, output }: Parts): Session {
  const display = pipeDisplay(output);
  const dialogue = new Dialogue({ host, display, style: plainStyle, events });
  return { dialogue, stop: readPipe(streams.input, host, dialogue, display) };
}

function reportBroken(error: Error, streams: TerminalStreams, host: ChannelHost): void {
  // `keyturn | head` closes the pipe when it has seen enough: that is an end like any other.
  const isClosedPipe = 'code' in error && error.code === 'EPIPE';
  if (!isClosedPipe) {
    host.log.warn({ error }, 'The terminal takes no more output');
    streams.process?.fail();
  }
  host.requestStop();
}

/** Two interrupts within this time, in milliseconds, mean the process and not the run. */
const interruptWindow = 2000;

/** What a person does at the prompt. */
class Keyboard implements ScreenHandlers {
  readonly #host: ChannelHost;
  readonly #dialogue: Dialogue;
  readonly #events: LocalEvents;
  #interruptedAt: number | undefined;

  constructor(host: ChannelHost, dialogue: Dialogue, events: LocalEvents) {
    this.#host = host;
    this.#dialogue = dialogue;
    this.#events = events;
  }

  onLine({ text: line, card, hasPaste }: TypedLine): void {
    const dialogue = this.#dialogue;
    this.#interruptedAt = undefined;
    const text = line.trim();
    if (text === '') return;
    if (text === '/exit' || text === '/quit') this.#host.requestStop();
    // Nobody has typed what was pasted: it answers no question.
    else this.#obey(dialogue.hear(text, hasPaste ? undefined : card));

    // A command may be about the card: whether the card still waits is seen when it is carried out.
    const isAside = card !== undefined && dialogue.isOpen(card) && !text.startsWith('/');
    if (isAside) dialogue.hint('Sent as a message. The question above still waits.');
  }

  onClear(): void {
    this.#interruptedAt = undefined;
  }

  onInterrupt(): void {
    const now = this.#host.clock.now();
    const isSecond = this.#interruptedAt !== undefined && now - this.#interruptedAt < interruptWindow;
    this.#interruptedAt = now;
    if (isSecond) this.#host.requestStop();
    else {
      this.#dialogue.hint('stopping… (ctrl-c again ends Keyturn)');
      this.#deliver(this.#events.message('/stop'));
    }
  }

  onEnd(): void {
    this.#host.requestStop();
  }

  #obey(heard: Heard): void {
    switch (heard.type) {
      case 'message':
        this.#deliver(heard.event);
        break;
      case 'press':
        this.#deliver(heard.event, heard.card);
        break;
      case 'late':
        this.#dialogue.hint('That question was answered in the meantime: nothing was done.');
        break;
    }
  }

  #deliver(event: InboundEvent, card?: OpenCard): void {
    const dialogue = this.#dialogue;
    dialogue.deliver(event).catch((error: unknown) => {
      this.#host.log.warn({ error, key: event.key }, 'The event could not be stored');
      dialogue.say('That could not be stored, so nothing was done. Press ↑ and Enter to send it again.');
      if (card !== undefined) dialogue.reopen(card);
    });
  }
}
