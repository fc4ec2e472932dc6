import {
  type ChannelAdapter,
  ChannelError,
  type ChannelHost,
  type Conversation,
  defineChannel,
  type InboundEvent,
} from '../../src/contract.ts';
import { createDialogue, type Dialogue, localConversation, localOwner } from './dialogue.ts';
import { readPipe } from './pipe.ts';
import { type OpenCard, pipeDisplay } from './question.ts';
import { ansiStyle, plainStyle } from './render.ts';
import { createScreen, type ScreenHandlers, type TypedLine } from './screen.ts';
import { settings } from './settings.ts';
import { createOutput, processStreams, type TerminalStreams } from './streams.ts';
import { terminalWords, wordsFor } from './words.ts';

/** The terminal in which Keyturn was started, or its input pipe. */
export const terminal = defineChannel({
  name: 'terminal',
  settings,
  isLocal: true,
  create: () => createAdapter(processStreams),
});

/** An adapter for other streams. They are not used before `start`, nor closed by `stop`. */
export function createTerminal(streams: TerminalStreams): ChannelAdapter {
  return createAdapter(() => streams);
}

function createAdapter(openStreams: () => TerminalStreams): ChannelAdapter {
  const owner = localOwner();
  let session: Session | undefined;

  function dialogueFor(to: Conversation): Dialogue {
    if (!isLocal(to)) throw new ChannelError({ type: 'permanent' }, (language) => terminalWords[language].onlyLocal);
    if (session !== undefined) return session.dialogue;
    throw new ChannelError({ type: 'transient', isUnsent: true }, (language) => terminalWords[language].notOpen);
  }

  return {
    capabilities: {
      maxLength: 1_000_000,
      forms: false,
      maxFileBytes: 0,
      editPause: { direct: 0, group: 0 },
      history: false,
    },
    localOwner: owner,
    measure: (markdown) => markdown.length,

    async start(host) {
      session = openSession(openStreams(), host);
      host.reportHealth({ status: 'connected', account: owner.name });
    },

    async stop() {
      session?.stop();
      session = undefined;
    },

    send: async (to, message) => dialogueFor(to).send(message),
    edit: async (to, ref, message) => dialogueFor(to).edit(ref, message),
    showStatus(to, status) {
      if (isLocal(to)) session?.dialogue.showStatus(status);
    },
    // While Keyturn ends, a part of an answer may still come.
    openStream: (to) => (isLocal(to) ? session?.dialogue.openStream() : undefined),
  };
}

function isLocal({ chatId, threadId }: Conversation): boolean {
  return chatId === localConversation.chatId && threadId === undefined;
}

export interface Session {
  readonly dialogue: Dialogue;
  /** Stops reading and restores the terminal. */
  stop(): void;
}

function openSession(streams: TerminalStreams, host: ChannelHost): Session {
  const words = () => wordsFor(host, localOwner());
  const output = createOutput(streams.output, (error) => reportBroken(error, streams, host));
  const { input, isTty, color } = streams;
  input.ref?.();
  const screen = isTty ? createScreen({ streams, output, words, clock: host.clock }) : undefined;
  const display = screen?.display ?? pipeDisplay(output);
  const dialogue = createDialogue(host, display, screen && color === true ? ansiStyle : plainStyle);
  screen?.open(keyboard(host, dialogue));
  const close = screen?.close ?? readPipe(input, host, dialogue);
  return {
    dialogue,
    stop() {
      close();
      input.unref?.();
    },
  };
}

function reportBroken(error: Error, streams: TerminalStreams, host: ChannelHost): void {
  // `keyturn | head` closes the pipe early: a normal end.
  const isClosedPipe = 'code' in error && error.code === 'EPIPE';
  if (!isClosedPipe) {
    host.log.warn({ error }, 'The terminal takes no output');
    streams.process?.fail();
  }
  host.requestStop();
}

/** A second interrupt within this time, in ms, stops the process instead of the run. */
const interruptWindow = 2000;

interface Keyboard {
  readonly host: ChannelHost;
  readonly dialogue: Dialogue;
  /** When the last ctrl-c came, if nothing else came since. */
  interruptedAt: number | undefined;
}

function keyboard(host: ChannelHost, dialogue: Dialogue): ScreenHandlers {
  const keys: Keyboard = { host, dialogue, interruptedAt: undefined };
  return {
    onLine: (line) => takeLine(line, keys),
    onClear() {
      keys.interruptedAt = undefined;
    },
    onInterrupt: () => interrupt(keys),
    onEnd: () => host.requestStop(),
  };
}

function takeLine({ text: line, card, hasPaste }: TypedLine, keys: Keyboard): void {
  const { host, dialogue } = keys;
  keys.interruptedAt = undefined;
  const text = line.trim();
  if (text === '') return;
  // Pasted text answers no question.
  if (text === '/exit' || text === '/quit') {
    host.requestStop();
    return;
  }
  const heard = dialogue.hear(text, hasPaste ? undefined : card);
  if (heard === 'late') {
    dialogue.hint(dialogue.words().answeredMeanwhile);
    return;
  }
  deliver(heard, card, keys);
  // A command may be about the card, and is checked when it is carried out.
  const isAside = heard.type === 'message' && card !== undefined && dialogue.isOpen(card) && !text.startsWith('/');
  if (isAside) dialogue.hint(dialogue.words().sentAside);
}

function interrupt(keys: Keyboard): void {
  const { host, dialogue, interruptedAt } = keys;
  const now = host.clock.now();
  keys.interruptedAt = now;
  if (interruptedAt !== undefined && now - interruptedAt < interruptWindow) {
    host.requestStop();
    return;
  }
  dialogue.hint(dialogue.words().stopping);
  deliver(dialogue.events.message('/stop'), undefined, keys);
}

/** `card`: what the event answers. */
function deliver(event: InboundEvent, card: OpenCard | undefined, { host, dialogue }: Keyboard): void {
  dialogue.deliver(event).catch((error: unknown) => {
    host.log.warn({ error, key: event.key }, 'The event could not be stored');
    dialogue.say(dialogue.words().notStored);
    if (card !== undefined && event.type === 'action') dialogue.reopen(card);
  });
}
