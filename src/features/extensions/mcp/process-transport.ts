import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/client';
import type { Clock } from '../../../lib/clock.ts';
import { newId } from '../../../lib/ids.ts';
import { parseJson } from '../../../lib/json.ts';
import type { Log } from '../../../lib/log.ts';
import { innermostError } from '../../../lib/network-error.ts';
import { BoundsError } from '../../../tools/guard/process/bounds.ts';
import type { LongLivedGuard, LongLivedProcess } from '../../../tools/guard/process/process.ts';
import { LineProcess } from '../line-process.ts';
import { type Endpoint, McpError } from './connection.ts';
import { ReplyMender } from './reply-mender.ts';
import type { McpLibrary } from './server-settings.ts';

export interface ProcessTransportDependencies {
  readonly process: LongLivedProcess;
  readonly library: McpLibrary;
  readonly clock: Clock;
  readonly log: Log;
  readonly mender: ReplyMender;
  /** Told of what it wrote that means nothing. */
  readonly skipped: () => void;
}

/** The longest message that is read, in bytes: a picture has room in it. */
const longestLine = 32 * 2 ** 20;
/** Messages to and from a process, one on a line. */
export class ProcessTransport implements Transport {
  readonly #dependencies: ProcessTransportDependencies;
  readonly #lines: LineProcess;
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: <Message extends JSONRPCMessage>(message: Message) => void;
  /** By these two the library knows that this is a pipe. */
  readonly stderr = null;
  readonly pid = null;

  constructor(dependencies: ProcessTransportDependencies) {
    const { process, clock, log } = dependencies;
    this.#dependencies = dependencies;
    this.#lines = new LineProcess(process, { clock, log, longestLine, received: (line) => this.#take(line) });
  }

  /** How it has ended. */
  get why(): string | undefined {
    return this.#lines.why;
  }

  async start(): Promise<void> {
    this.#lines.begin();
    void this.#lines.over.then(() => this.onclose?.());
  }

  /** Rejects once it has ended: the library may not have listened yet when that was told. */
  async send(message: JSONRPCMessage): Promise<void> {
    if (this.why === undefined) {
      this.#dependencies.mender.asked(message);
      this.#lines.write(JSON.stringify(message));
    }
    if (this.why !== undefined) throw new Error(this.why);
  }

  close(): Promise<void> {
    return this.#lines.stop();
  }

  /** Some print what is not meant for us. */
  #take(line: string): void {
    const { library, skipped, mender } = this.#dependencies;
    const message = parseJson(line);
    const { isJSONRPCRequest, isJSONRPCNotification, isJSONRPCResponse } = library;
    if (isJSONRPCRequest(message) || isJSONRPCNotification(message) || isJSONRPCResponse(message)) {
      this.onmessage?.(mender.mended(message));
    } else skipped();
  }
}

interface ProcessEndpointParts {
  readonly way: {
    readonly command: string;
    readonly args: readonly string[];
    /** The folder that it works in: absolute. */
    readonly directory: string;
    readonly variables: Readonly<Record<string, string>>;
  };
  readonly guard: LongLivedGuard;
  readonly library: McpLibrary;
  readonly clock: Clock;
  readonly log: Log;
}

/** The way to a server that is started for us, in a process group of its own and with an environment of its own. */
export function processEndpoint({ way, guard, library, clock, log }: ProcessEndpointParts): Endpoint {
  return {
    isPipe: true,
    async open() {
      const process = await start(way, guard);
      let count = 0;
      const skipped = (): void => {
        if (++count === 1)
          log.warn({}, 'an MCP server writes lines that are no messages of the protocol: they are skipped');
      };
      const mender = new ReplyMender(library, log);
      const transport = new ProcessTransport({ process, library, clock, log, mender, skipped });
      return { transport, why: () => transport.why, close: () => transport.close() };
    },
  };
}

async function start(
  { command, args, ...way }: ProcessEndpointParts['way'],
  guard: LongLivedGuard,
): Promise<LongLivedProcess> {
  try {
    return await guard({ ...way, command: 'exec "$@"', args: [command, ...args], callId: `mcp-${newId(12)}` });
  } catch (cause) {
    if (cause instanceof BoundsError) throw cause;
    const { code = 'an unknown reason' } = innermostError(cause);
    throw new McpError(`it could not be started in the folder ${way.directory}: ${code}`, { cause });
  }
}
