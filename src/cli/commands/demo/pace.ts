/* How the story goes on: by a key where a person watches, else at once. */

export interface Pace {
  /** Waits until the person wants more. Rejects once the demo is to end. */
  wait(): Promise<void>;
  /** Gives the terminal back. */
  end(): void;
}

/** The person, or the system, ends the demo. */
export class DemoEnded extends Error {}

interface PaceParts {
  readonly process: NodeJS.Process;
  /** Does not wait for keys. */
  readonly isFast: boolean;
  readonly prompt: string;
  readonly ended: AbortSignal;
}

export function createPace(parts: PaceParts): Pace {
  const { stdin, stdout } = parts.process;
  const isWatched = !parts.isFast && stdin.isTTY === true && stdout.isTTY === true;
  return {
    wait: async () => {
      if (isWatched) await key(parts);
    },
    end: () => release(parts),
  };
}

/** Ends of a text, of a program, and of the person's patience. */
const endings: ReadonlySet<string> = new Set(['\u0003', '\u0004', 'q', 'Q', '']);

async function key({ process: { stdin, stdout }, prompt, ended }: PaceParts): Promise<void> {
  stdout.write(prompt);
  stdin.setRawMode(true);
  const pressed = Promise.withResolvers<string>();
  const take = (chunk: Buffer): void => pressed.resolve(String(chunk));
  const leave = (): void => pressed.resolve('');
  stdin.on('data', take).on('end', leave);
  stdin.resume();
  ended.addEventListener('abort', leave);
  const said = await pressed.promise;
  stdin.off('data', take).off('end', leave);
  stdin.pause();
  stdin.setRawMode(false);
  stdout.write('\r\u001b[K');
  if (endings.has(said)) throw new DemoEnded();
}

function release({ process: { stdin } }: PaceParts): void {
  if (stdin.isTTY !== true) return;
  stdin.setRawMode(false);
  stdin.pause();
  stdin.unref();
}
