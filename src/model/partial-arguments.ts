import { isJsonObject, type JsonObject } from '../lib/json.ts';
import { isTooDeep } from './json-depth.ts';
import { readPartialJson } from './partial-json.ts';

/**
 * The arguments of one call while the model writes them. Reading text that breaks off costs as much as the text is long,
 * so it is read again only when it has grown by a quarter: all readings together cost what a few of the whole do.
 */
export class PartialArguments {
  readonly name: string;
  #chunks: string[] = [];
  #length = 0;
  #readAgainAt = smallestStep;
  #lastShown = '{}';

  constructor(name: string) {
    this.name = name;
  }

  /** Everything that the model wrote so far. */
  get text(): string {
    return this.#chunks.join('');
  }

  get isEmpty(): boolean {
    return this.#length === 0;
  }

  /** Adds to the text. Returns the arguments so far if they say more than what was returned before. */
  add(delta: string): JsonObject | undefined {
    this.keep(delta);
    if (this.#length < this.#readAgainAt) return undefined;
    this.#readAgainAt = this.#length + Math.max(smallestStep, this.#length * growth);

    const { text } = this;
    return isTooDeep(text) ? undefined : this.#ifNew(readPartialJson(text));
  }

  /** Adds to the text what nobody needs to be shown. */
  keep(delta: string): void {
    this.#chunks.push(delta);
    this.#length += delta.length;
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
