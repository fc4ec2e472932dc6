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
export const thisProcess: ProcessControl = {
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
