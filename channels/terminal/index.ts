import { join } from 'node:path';
import {
  type ChannelAdapter,
  ChannelError,
  type ChannelHost,
  type Conversation,
  defineChannel,
} from '../../src/contract.ts';
import { type Completion, completionFor } from './completion.ts';
import { createDialogue, type Dialogue, localConversation, localOwner } from './dialogue.ts';
import { openHistory } from './history.ts';
import { keyboard } from './keyboard.ts';
import { readPipe } from './pipe.ts';
import { pipeDisplay } from './question.ts';
import { ansiStyle, plainStyle } from './render.ts';
import { createScreen, type Screen, type ScreenParts } from './screen.ts';
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
    async showTyping(to) {
      if (isLocal(to)) session?.dialogue.showTyping();
    },
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
  const screen = isTty ? screenFor(host, { streams, output, words, clock: host.clock }, () => dialogue) : undefined;
  const display = screen?.display ?? pipeDisplay(output);
  const dialogue: Dialogue = createDialogue(host, display, screen && color === true ? ansiStyle : plainStyle);
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

function screenFor(
  host: ChannelHost,
  parts: Omit<ScreenParts, 'history' | 'complete'>,
  dialogue: () => Dialogue,
): Screen {
  const { dataFolder, log, commands } = host;
  const history = openHistory(dataFolder === undefined ? undefined : join(dataFolder, 'terminal-history'), log);
  const fileNames = (folder: string): Promise<readonly string[]> => namesIn(folder, host);
  const complete = (before: string): Promise<Completion> =>
    completionFor(before, { commands, commandLines: dialogue().commandLines(), fileNames });
  return createScreen({ ...parts, history, complete });
}

async function namesIn(folder: string, host: ChannelHost): Promise<readonly string[]> {
  try {
    return (await host.fileNames?.(localConversation, localOwner(), folder)) ?? [];
  } catch (error) {
    host.log.warn({ error }, 'The names of files cannot be read');
    return [];
  }
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
