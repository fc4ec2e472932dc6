import { PassThrough } from 'node:stream';
import fc from 'fast-check';
import { createTerminal } from '../../channels/terminal/index.ts';
import { VirtualScreen } from '../channels/terminal/virtual-screen.ts';
import type { Platform } from './platform.ts';

/** So wide that no text is broken. */
const columns = 100_000;

/** Where a terminal shows what it is sent. */
interface Screen {
  write(output: string): void;
  text(): string;
}

/** Somebody at a keyboard. */
export async function openKeyboard(): Promise<Platform> {
  return terminalWith(keyboardScreen(), true);
}

/** Lines from a pipe. */
export async function openPipe(): Promise<Platform> {
  return terminalWith(pipeScreen(), false);
}

/** Each process has streams of its own, and shows on the same screen. */
function terminalWith(screen: Screen, isTty: boolean): Platform {
  /** One for each process. What is typed reaches the one that still reads. */
  const inputs: PassThrough[] = [];

  function type(keys: string | Buffer): void {
    for (const input of inputs) input.write(keys);
  }

  function say(text: string): void {
    type(`${text}${isTty ? '\r' : '\n'}`);
  }

  return {
    ...{ channel: 'terminal', settings: { enabled: true }, owner: 'local', say },
    home: { channel: 'terminal', chatId: 'local', kind: 'direct' },
    nowhere: { channel: 'terminal', chatId: 'elsewhere', kind: 'direct' },

    connect() {
      const output = new PassThrough();
      output.setEncoding('utf8');
      output.on('data', (chunk: string) => screen.write(chunk));
      const input = new PassThrough();
      inputs.push(input);
      return createTerminal({ input, output, isTty, columns, color: false });
    },

    async close() {
      for (const input of inputs) input.destroy();
    },

    /** Typed in full, a label is an answer to the card that is asked. */
    press: say,
    seen: () => screen.text(),

    async deliverRubbish() {
      // What ends the input or stops the run is no rubbish.
      const bytes = fc.integer({ min: 0, max: 255 }).filter((byte) => ![3, 4, 26].includes(byte));
      const chunks = fc.sample(fc.array(bytes, { maxLength: 40 }), { numRuns: 100, seed: 7 });
      for (const chunk of chunks) type(Buffer.from(chunk));
      // An unfinished sequence takes the first of these.
      type('\r\r\u0015\r\n');
    },
  };
}

function keyboardScreen(): Screen {
  const screen = new VirtualScreen(columns);
  return { write: (output) => screen.write(output), text: () => screen.rows.join('\n') };
}

function pipeScreen(): Screen {
  const chunks: string[] = [];
  return { write: (output) => chunks.push(output), text: () => chunks.join('') };
}
