import { createServer, type IncomingMessage, request as passOn, type Server, type ServerResponse } from 'node:http';
import { pipeline } from 'node:stream/promises';
import { WebSocketServer } from 'ws';
import type { JsonObject } from '../../../../src/lib/json.ts';
import { closeServer, listenOnLoopback } from '../../../support/loopback.ts';
import type { FrameSurroundings } from './added-to-frames.ts';
import { GatewayBridge } from './gateway-bridge.ts';

/** What stands behind the door. */
export interface BehindDoor extends Pick<FrameSurroundings, 'findMessage'> {
  readonly port: number;
  /** The slash commands for everybody. */
  readonly commands: () => Promise<readonly JsonObject[]>;
}

/** A request of the bot, as it was answered. */
export interface TwinCall {
  readonly method: string;
  /** Without the version and what is asked for in the query. */
  readonly path: string;
  readonly status: number;
}

const commandsPath = /^\/applications\/\d+\/commands$/;

/**
 * Stands before the twin and adds what a bot can't do without: the list of the commands that are registered, and an answer
 * to those who want to resume. All else goes to the twin, and its answers come back, as they are.
 */
export class TwinDoor {
  readonly #server: Server;
  readonly #sockets = new WebSocketServer({ noServer: true });
  readonly #bridges = new Set<GatewayBridge>();
  readonly #calls: TwinCall[] = [];
  #port = 0;
  /** Must be set before anything is asked. */
  behind: BehindDoor | undefined;
  /** Mistakes of the door itself. A test that meets one cannot be trusted. */
  readonly mistakes: unknown[] = [];

  constructor() {
    this.#server = createServer((request, response) => {
      this.#serve(request, response).catch((error: unknown) => {
        // A bot that is gone does not wait for its answer.
        if (!request.socket.destroyed) this.mistakes.push(error);
        response.destroy();
      });
    });
    this.#server.on('upgrade', (request, socket, head) => {
      this.#sockets.handleUpgrade(request, socket, head, (bot) => {
        const onMistake = (error: unknown): void => void this.mistakes.push(error);
        const surroundings = { gatewayUrl: this.gatewayUrl, findMessage: this.#inside.findMessage };
        const bridge = new GatewayBridge({ bot, twinUrl: this.#twinUrl(request), surroundings, onMistake });
        this.#bridges.add(bridge);
        bot.on('close', () => this.#bridges.delete(bridge));
      });
    });
  }

  async open(): Promise<void> {
    this.#port = await listenOnLoopback(this.#server);
  }

  async close(): Promise<void> {
    this.drop();
    await closeServer(this.#server);
  }

  get root(): string {
    return `http://127.0.0.1:${this.#port}`;
  }

  get gatewayUrl(): string {
    return `ws://127.0.0.1:${this.#port}/gateway`;
  }

  /** What the bot has asked for, the oldest first. */
  get calls(): readonly TwinCall[] {
    return [...this.#calls];
  }

  /** Breaks the connections to the gateway without a word. */
  drop(): void {
    for (const bridge of this.#bridges) bridge.drop();
  }

  get #inside(): BehindDoor {
    if (this.behind === undefined) throw new Error('There is nothing behind the door yet.');
    return this.behind;
  }

  #twinUrl({ url = '' }: IncomingMessage): string {
    return `ws://127.0.0.1:${this.#inside.port}${url}`;
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = 'GET' } = request;
    const path = new URL(request.url ?? '/', this.root).pathname.replace(/^\/api\/v10/, '');
    if (method === 'GET' && commandsPath.test(path)) await this.#listCommands(request, response);
    else await this.#pass(request, response);
    this.#calls.push({ method, path, status: response.statusCode });
  }

  async #listCommands(request: IncomingMessage, response: ServerResponse): Promise<void> {
    request.resume();
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify(await this.#inside.commands()));
  }

  async #pass(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = 'GET', url = '/', headers } = request;
    const inner = passOn({ host: '127.0.0.1', port: this.#inside.port, method, path: url, headers });
    const answered = new Promise<IncomingMessage>((resolve, reject) => {
      inner.on('response', resolve);
      inner.on('error', reject);
    });
    const [answer] = await Promise.all([answered, pipeline(request, inner)]);
    response.writeHead(answer.statusCode ?? 502, answer.headers);
    await pipeline(answer, response);
  }
}
