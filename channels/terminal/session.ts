import type { ChannelHost, Sender } from '../../src/contract.ts';
import { Dialogue } from './dialogue.ts';
import { pipeDisplay } from './display.ts';
import { Keyboard } from './keyboard.ts';
import { LocalEvents } from './local.ts';
import { Output } from './output.ts';
import { Pipe } from './pipe.ts';
import { Screen } from './screen.ts';
import type { TerminalStreams } from './streams.ts';
import { ansiStyle, plainStyle } from './style.ts';

/** From a start of the channel to its stop. */
export interface Session {
  readonly dialogue: Dialogue;
  /** Stops to read and leaves the terminal as it was. */
  stop(): void;
}

/** Begins to read from the streams. */
export function openSession(streams: TerminalStreams, host: ChannelHost, sender: Sender): Session {
  const events = new LocalEvents({ sender, clock: host.clock });
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
  screen.open(new Keyboard({ host, dialogue, events }));
  return { dialogue, stop: () => screen.close() };
}

function openPipe(streams: TerminalStreams, host: ChannelHost, { events, output }: Parts): Session {
  const display = pipeDisplay(output);
  const dialogue = new Dialogue({ host, display, style: plainStyle, events });
  const pipe = new Pipe({ input: streams.input, host, dialogue, display });
  pipe.open();
  return { dialogue, stop: () => pipe.close() };
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
