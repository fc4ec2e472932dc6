import type { Clock } from '../../../lib/clock.ts';
import { newId } from '../../../lib/ids.ts';
import type { Log } from '../../../lib/log.ts';
import { innermostError } from '../../../lib/network-error.ts';
import { BoundsError } from '../../guard/process/bounds.ts';
import type { LongLivedGuard, LongLivedProcess } from '../../guard/process/long-lived-process.ts';
import type { Door } from './door.ts';
import type { McpLibrary } from './library.ts';
import { McpError } from './mcp-error.ts';
import { ProcessTransport } from './process-transport.ts';
import type { McpWay } from './server-settings.ts';

export interface ProcessDoorDependencies {
  readonly way: Extract<McpWay, { type: 'process' }>;
  readonly guard: LongLivedGuard;
  readonly library: McpLibrary;
  readonly clock: Clock;
  readonly log: Log;
}

/** The way to a server that is started for us, in a process group of its own and with an environment of its own. */
export function processDoor({ way, guard, library, clock, log }: ProcessDoorDependencies): Door {
  return {
    isPipe: true,
    async open() {
      const process = await start(way, guard);
      let count = 0;
      const skipped = (): void => {
        if (++count === 1)
          log.warn({}, 'an MCP server writes lines that are no messages of the protocol: they are skipped');
      };
      const transport = new ProcessTransport({ process, library, clock, log, skipped });
      return { transport, why: () => transport.why, close: () => transport.close() };
    },
  };
}

async function start(
  { command, args, directory, environment }: ProcessDoorDependencies['way'],
  guard: LongLivedGuard,
): Promise<LongLivedProcess> {
  try {
    const callId = `mcp-${newId(12)}`;
    return await guard({ command: 'exec "$@"', args: [command, ...args], directory, variables: environment, callId });
  } catch (cause) {
    if (cause instanceof BoundsError) throw cause;
    const { code = 'an unknown reason' } = innermostError(cause);
    throw new McpError(`it could not be started in the folder ${directory}: ${code}`, { cause });
  }
}
