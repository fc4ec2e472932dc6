/** A command as it was asked for, with the environment that it may see. */
export interface BareCommand {
  /** What `/bin/sh -c` runs. */
  readonly command: string;
  /** The folder that it works in: an absolute path without links. */
  readonly directory: string;
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
export const unbounded: CommandBounds = async ({ command, environment }) => ({
  file: '/bin/sh',
  args: ['-c', command],
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
