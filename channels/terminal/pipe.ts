import type { Readable } from 'node:stream';
import { TextDecoder } from 'node:util';
import type { ChannelHost, InboundEvent } from '../../src/contract.ts';
import { sleep, untilAborted } from '../../src/lib/clock.ts';
import { type Dialogue, localConversation } from './dialogue.ts';
import { terminalWords } from './words.ts';

/** Limit of a line, in characters. */
const longestLine = 1_048_576;
/** Pauses before an unstored line is retried, in ms: a pipe cannot deliver it again. */
const firstPause = 1000;
const longestPause = 30_000;

interface Pipe {
  readonly input: Readable;
  readonly host: ChannelHost;
  readonly dialogue: Dialogue;
  /** Aborts when reading stops. */
  readonly signal: AbortSignal;
}

/** Reads lines from a pipe, the next one when the conversation is idle. Returns a function that stops reading. */
export function readPipe(input: Readable, host: ChannelHost, dialogue: Dialogue): () => void {
  const stopping = new AbortController();
  // Stays after the stop. A failing read between two lines is a normal end of the input.
  input.on('error', (error) => host.log.warn({ error }, 'The pipe cannot be read any more'));
  readAll({ input, host, dialogue, signal: stopping.signal }).catch((error: unknown) => {
    host.log.error({ error }, 'Reading from the pipe failed');
    host.reportHealth({ status: 'failing', reason: (language) => terminalWords[language].pipeBroken });
    host.reportEnd();
  });
  return () => stopping.abort();
}

async function readAll(pipe: Pipe): Promise<void> {
  const { input, host, dialogue, signal } = pipe;
  for await (const line of readLines(input, longestLine, signal)) {
    await take(line, pipe);
    await idle(pipe);
  }
  await idle(pipe);
  if (signal.aborted) return;
  const farewell = dialogue.farewell();
  if (farewell !== undefined) dialogue.say(farewell);
  host.reportEnd();
}

/** After an abort, Keyturn may be closed already. */
async function idle({ host, signal }: Pipe): Promise<void> {
  if (!signal.aborted) await untilAborted(host.whenIdle(localConversation), signal);
}

async function take(line: InputLine, pipe: Pipe): Promise<void> {
  const { dialogue } = pipe;
  if (line.type === 'too-long') return dialogue.say(dialogue.words().lineTooLong({ most: longestLine }));
  if (line.text.trim() === '') return;
  const heard = dialogue.hear(line.text, dialogue.asked());
  if (heard !== 'late') await deliver(heard, pipe);
}

async function deliver(event: InboundEvent, { host, dialogue, signal }: Pipe): Promise<void> {
  for (let pause = firstPause; !signal.aborted; pause = Math.min(pause * 2, longestPause)) {
    try {
      return await dialogue.deliver(event);
    } catch (error) {
      host.log.warn({ error, key: event.key }, 'The event could not be stored and is offered again');
      if (pause === firstPause) dialogue.say(dialogue.words().lineHeld);
      await sleep(host.clock, pause, signal);
    }
  }
}

/** A line, or a mark that one was too long and was skipped. */
type InputLine = { readonly type: 'line'; readonly text: string } | { readonly type: 'too-long' };

/**
 * The lines of a stream without `\n` or `\r\n`; the last one may be unterminated. Reads on demand, and buffers at most
 * a chunk and a line of `longest` characters. Ends with the stream, on abort, and on a read error.
 */
async function* readLines(input: Readable, longest: number, signal: AbortSignal): AsyncGenerator<InputLine> {
  const decoder = new TextDecoder();
  const line = { longest, rest: '', isTooLong: false };
  for (;;) {
    const chunk = await nextChunk(input, signal);
    if (signal.aborted) return;
    const [first = '', ...others] = textOf(chunk, decoder).split('\n');
    addTo(line, first);
    for (const begun of others) {
      yield endOf(line);
      if (signal.aborted) return;
      addTo(line, begun);
    }
    if (chunk === undefined) break;
  }
  if (line.isTooLong || line.rest !== '') yield endOf(line);
}

/** A line that has no end yet. */
interface BegunLine {
  readonly longest: number;
  rest: string;
  isTooLong: boolean;
}

function addTo(line: BegunLine, text: string): void {
  line.isTooLong ||= line.rest.length + text.length > line.longest;
  line.rest = line.isTooLong ? '' : line.rest + text;
}

function endOf(line: BegunLine): InputLine {
  const { rest, isTooLong } = line;
  line.rest = '';
  line.isTooLong = false;
  return isTooLong ? { type: 'too-long' } : { type: 'line', text: rest.replace(/\r$/, '') };
}

function textOf(chunk: unknown, decoder: TextDecoder): string {
  if (chunk === undefined) return decoder.decode();
  return chunk instanceof Uint8Array ? decoder.decode(chunk, { stream: true }) : String(chunk);
}

/** Reads one chunk, with the stream paused before and after; undefined at its end. */
function nextChunk(input: Readable, signal: AbortSignal): Promise<unknown> {
  if (signal.aborted || input.readableEnded || input.destroyed) return Promise.resolve(undefined);
  return new Promise((resolve) => {
    const settle = (chunk?: unknown): void => {
      input.pause();
      input.off('data', settle).off('end', end).off('close', end).off('error', end);
      signal.removeEventListener('abort', end);
      resolve(chunk);
    };
    const end = (): void => settle();
    input.on('data', settle).on('end', end).on('close', end).on('error', end);
    signal.addEventListener('abort', end);
    input.resume();
  });
}
