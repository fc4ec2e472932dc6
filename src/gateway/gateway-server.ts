import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { getRequestListener } from '@hono/node-server';
import { WebSocketServer } from 'ws';
import type { ChannelHost } from '../contract.ts';
import type { AdmissionSettings } from './admission.ts';
import { ownProtocol } from './credentials.ts';
import type { DeviceEntrance } from './device-channel.ts';
import type { PeopleGate } from './people-gate.ts';
import type { Switchboard } from './switchboard.ts';
import { judgeUpgrade, refuseUpgrade } from './upgrade.ts';
import type { webApp } from './web-app.ts';

export interface GatewayServerSettings extends AdmissionSettings {
  readonly port: number;
  readonly maxFrame: number;
  /** How long a request may take to arrive, in milliseconds. */
  readonly hello: number;
}

export interface GatewayServerDependencies {
  readonly app: ReturnType<typeof webApp>;
  readonly gate: PeopleGate;
  readonly switchboard: Switchboard;
  readonly settings: GatewayServerSettings;
  readonly opened: (host: ChannelHost | undefined) => void;
}

/** So many times as long as a request may take, an answer may get on by nothing. */
const patience = 6;
const longestHeaders = 16 * 1024;
/** Also those that have not said yet what they want. */
const mostConnections = 2_000;
/** How long the port may be taken before it is tried again, in milliseconds. */
const again = 5_000;

/** The one port: HTTP and WebSocket. */
export class GatewayServer implements DeviceEntrance {
  readonly #dependencies: GatewayServerDependencies;
  #server: Server | undefined;
  #callOff = (): void => {};

  constructor(dependencies: GatewayServerDependencies) {
    this.#dependencies = dependencies;
  }

  /** Where it listens: `http://127.0.0.1:42617`; undefined while it does not. */
  get address(): string | undefined {
    const address = this.#server?.address();
    return typeof address === 'object' && address !== null ? spelled(address) : undefined;
  }

  async open(host: ChannelHost): Promise<void> {
    this.#dependencies.opened(host);
    await this.#listen(host);
  }

  async close(): Promise<void> {
    this.#callOff();
    this.#dependencies.opened(undefined);
    const server = this.#server;
    this.#server = undefined;
    if (server === undefined) return;
    const closed = new Promise<void>((resolve) => server.close(() => resolve()));
    await this.#dependencies.switchboard.close();
    // What is asked over HTTP can be asked again; sockets have a moment to say goodbye.
    server.closeAllConnections();
    await closed;
  }

  #listen(host: ChannelHost): Promise<void> {
    const { settings } = this.#dependencies;
    const server = this.#makeServer();
    return new Promise((resolve) => {
      const failed = (error: Error): void => {
        const reason = `It cannot listen at ${settings.host}:${settings.port}: ${error.message}. Another port: gateway.port.`;
        host.reportHealth({ status: 'failing', reason });
        this.#callOff = host.clock.after(again, () => void this.#listen(host));
        resolve();
      };
      server.once('error', failed);
      server.listen(settings.port, settings.host, () => {
        this.#server = server;
        server.off('error', failed);
        // Somebody could not be let in, as where no more files can be open: it listens on.
        server.on('error', (error) => host.log.warn({ err: error }, 'a connection could not be taken'));
        host.reportHealth({ status: 'connected', account: this.address ?? '' });
        resolve();
      });
    });
  }

  #makeServer(): Server {
    const { app, settings } = this.#dependencies;
    const server = createServer(
      {
        maxHeaderSize: longestHeaders,
        headersTimeout: settings.hello,
        requestTimeout: settings.hello,
        connectionsCheckingInterval: Math.min(5_000, settings.hello),
      },
      getRequestListener(app.fetch, { overrideGlobalObjects: false }),
    );
    server.maxConnections = mostConnections;
    // Whoever asks for a file and does not read it is cut off. Those that become WebSockets have limits of their own.
    server.timeout = patience * settings.hello;
    const sockets = new WebSocketServer({
      noServer: true,
      clientTracking: false,
      maxPayload: settings.maxFrame,
      perMessageDeflate: false,
      // A token that is offered as a protocol is never said back.
      handleProtocols: (offered) => (offered.has(ownProtocol) ? ownProtocol : false),
    });
    server.on('upgrade', (request, socket, head) => this.#upgrade(sockets, { request, socket, head }));
    return server;
  }

  #upgrade(
    sockets: WebSocketServer,
    { request, socket, head }: { readonly request: IncomingMessage; readonly socket: Duplex; readonly head: Buffer },
  ): void {
    const { switchboard } = this.#dependencies;
    const upgrade = judgeUpgrade(request, this.#dependencies);
    const refusal = upgrade.type === 'refused' ? upgrade : switchboard.refusalOf(upgrade.device);
    if (refusal !== undefined) refuseUpgrade(socket, refusal.status, refusal.reason);
    if (refusal !== undefined || upgrade.type === 'refused') return;
    sockets.handleUpgrade(request, socket, head, (webSocket) =>
      switchboard.connect(webSocket, upgrade.device, upgrade.query),
    );
  }
}

function spelled({ address, family, port }: AddressInfo): string {
  return `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`;
}
