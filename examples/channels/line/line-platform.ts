import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type Socket, connect } from 'node:net';
import type { ChannelAdapter, Conversation } from '@keyturn/sdk/channel';
import type { ConfirmingPlatform, EditingPlatform, RepeatingPlatform, StandingMessage } from '@keyturn/sdk/channel-contract';
import line from './index.ts';

interface Shown {
  readonly id: string;
  readonly text: string;
  readonly buttons: readonly { readonly label: string; readonly press: string }[];
}

interface Heard {
  readonly welcome?: string;
  readonly stored?: string;
  readonly number?: number;
  readonly show?: Shown;
  readonly change?: Shown;
  readonly remove?: string;
}

const token = 'a-secret-of-ada-alone';

/** For the contract of channels: a program of Ada's, which connects again whenever it was disconnected. */
export class LinePlatform implements ConfirmingPlatform, RepeatingPlatform, EditingPlatform {
  readonly channel = 'line';
  readonly owner = 'ada';
  readonly home: Conversation = { channel: 'line', chatId: 'ada', kind: 'direct' };
  readonly nowhere: Conversation = { channel: 'line', chatId: 'nobody', kind: 'direct' };
  readonly settings: { readonly port: number; readonly people: { readonly ada: string } };
  readonly #shown = new Map<string, Shown>();
  /** What was not confirmed yet, by its id. */
  readonly #unconfirmed = new Map<string, object>();
  #last = { id: 'm0' };
  #count = 0;
  #socket: Socket | undefined;
  #isWelcome = false;
  #isOver = false;

  private constructor(port: number) {
    this.settings = { port, people: { ada: token } };
  }

  static async open(): Promise<LinePlatform> {
    const platform = new LinePlatform(await freePort());
    platform.#connect();
    return platform;
  }

  connect(): ChannelAdapter {
    return line.create(this.settings);
  }

  /** Resolves when the program is connected. */
  async ready(): Promise<void> {
    while (!this.#isWelcome) await new Promise((resolve) => setTimeout(resolve, 5));
  }

  say(text: string): void {
    this.#tell({ say: text });
  }

  press(label: string): void {
    const found = [...this.#shown.values()]
      .flatMap(({ id, buttons }) => buttons.map((button) => ({ ...button, on: id })))
      .findLast((button) => button.label === label);
    if (found === undefined) throw new Error(`no message has the button ${label}`);
    this.#tell({ press: found.press, on: found.on });
  }

  repeat(): void {
    this.#deliver(this.#last);
  }

  isConfirmed(): boolean {
    return this.#unconfirmed.size === 0;
  }

  seen(): string {
    return [...this.#shown.values()]
      .map(({ text, buttons }) => [text, ...buttons.map(({ label }) => `[${label}]`)].join('\n'))
      .join('\n');
  }

  message(ref: string): StandingMessage | undefined {
    const shown = this.#shown.get(ref);
    return shown && { text: shown.text, buttons: shown.buttons.map(({ label }) => label) };
  }

  async deliverRubbish(): Promise<void> {
    const lines = [
      '',
      'rubbish',
      '[]',
      '7',
      '{"say":7}',
      '{"id":"","say":"x"}',
      '{"id":"r1","press":""}',
      '{"token":"wrong"}',
    ];
    for (const rubbish of [...lines, '\u0000\uffff', `{"say":"${'x'.repeat(200_000)}`]) {
      await this.ready();
      await new Promise<void>((resolve) => this.#socket?.write(`${rubbish}\n`, () => resolve()));
    }
  }

  async close(): Promise<void> {
    this.#isOver = true;
    this.#socket?.destroy();
  }

  #tell(said: object): void {
    this.#count += 1;
    const id = `m${this.#count}`;
    this.#last = { id, ...said };
    this.#deliver(this.#last);
  }

  /** What cannot be said now is said with the next welcome. */
  #deliver(said: { readonly id: string }): void {
    this.#unconfirmed.set(said.id, said);
    if (this.#isWelcome) this.#write(said);
  }

  #write(said: object): void {
    this.#socket?.write(`${JSON.stringify(said)}\n`);
  }

  #connect(): void {
    if (this.#isOver) return;
    const socket = connect(this.settings.port, '127.0.0.1');
    this.#socket = socket;
    let rest = '';
    socket.setEncoding('utf8');
    socket.on('connect', () => this.#write({ token }));
    socket.on('data', (chunk) => {
      const lines = (rest + String(chunk)).split('\n');
      rest = lines.pop() ?? '';
      for (const heard of lines) this.#hearLine(heard);
    });
    socket.on('error', () => {});
    socket.on('close', () => {
      this.#isWelcome = false;
      setTimeout(() => this.#connect(), 10);
    });
  }

  /** What is no JSON was not written by the daemon: another program has its port. */
  #hearLine(line: string): void {
    try {
      this.#hear(JSON.parse(line));
    } catch {
      this.#socket?.destroy();
    }
  }

  #hear(heard: Heard): void {
    const { number, show, change, remove, stored } = heard;
    const isGone = change !== undefined && !this.#shown.has(change.id);
    const shown = show ?? change;
    if (shown !== undefined && !isGone) this.#shown.set(shown.id, shown);
    if (remove !== undefined) this.#shown.delete(remove);
    if (number !== undefined) this.#write(isGone ? { gone: number } : { done: number });
    if (stored !== undefined) this.#unconfirmed.delete(stored);
    if (heard.welcome === undefined) return;
    this.#isWelcome = true;
    for (const said of this.#unconfirmed.values()) this.#write(said);
  }
}

/** Below the ports that systems give to who asks for any: nobody else is given it while the daemon begins again. */
async function freePort(): Promise<number> {
  const server = createServer();
  const port = randomInt(10_000, 32_768);
  try {
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
  } catch {
    return freePort();
  }
  server.close();
  await once(server, 'close');
  return port;
}
