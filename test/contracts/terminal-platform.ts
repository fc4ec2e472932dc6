import { PassThrough } from 'node:stream';
import fc from 'fast-check';
import { createTerminal } from '../../channels/terminal/index.ts';
import type { ChannelAdapter, Conversation } from '../../src/contract.ts';
import { VirtualScreen } from '../channels/terminal/virtual-screen.ts';
import type { Platform } from './platform.ts';

/** So wide that no text is broken. */
const columns = 100_000;

/** Where a terminal shows what it is sent. */
interface Screen {
  write(output: string): void;
  text(): string;
}

/** Somebody at a keyboard, or lines from a pipe. Each process has streams of its own, and shows on the same screen. */
export class TerminalPlatform implements Platform {
  readonly channel = 'terminal';
  readonly settings = { enabled: true };
  readonly owner = 'local';
  readonly home: Conversation = { channel: 'terminal', chatId: 'local', kind: 'direct' };
  readonly nowhere: Conversation = { channel: 'terminal', chatId: 'elsewhere', kind: 'direct' };
  readonly #isTty: boolean;
  readonly #screen: Screen;
  /** One for each process. What is typed reaches the one that still reads. */
  readonly #inputs: PassThrough[] = [];

  private constructor(isTty: boolean) {
    this.#isTty = isTty;
    this.#screen = isTty ? keyboardScreen() : pipeScreen();
  }

  static async atKeyboard(): Promise<TerminalPlatform> {
    return new TerminalPlatform(true);
  }

  static async atPipe(): Promise<TerminalPlatform> {
    return new TerminalPlatform(false);
  }

  connect(): ChannelAdapter {
    const output = new PassThrough();
    output.setEncoding('utf8');
    output.on('data', (chunk: string) => this.#screen.write(chunk));
    const input = new PassThrough();
    this.#inputs.push(input);
    return createTerminal({ input, output, isTty: this.#isTty, columns, color: false });
  }

  async close(): Promise<void> {
    for (const input of this.#inputs) input.destroy();
  }

  say(text: string): void {
    this.#type(`${text}${this.#isTty ? '\r' : '\n'}`);
  }

  /** Typed in full, a label is an answer to the card that is asked. */
  press(label: string): void {
    this.say(label);
  }

  seen(): string {
    return this.#screen.text();
  }

  async deliverRubbish(): Promise<void> {
    // What ends the input or stops the run is no rubbish.
    const bytes = fc.integer({ min: 0, max: 255 }).filter((byte) => ![3, 4, 26].includes(byte));
    const chunks = fc.sample(fc.array(bytes, { maxLength: 40 }), { numRuns: 100, seed: 7 });
    for (const chunk of chunks) this.#type(Buffer.from(chunk));
    // An unfinished sequence takes the first of these.
    this.#type('\r\r\u0015\r\n');
  }

  #type(keys: string | Buffer): void {
    for (const input of this.#inputs) input.write(keys);
  }
}

function keyboardScreen(): Screen {
  const screen = new VirtualScreen(columns);
  return { write: (output) => screen.write(output), text: () => screen.rows.join('\n') };
}

function pipeScreen(): Screen {
  const chunks: string[] = [];
  return { write: (output) => chunks.push(output), text: () => chunks.join('') };
}
