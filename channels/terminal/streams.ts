import type { Readable, Writable } from 'node:stream';
import { ChannelError } from '../../src/contract.ts';
import { terminalWords } from './words.ts';

/** The terminal's input and output. */
export interface TerminalStreams {
  /** While referenced, it keeps the process alive even if paused: a paused stream reads ahead. */
  readonly input: Readable & { ref?(): unknown; unref?(): unknown; setRawMode?(isRaw: boolean): unknown };
  readonly output: Writable & { readonly columns?: number };
  /** True: a person with a prompt and keys. False: lines from a pipe. */
  readonly isTty: boolean;
  /** Width in columns, if the output does not know its own. Default 80. */
  readonly columns?: number;
  /** Whether styles and colours are allowed. Default false; a pipe never has them. */
  readonly color?: boolean;
  /** The process of the terminal. Without it, ctrl-z does nothing. */
  readonly process?: ProcessControl;
}

export function processStreams(): TerminalStreams {
  const { stdin, stdout } = process;
  const { TERM: kind, NO_COLOR: noColor } = process.env;
  // A dumb terminal cannot move its cursor: treat it as a pipe.
  const isTty = stdin.isTTY === true && stdout.isTTY === true && kind !== 'dumb';
  return { input: stdin, output: stdout, isTty, color: isTty && !noColor, process: thisProcess };
}

/** The current width in columns. */
export function widthOf({ output, columns }: TerminalStreams): number {
  // Some pseudo-terminals report 0 if unknown.
  return columns ?? (output.columns || 80);
}

/** Controls the terminal's process. */
export interface ProcessControl {
  /**
   * Stops the process group, including parents such as npm, so that the shell returns. Calls back when it continues, or
   * soon if there is no shell to continue it.
   */
  suspend(goOn: () => void): void;
  /** Calls back whenever the process continues after a stop. Returns the unsubscribe function. */
  onContinue(callback: () => void): () => void;
  /** Calls back when the process is about to exit. Returns the unsubscribe function. */
  onExit(callback: () => void): () => void;
  /** Makes the exit code a failure. */
  fail(): void;
}

const thisProcess: ProcessControl = {
  suspend(goOn) {
    process.kill(0, 'SIGTSTP');
    // Nothing runs while stopped. If nobody could continue the process, the system does not stop it.
    setImmediate(goOn);
  },
  onContinue(callback) {
    process.on('SIGCONT', callback);
    return () => process.off('SIGCONT', callback);
  },
  onExit(callback) {
    process.on('exit', callback);
    return () => process.off('exit', callback);
  },
  fail() {
    process.exitCode = 1;
  },
};

/** All output goes through here. */
export interface Output {
  /** Resolves when the text is written. Rejects with `ChannelError`, so that it is shown at the next start. */
  write(text: string): Promise<void>;
  /** Writes text that may be lost: `onBroken` is told of the error. */
  writeSoon(text: string): void;
}

/** When nobody reads it any more, calls `onBroken` once and accepts no further text. */
export function createOutput(stream: Writable, onBroken: (error: Error) => void): Output {
  const sink: Sink = { stream, onBroken, isBroken: false };
  // Stays after the stop: a late error must not end the process.
  stream.on('error', (error) => breakSink(error, sink));
  return {
    write: (text) => write(text, sink),
    writeSoon: (text) => void write(text, sink).catch(() => {}),
  };
}

interface Sink {
  readonly stream: Writable;
  readonly onBroken: (error: Error) => void;
  isBroken: boolean;
}

function write(text: string, sink: Sink): Promise<void> {
  if (sink.isBroken) return Promise.reject(broken());
  return new Promise((resolve, reject) => {
    sink.stream.write(text, (error) => {
      if (!error) return resolve();
      breakSink(error, sink);
      reject(broken(error));
    });
  });
}

function breakSink(error: Error, sink: Sink): void {
  if (sink.isBroken) return;
  sink.isBroken = true;
  sink.onBroken(error);
}

function broken(cause?: Error): ChannelError {
  return new ChannelError({ type: 'transient' }, (language) => terminalWords[language].nobodyReads, cause && { cause });
}
