import { createHash, timingSafeEqual } from 'node:crypto';
import type { Socket } from 'node:net';
import { ChannelError, type ChannelHost, type InboundEvent } from '@keyturn/sdk/channel';
import { type Request, requestIn } from './request.ts';

export interface GuestDependencies {
  readonly socket: Socket;
  readonly host: ChannelHost;
  /** Their secrets, by their ids. */
  readonly people: Readonly<Record<string, string>>;
}

const longestLine = 100_000;
/** How long it has to show a secret, and to say what became of a line, in milliseconds. */
const patience = 10_000;

interface Order {
  readonly settle: (fault?: ChannelError) => void;
}

/** A program that is connected. */
export class Guest {
  readonly #dependencies: GuestDependencies;
  readonly #orders = new Map<number, Order>();
  #person: string | undefined;
  #count = 0;

  constructor(dependencies: GuestDependencies) {
    this.#dependencies = dependencies;
    const { socket, host } = dependencies;
    const callOff = host.clock.after(patience, () => {
      if (this.#person === undefined) socket.destroy();
    });
    // That it breaks off is all that can go wrong; 'close' follows.
    socket.on('error', () => {});
    socket.on('close', () => {
      callOff();
      for (const { settle } of this.#orders.values()) settle(unknown('The program hung up.'));
    });
    this.#read().catch((error: unknown) => {
      host.log.info({ err: error }, 'a program was disconnected');
      socket.destroy();
    });
  }

  /** Whose it is; undefined before it has shown a secret. */
  get person(): string | undefined {
    return this.#person;
  }

  /** Has the program show, change or remove a message. Resolves when it has. */
  async order(what: object): Promise<void> {
    const { clock } = this.#dependencies.host;
    this.#count += 1;
    const number = this.#count;
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    this.#orders.set(number, { settle: (fault) => (fault === undefined ? resolve() : reject(fault)) });
    const callOff = clock.after(patience, () => reject(unknown('The program does not answer.')));
    this.#write({ number, ...what });
    try {
      await promise;
    } finally {
      callOff();
      this.#orders.delete(number);
    }
  }

  async #read(): Promise<void> {
    const { socket } = this.#dependencies;
    let rest = '';
    socket.setEncoding('utf8');
    for await (const chunk of socket) {
      const lines = (rest + String(chunk)).split('\n');
      rest = lines.pop() ?? '';
      if (rest.length > longestLine) throw new Error('It has sent a line that does not end.');
      for (const line of lines) await this.#hear(requestIn(line));
    }
  }

  async #hear(request: Request | undefined): Promise<void> {
    const { host, people } = this.#dependencies;
    if (request === undefined) return this.#write({ wrong: 'This is no line that README.md knows.' });
    if ('token' in request) {
      this.#person = ownerOf(request.token, people);
      if (this.#person === undefined) throw new Error('It has shown a secret of nobody.');
      return this.#write({ welcome: this.#person });
    }
    if ('done' in request) return this.#orders.get(request.done)?.settle();
    if ('gone' in request) return this.#orders.get(request.gone)?.settle(gone());
    if (this.#person === undefined) throw new Error('It has shown no secret.');
    const { notice } = await host.receive(eventOf(request, this.#person, host));
    // Only now: what is not confirmed, the program says again.
    this.#write({ stored: request.id, ...(notice === undefined ? {} : { notice }) });
  }

  #write(line: object): void {
    this.#dependencies.socket.write(`${JSON.stringify(line)}\n`);
  }
}

/** It may have been done. */
function unknown(words: string): ChannelError {
  return new ChannelError({ type: 'ambiguous' }, words);
}

function gone(): ChannelError {
  return new ChannelError({ type: 'permanent' }, 'The program does not have that message any more.');
}

function ownerOf(token: string, people: GuestDependencies['people']): string | undefined {
  const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
  return Object.entries(people).find(([, secret]) => timingSafeEqual(digest(secret), digest(token)))?.[0];
}

function eventOf(request: Extract<Request, { id: string }>, person: string, host: ChannelHost): InboundEvent {
  const common = {
    // The same whenever the program says it again, and another for all else.
    key: `${person}:${request.id}`,
    conversation: { channel: 'line', chatId: person, kind: 'direct' as const },
    sender: { id: person, name: person, isPerson: true },
  };
  if ('press' in request) {
    const on = request.on === undefined ? {} : { messageRef: { id: request.on } };
    return { type: 'action', ...common, actionId: request.press, ...on };
  }
  return { type: 'message', ...common, text: request.say, addressed: true, sentAt: host.clock.now() };
}
