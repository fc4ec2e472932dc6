import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';
import { closeServer, listenOnLoopback } from '../../../support/loopback.ts';
import { waitUntil } from '../../../support/wait-for.ts';

/** The reference server with something of everything. */
export const everything = fileURLToPath(import.meta.resolve('@modelcontextprotocol/server-everything/dist/index.js'));

/** The same over streamable HTTP, in a process of its own. */
export class EverythingServer {
  readonly #port: number;
  #process: ChildProcess | undefined;

  constructor(port: number) {
    this.#port = port;
  }

  get url(): string {
    return `http://127.0.0.1:${this.#port}/mcp`;
  }

  async start(): Promise<void> {
    const env = { PATH: process.env.PATH, PORT: `${this.#port}` };
    this.#process = spawn(process.execPath, [everything, 'streamableHttp'], { env, stdio: 'ignore' });
    await waitUntil(() => this.#answers(), { what: 'the server to listen' });
  }

  /** Ends it as a power failure would. */
  async kill(): Promise<void> {
    const ending = this.#process;
    this.#process = undefined;
    if (ending === undefined || ending.exitCode !== null || ending.signalCode !== null) return;
    const ended = once(ending, 'exit');
    ending.kill('SIGKILL');
    await ended;
  }

  async #answers(): Promise<boolean> {
    try {
      return (await fetch(this.url)).status > 0;
    } catch (cause) {
      if (cause instanceof TypeError) return false;
      throw cause;
    }
  }
}

/** Starts it on a free port; it ends with the test, or with the suite where many of them share it. */
export async function everythingServer(atTheEnd: (end: () => Promise<void>) => void = onTestFinished) {
  const placeholder = createServer();
  const port = await listenOnLoopback(placeholder);
  await closeServer(placeholder);
  const server = new EverythingServer(port);
  atTheEnd(() => server.kill());
  await server.start();
  return server;
}
