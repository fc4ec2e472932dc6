import { WebSocket } from 'ws';
import { isJsonObject } from '../../../../src/lib/json.ts';
import { completed, type FrameSurroundings } from './added-to-frames.ts';

export interface BridgeDependencies {
  /** The connection of the bot. */
  readonly bot: WebSocket;
  readonly twinUrl: string;
  readonly surroundings: FrameSurroundings;
  readonly onMistake: (error: unknown) => void;
}

const resume = 6;
const invalidSession = { op: 9, d: false, s: null, t: null } as const;

/** One connection of the bot to the twin's gateway. A session that was lost can't be gone on with, and the bot is told so. */
export class GatewayBridge {
  readonly #bot: WebSocket;
  readonly #twin: WebSocket;
  /** What came from the twin so far has reached the bot. */
  #passed: Promise<void> = Promise.resolve();

  constructor({ bot, twinUrl, surroundings, onMistake }: BridgeDependencies) {
    this.#bot = bot;
    this.#twin = new WebSocket(twinUrl);
    for (const [socket, other] of [
      [bot, this.#twin],
      [this.#twin, bot],
    ] as const) {
      // What breaks is closed afterwards.
      socket.on('error', () => undefined);
      socket.on('close', () => other.terminate());
    }
    bot.on('message', (data) => this.#take(String(data)));
    this.#twin.on('message', (data) => {
      this.#passed = this.#passed.then(() => this.#pass(String(data), surroundings)).catch(onMistake);
    });
  }

  /** Breaks it without a word. */
  drop(): void {
    this.#bot.terminate();
  }

  #take(text: string): void {
    const frame: unknown = JSON.parse(text);
    if (isJsonObject(frame) && frame.op === resume) this.#bot.send(JSON.stringify(invalidSession));
    else this.#twin.send(text);
  }

  async #pass(text: string, surroundings: FrameSurroundings): Promise<void> {
    const frame: unknown = JSON.parse(text);
    if (!isJsonObject(frame)) throw new Error('The twin sends something that is no frame.');
    const whole = await completed(frame, surroundings);
    if (this.#bot.readyState === WebSocket.OPEN) this.#bot.send(JSON.stringify(whole));
  }
}
