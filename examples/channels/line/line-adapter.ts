import { createServer, type Server, type Socket } from 'node:net';
import {
  type ChannelAdapter,
  type ChannelCapabilities,
  ChannelError,
  type ChannelHost,
  type Conversation,
  type MessageRef,
  type OutboundMessage,
} from '@keyturn/sdk/channel';
import { Guest } from './guest.ts';
import type { LineSettings } from './settings.ts';

/** How long it waits before it tries again to listen, in milliseconds. */
const pause = 2_000;

/** A server on 127.0.0.1. A client that shows a person’s secret is that person. */
export class LineAdapter implements ChannelAdapter {
  readonly capabilities: ChannelCapabilities = {
    maxLength: 8_000,
    forms: false,
    maxFileBytes: 0,
    editPause: { direct: 500, group: 500 },
    // Programs keep what they were shown.
    history: true,
  };
  readonly #settings: LineSettings;
  readonly #guests = new Map<Socket, Guest>();
  #server: Server | undefined;
  #callOff = (): void => {};

  constructor(settings: LineSettings) {
    this.#settings = settings;
  }

  measure(markdown: string): number {
    return markdown.length;
  }

  async start(host: ChannelHost): Promise<void> {
    const server = createServer((socket) => this.#welcome(socket, host));
    this.#server = server;
    server.on('listening', () => host.reportHealth({ status: 'connected' }));
    server.on('error', (error) => {
      if (this.#server !== server) return;
      const reason = `channels.line.port ${this.#settings.port} cannot be listened at: ${error.message}`;
      host.reportHealth({ status: 'failing', reason });
      this.#callOff = host.clock.after(pause, () => server.listen(this.#settings.port, '127.0.0.1'));
    });
    server.listen(this.#settings.port, '127.0.0.1');
  }

  async stop(): Promise<void> {
    const server = this.#server;
    this.#server = undefined;
    this.#callOff();
    for (const socket of this.#guests.keys()) socket.destroy();
    if (server?.listening === true) await new Promise((resolve) => server.close(resolve));
  }

  async send(to: Conversation, message: OutboundMessage): Promise<MessageRef> {
    await this.#order(to, { show: shown(message.id, message) });
    return { id: message.id };
  }

  async edit(to: Conversation, { id }: MessageRef, message: OutboundMessage): Promise<void> {
    await this.#order(to, { change: shown(id, message) });
  }

  async remove(to: Conversation, { id }: MessageRef): Promise<void> {
    await this.#order(to, { remove: id });
  }

  /** Resolves when each program of the person has done it. */
  async #order({ chatId, threadId }: Conversation, what: object): Promise<void> {
    if (!Object.hasOwn(this.#settings.people, chatId) || threadId !== undefined)
      throw new ChannelError({ type: 'permanent' }, 'There is nobody of that name in channels.line.people.');
    const guests = [...this.#guests.values()].filter(({ person }) => person === chatId);
    // Nothing was sent: Keyturn tries it again, ever more seldom.
    if (guests.length === 0) throw new ChannelError({ type: 'transient' }, 'No program of that person is connected.');
    await Promise.all(guests.map((guest) => guest.order(what)));
  }

  #welcome(socket: Socket, host: ChannelHost): void {
    this.#guests.set(socket, new Guest({ socket, host, people: this.#settings.people }));
    socket.on('close', () => this.#guests.delete(socket));
  }
}

/** A program that is shown the same id again has it already. */
function shown(id: string, { markdown, buttons = [] }: OutboundMessage): object {
  return { id, text: markdown, buttons: buttons.flat().map(({ label, actionId }) => ({ label, press: actionId })) };
}
