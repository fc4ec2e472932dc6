import type { Readable, Writable } from 'node:stream';

/** What the terminal reads and writes. */
export interface TerminalStreams {
  /** While it is referenced, it keeps the process alive, even paused: a paused stream reads ahead. */
  readonly input: Readable & { ref?(): unknown; unref?(): unknown; setRawMode?(isRaw: boolean): unknown };
  readonly output: Writable & { readonly columns?: number };
  /** True: a person sits at it, with a prompt and keys. False: lines come from a pipe. */
  readonly isTty: boolean;
  /** The width in columns, where the output does not know its own. Default 80. */
  readonly columns?: number;
  /** Whether text may be bold, dim or coloured. Default false; a pipe never has colour. */
  readonly color?: boolean;
  /** The process that they belong to. Without it, ctrl-z does nothing. */
  readonly process?: ProcessControl;
}

/** The streams of this process. */
export function processStreams(): TerminalStreams {
  const { stdin, stdout } = process;
  const { TERM: kind, NO_COLOR: noColor } = process.env;
  // A dumb terminal cannot move its cursor: it is served like a pipe, line by line.
  const isTty = stdin.isTTY === true && stdout.isTTY === true && kind !== 'dumb';
  return { input: stdin, output: stdout, isTty, color: isTty && !noColor, process: thisProcess };
}

/** How wide the terminal is now, in columns. */
export function widthOf({ output, columns }: TerminalStreams): number {
  // Some pseudo-terminals say 0 when they do not know.
  return columns ?? (output.columns || 80);
}

/** What the terminal does with the process that it belongs to. */
export interface ProcessControl {
  /**
   * Stops the process and all that was started with it, such as npm, so that the shell comes back. Calls back when it
   * goes on, or soon, where there is no shell that could let it go on.
   */
  suspend(goOn: () => void): void;
  /** Calls back whenever the process goes on after a stop, until the returned function is called. */
  onContinue(callback: () => void): () => void;
  /** Calls back when the process is about to end, until the returned function is called. */
  onExit(callback: () => void): () => void;
  /** Lets the process end as one that failed, when it ends. */
  fail(): void;
}

/** The process that runs this. */
const thisProcess: ProcessControl = {
  suspend(goOn) {
    process.kill(0, 'SIGTSTP');
    // Nothing runs while the process is stopped. Where nobody could continue it, the system does not stop it.
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
