import { PassThrough } from 'node:stream';
import { vi } from 'vitest';
import { createTerminal } from '../../../channels/terminal/index.ts';
import type { Button, ChannelAdapter, Conversation, OutboundMessage, ReplyStream } from '../../../src/contract.ts';
import { Changes } from '../../support/wait-for.ts';
import { FakeHost } from './fake-host.ts';
import { FakeProcess } from './fake-process.ts';
import { VirtualScreen } from './virtual-screen.ts';

export const here: Conversation = { channel: 'terminal', chatId: 'local', kind: 'direct' };

/** A started terminal with somebody, or a pipe, at it. */
export interface Seat {
  readonly terminal: ChannelAdapter;
  readonly host: FakeHost;
  readonly process: FakeProcess;
  /** Whether keys come one by one: the modes that were set, in their order. */
  readonly rawModes: readonly boolean[];
  readonly input: PassThrough;
  readonly output: PassThrough;
  readonly screen: VirtualScreen;
  /** All that was written, as it was written. */
  written(): string;
  /** Waits until that was written. */
  wrote(text: string): Promise<void>;
  /** Waits until that was written behind the bar, in however many rows. */
  said(words: string): Promise<void>;
  /** The window gets another width, in columns. */
  resize(width: number): void;
  type(keys: string): void;
  /** Types a line, and waits until the host has received it, or what it stands for. */
  enter(line: string, received?: string): Promise<void>;
  /** A reply that is being written: it begins when a test first takes it. */
  readonly stream: ReplyStream;
  /** Pastes, as a terminal does that marks it. */
  paste(text: string): void;
}

export interface SeatOptions {
  readonly isTty?: boolean;
  readonly columns?: number;
  readonly color?: boolean;
  readonly host?: FakeHost;
}

/** Takes a seat at a terminal, or at a pipe. */
export async function takeSeat(options: SeatOptions = {}): Promise<Seat> {
  const { isTty = true, columns = 40, color = false, host = new FakeHost() } = options;
  const rawModes: boolean[] = [];
  const input = Object.assign(new PassThrough(), { setRawMode: (isRaw: boolean) => rawModes.push(isRaw) });
  const process = new FakeProcess();
  const output = Object.assign(new PassThrough(), { columns });
  const screen = new VirtualScreen(columns);
  const changes = new Changes();
  let written = '';
  output.on('data', (chunk) => {
    written += String(chunk);
    screen.write(String(chunk));
    changes.notify();
  });
  // readline draws nothing on a dumb terminal.
  vi.stubEnv('TERM', 'xterm');
  const terminal = createTerminal({ input, output, isTty, color, process });
  await terminal.start(host);
  return {
    terminal,
    host,
    process,
    rawModes,
    input,
    output,
    screen,
    written: () => written,
    resize(width) {
      output.columns = width;
      screen.resize(width);
      output.emit('resize');
    },
    wrote: async (text) => {
      await changes.waitFor(() => written.includes(text), { what: text, describe: () => written });
    },
    said: async (words) => {
      const isThere = (): boolean => written.replace(/\n│ |\s/g, '').includes(words.replace(/\s/g, ''));
      await changes.waitFor(isThere, { what: words, describe: () => written });
    },
    type: (keys) => void input.write(keys),
    enter: async (line, received = line) => {
      input.write(`${line}\r`);
      await host.told(`received ${received}`);
    },
    get stream() {
      const stream = terminal.openStream?.(here);
      if (stream === undefined) throw new Error('There is no stream.');
      return stream;
    },
    paste: (text) => void input.write(`\u001b[200~${text}\u001b[201~`),
  };
}

/** Takes a seat at the end of a pipe. */
export function takePipe(host?: FakeHost): Promise<Seat> {
  return takeSeat({ isTty: false, ...(host && { host }) });
}

export function message(markdown: string, more: Partial<OutboundMessage> = {}): OutboundMessage {
  return { id: 'm1', kind: 'reply', markdown, ...more };
}

const buttons: readonly (readonly Button[])[] = [
  [
    { actionId: 'ok', label: 'Yes once', shortcut: 'y', style: 'primary' },
    { actionId: 'quarter', label: '15 min', shortcut: '15', style: 'plain' },
  ],
  [
    { actionId: 'always', label: 'Always', shortcut: 'a', style: 'plain' },
    { actionId: 'deny', label: 'Deny', shortcut: 'n', style: 'danger' },
  ],
];

/** A card whose buttons carry its id: `ok:1`. */
export function card(id: string, markdown = `Card ${id}`): OutboundMessage {
  const own = buttons.map((row) => row.map((button) => ({ ...button, actionId: `${button.actionId}:${id}` })));
  return { id, kind: 'card', markdown, buttons: own };
}
