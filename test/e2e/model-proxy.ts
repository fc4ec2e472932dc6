import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from 'node:http';
import { closeServer, listenOnLoopback } from '../support/loopback.ts';

/** Stands between the daemon and a model, and tells when the daemon breaks a connection before its answer was whole. */
export class ModelProxy {
  /** What a model takes as `base_url`. */
  readonly url: string;
  readonly #server: Server;
  readonly #broken: PromiseWithResolvers<void>;
  #target = '';

  private constructor(server: Server, broken: PromiseWithResolvers<void>, port: number) {
    this.#server = server;
    this.#broken = broken;
    this.url = `http://127.0.0.1:${port}/v1`;
    server.on('request', (incoming, response) => this.#pass(incoming, response));
  }

  static async start(): Promise<ModelProxy> {
    const server = createServer();
    return new ModelProxy(server, Promise.withResolvers(), await listenOnLoopback(server));
  }

  /** Resolves when the daemon has broken a connection. */
  get broken(): Promise<void> {
    return this.#broken.promise;
  }

  /** Where the model is. Nothing may be asked before. */
  leadTo(url: string): void {
    this.#target = url;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await closeServer(this.#server);
  }

  #pass(incoming: IncomingMessage, response: ServerResponse): void {
    const { method = 'GET', headers, url = '' } = incoming;
    const onward = request(new URL(url, this.#target), { method, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 500, answer.headers);
      answer.pipe(response);
    });
    onward.on('error', () => response.destroy());
    response.on('close', () => {
      if (!response.writableFinished) this.#broken.resolve();
      onward.destroy();
    });
    incoming.pipe(onward);
  }
}
