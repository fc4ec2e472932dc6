import type { Readable } from 'node:stream';
import type { ChannelHost, InboundEvent } from '../../src/contract.ts';
import { sleep } from '../../src/lib/clock.ts';
import type { Dialogue } from './dialogue.ts';
import type { Display } from './display.ts';
import { localConversation } from './local.ts';
import { type InputLine, readLines } from './read-lines.ts';

/** In characters. */
const longestLine = 1_048_576;
/** In milliseconds: a pipe cannot deliver a line again, so what could not be stored is held and offered again. */
const firstPause = 1000;
const longestPause = 30_000;

interface PipeDependencies {
  readonly input: Readable;
  readonly host: ChannelHost;
  readonly dialogue: Dialogue;
  readonly display: Display;
}

/** Lines from a pipe, one after the other: the next is read when nothing is left to do for the one before. */
export class Pipe {
  readonly #dependencies: PipeDependencies;
  readonly #stopping = new AbortController();

  constructor(dependencies: PipeDependencies) {
    this.#dependencies = dependencies;
  }

  /** Begins to read. */
  open(): void {
    const { input, host } = this.#dependencies;
    // It stays when the channel stops. A read that fails between two lines is an end of the input like any other.
    input.on('error', (error) => host.log.warn({ error }, 'The pipe cannot be read any more'));
    this.#run().catch((error: unknown) => {
      host.log.error({ error }, 'Reading from the pipe failed');
      host.reportHealth({ status: 'dead', reason: 'Reading from the pipe failed. Start Keyturn again.' });
    });
  }

  close(): void {
    this.#stopping.abort();
  }

  async #run(): Promise<void> {
    const { input, host, dialogue, display } = this.#dependencies;
    const { signal } = this.#stopping;
    for await (const line of readLines(input, longestLine, signal)) {
      await this.#take(line);
      await unlessAborted(host.whenIdle(localConversation), signal);
    }
    if (signal.aborted) return;
    await unlessAborted(host.whenIdle(localConversation), signal);
    if (signal.aborted) return;
    if (dialogue.farewell !== undefined) display.printSoon(dialogue.farewell);
    host.reportEnd();
  }

  async #take(line: InputLine): Promise<void> {
    const { dialogue } = this.#dependencies;
    if (line.type === 'too-long') {
      return dialogue.say(
        `A line was left out: it is longer than ${longestLine} characters. Split it, or save it in the workspace and ask me to read it.`,
      );
    }
    if (line.text.trim() === '') return;
    const heard = dialogue.hear(line.text, dialogue.asked);
    if (heard.type !== 'late') await this.#deliver(heard.event);
  }

  async #deliver(event: InboundEvent): Promise<void> {
    const { host, dialogue } = this.#dependencies;
    const { signal } = this.#stopping;
    for (let pause = firstPause; !signal.aborted; pause = Math.min(pause * 2, longestPause)) {
      try {
        return await dialogue.deliver(event);
      } catch (error) {
        host.log.warn({ error, key: event.key }, 'The event could not be stored and is offered again');
        if (pause === firstPause) dialogue.say('A line could not be stored. It is held here and tried again.');
        await sleep(host.clock, pause, signal);
      }
    }
  }
}

function unlessAborted(work: Promise<void>, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve, reject) => {
    const leave = (): void => resolve();
    signal.addEventListener('abort', leave, { once: true });
    work.finally(() => signal.removeEventListener('abort', leave)).then(resolve, reject);
  });
}
