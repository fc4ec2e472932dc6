import type { ModelAbilities, ModelError, ModelUsage } from '../../models/language-model.ts';
import type { ToolDefinition } from '../../transcript.ts';

/** The approximate number of tokens in a text. */
export interface Measure {
  (text: string): number;
  /** In all texts of something that never changes: they are counted once. */
  readonly ofAll?: (whole: object, textsOf: () => readonly string[]) => number;
}

/** What is counted of texts, whichever model reads them. */
interface Weight {
  readonly texts: number;
  readonly tokens: number;
}

/**
 * Estimates how long texts are for each model, and how much a model accepts, corrected by what providers report. What
 * it learns is lost with the process.
 */
export class TokenGauge {
  readonly #factors = new Map<string, number>();
  readonly #refusals = new Map<string, Refusal>();
  readonly #sizes = new WeakMap<ToolDefinition, number>();
  readonly #weights = new WeakMap<object, Weight>();

  /** The estimate for a model. After its first large answer, rather too high than too low. */
  measure(label: string): Measure {
    const factor = this.#factorOf(label);
    return Object.assign((text: string) => tokensOf(text) * factor + perEntry, {
      ofAll: (whole: object, textsOf: () => readonly string[]): number => {
        const { texts, tokens } = this.#weightOf(whole, textsOf);
        return tokens * factor + texts * perEntry;
      },
    });
  }

  /** The size of tool definitions. Constant for each, so that decisions based on it stay the same. */
  ofTools(definitions: readonly ToolDefinition[]): number {
    return definitions.reduce((sum, definition) => sum + this.#sizeOf(definition), 0);
  }

  /**
   * The largest request that the model accepts, with its answer: as configured for it, or for all if its window is no smaller; or
   * less if it has refused one, as long as its window is what it was then, if `ofModel` tells what is known of it now.
   */
  limit(label: string, configured: number, ofModel?: KnownWindow): number {
    const { window, windowFrom } = ofModel ?? {};
    const known = windowFrom === 'config' ? (window ?? configured) : Math.min(configured, window ?? configured);
    const refusal = this.#refusals.get(label);
    // What the config says does not change with the server.
    const mayChange = ofModel !== undefined && windowFrom !== 'config';
    const isOver = mayChange && refusal?.window !== undefined && refusal.window !== window;
    return refusal === undefined || isOver ? known : Math.min(known, refusal.limit);
  }

  /** The model has refused a request of about this size as too long: `told` is what it said of its window and that size. */
  refused(label: string, configured: number, size: number, told: ToldSize = {}): void {
    const { window } = told;
    if (window !== undefined) {
      // In the tokens of this gauge: the server may count more than it does.
      const own = window * Math.min(1, size / (told.size ?? size));
      this.#refusals.set(label, { window, limit: Math.floor(size <= own ? size * afterRefusal : own) });
      return;
    }
    const lower = Math.min(this.limit(label, configured), size) * afterRefusal;
    this.#refusals.set(label, { limit: Math.max(lower, Math.min(smallestLimit, configured)) });
  }

  /** The model has reported the size of a request that this gauge had estimated. */
  learn(label: string, estimated: number, { inputTokens }: ModelUsage): void {
    if (estimated < leastToLearnFrom) return;
    const ratio = (inputTokens / estimated) * this.#factorOf(label);
    // Some providers leave out cached tokens.
    if (ratio < leastRatio) return;
    const known = this.#factors.get(label);
    const wanted = Math.min(mostRatio, ratio * safety);
    this.#factors.set(label, known === undefined ? wanted : Math.max(wanted, (known * 3 + wanted) / 4));
  }

  #factorOf(label: string): number {
    return this.#factors.get(label) ?? 1;
  }

  #weightOf(whole: object, textsOf: () => readonly string[]): Weight {
    const known = this.#weights.get(whole);
    if (known !== undefined) return known;
    const texts = textsOf();
    const weight = { texts: texts.length, tokens: texts.reduce((sum, text) => sum + tokensOf(text), 0) };
    this.#weights.set(whole, weight);
    return weight;
  }

  #sizeOf(definition: ToolDefinition): number {
    const size = this.#sizes.get(definition) ?? tokensOf(JSON.stringify(definition));
    this.#sizes.set(definition, size);
    return size;
  }
}

/** What is known of a model's window. */
type KnownWindow = Pick<ModelAbilities, 'window' | 'windowFrom'>;
type ToldSize = Partial<Pick<ModelError, 'window' | 'size'>>;

interface Refusal {
  readonly limit: number;
  /** The model's window at that time, if it told it. */
  readonly window?: number;
}

/** The usual number of tokens in a text. */
export function tokensOf(text: string): number {
  return Math.ceil(Buffer.byteLength(text) / bytesPerToken);
}

/** As in code and JSON, and about as in Chinese. English prose has more. */
export const bytesPerToken = 3.5;
const safety = 1.1;
const leastRatio = 0.5;
const mostRatio = 5;
/** Smaller requests consist mostly of what is not counted here. In tokens. */
const leastToLearnFrom = 2000;
/** Where a refusal tells no window, since it may have another cause. In tokens. */
const smallestLimit = 4000;
/** The share of the refused size to try next. */
const afterRefusal = 0.75;
/** The overhead of a message. In tokens. */
const perEntry = 6;
