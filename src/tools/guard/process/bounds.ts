/** A command as it was asked for, with the environment that it may see. */
export interface BareCommand {
  /** What `/bin/sh -c` runs. */
  readonly command: string;
  /** What the command finds as `$1`, `$2` and so on: none of them is read as a part of it. */
  readonly args?: readonly string[];
  /** The folder that it works in: an absolute path without links. */
  readonly directory: string;
  /** The only folder that it may change, an absolute path without links. Left out: the one that it works in. */
  readonly workspace?: string;
  /** What it may read wherever it lies: absolute paths. What is Keyturn's own stays hidden. */
  readonly shown?: readonly string[];
  readonly callId: string;
  readonly environment: Readonly<Record<string, string>>;
}

/** How it is started. */
export interface BoundedCommand {
  readonly file: string;
  readonly args: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  /** The first process takes all others with it at once, however they have hidden. */
  readonly endsAsOne: boolean;
  /** What the bounds refused it, one line each, given what it printed as errors. */
  refusals(stderr: string): readonly string[];
}

/** Puts a command in its bounds. Rejects with `BoundsError` where it must not run. */
export type CommandBounds = (command: BareCommand) => Promise<BoundedCommand>;

/** A command does not run, since it can't be kept in its bounds. The message is for the model and for people. */
export class BoundsError extends Error {
  override readonly name = 'BoundsError';
}

/** No bounds: nothing but a person's look at a command says what it may do. */
export const unbounded: CommandBounds = async ({ command, args = [], environment }) => ({
  file: '/bin/sh',
  args: ['-c', command, 'sh', ...args],
  environment,
  endsAsOne: false,
  refusals: () => [],
});

/** No command runs. The reason is half a sentence. */
export function refuseCommands(reason: string): CommandBounds {
  return async () => {
    throw new BoundsError(
      `No command runs here: the config demands a sandbox (tools.shell.sandbox is "required"), and there is none: ${reason}. Only the operator can change that.`,
    );
  };
}
