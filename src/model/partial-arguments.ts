import { isJsonObject, type JsonObject } from '../lib/json.ts';
import { isTooDeep } from './json-depth.ts';

/**
 * The arguments of one call while the model writes them. Reading text that breaks off costs as much as the text is long,
 * so it is read again only when it has grown by a quarter: all readings together cost what a few of the whole do.
 */
export class PartialArguments {
  readonly name: string;
  #chunks: string[] = [];
  #length = 0;
  #readAgainAt = 0;
  #lastShown = '{}';

  constructor(name: string) {
    this.name = name;
  }

  /** Everything that the model wrote so far. */
  get text(): string {
    return this.#chunks.join('');
  }

  /** Adds to the text. Resolves to the arguments so far if they say more than what was returned before. */
  async add(delta: string): Promise<JsonObject | undefined> {
    this.#chunks.push(delta);
    this.#length += delta.length;
    if (this.#length < this.#readAgainAt) return undefined;
    this.#readAgainAt = this.#length + Math.max(smallestStep, this.#length * growth);

    const { text } = this;
    if (isTooDeep(text)) return undefined;
    // Loaded with the first call that streams its arguments: a chat without tools does without it.
    const { parsePartialJson } = await import('ai');
    const { value } = await parsePartialJson(text);
    return this.#ifNew(value);
  }

  /** Takes the complete arguments. Returns them if they say more than what was returned before. */
  complete(value: unknown): JsonObject | undefined {
    return this.#ifNew(value);
  }

  #ifNew(value: unknown): JsonObject | undefined {
    if (!isJsonObject(value)) return undefined;
    const shown = JSON.stringify(value);
    if (shown === this.#lastShown) return undefined;
    this.#lastShown = shown;
    return value;
  }
}

/** In characters: fewer are not worth a reading of their own. */
const smallestStep = 8;
const growth = 0.25;
