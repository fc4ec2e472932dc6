import type { ModelUsage } from '../../models/language-model.ts';
import type { ToolDefinition } from '../../transcript.ts';

/** The approximate number of tokens in a text. */
export type Measure = (text: string) => number;

export type TokenGauge = ReturnType<typeof createTokenGauge>;

/**
 * Estimates how long texts are for each model, and how much a model accepts, corrected by what providers report. What
 * it learns is lost with the process.
 */
export function createTokenGauge() {
  const factors = new Map<string, number>();
  const limits = new Map<string, number>();
  const sizes = new WeakMap<ToolDefinition, number>();
  const estimateOf = createEstimates();

  const factorOf = (label: string): number => factors.get(label) ?? unknownModel;

  /** An upper bound, except for texts that nobody writes. Cheap. */
  function bound(label: string): Measure {
    const factor = Math.max(1, factors.get(label) ?? 1);
    return (text) => boundOf(text) * factor + perEntry;
  }

  /** A rough estimate for any model. Cheap. */
  const guess: Measure = (text) => Buffer.byteLength(text) / bytesPerToken + perEntry;

  /** The best estimate without the model's own tokenizer; rather too high than too low. */
  async function measure(label: string): Promise<Measure> {
    const { estimateTokenCount } = await import('tokenx');
    const factor = factorOf(label);
    return (text) => estimateOf(text, estimateTokenCount) * factor + perEntry;
  }

  /** The size of tool definitions. Constant for each, so that decisions based on it stay the same. */
  function ofTools(definitions: readonly ToolDefinition[]): number {
    return definitions.reduce((sum, definition) => sum + ofTool(definition), 0);
  }

  /** The largest request that the model accepts: as configured, or less if it has refused one. */
  function limit(label: string, configured: number): number {
    return Math.min(configured, limits.get(label) ?? configured);
  }

  /** The model has refused a request of about this size as too long. */
  function refused(label: string, configured: number, size: number): void {
    const lower = Math.min(limit(label, configured), size) * afterRefusal;
    limits.set(label, Math.max(lower, Math.min(smallestLimit, configured)));
  }

  /** The model has reported the size of a request that this gauge had estimated. */
  function learn(label: string, estimated: number, { inputTokens }: ModelUsage): void {
    if (estimated < leastToLearnFrom) return;
    const ratio = (inputTokens / estimated) * factorOf(label);
    // Some providers leave out cached tokens.
    if (ratio < leastRatio) return;
    const known = factors.get(label);
    const wanted = Math.min(mostRatio, ratio * safety);
    factors.set(label, known === undefined ? wanted : Math.max(wanted, (known * 3 + wanted) / 4));
  }

  function ofTool(definition: ToolDefinition): number {
    const known = sizes.get(definition);
    if (known !== undefined) return known;
    const size = Math.ceil(JSON.stringify(definition).length / charactersOfTool);
    sizes.set(definition, size);
    return size;
  }

  return { bound, guess, measure, ofTools, limit, refused, learn };
}

/** Caches estimates, up to a total of characters: most of each request was in the one before. */
function createEstimates() {
  const known = new Map<string, number>();
  let characters = 0;
  return (text: string, estimate: (text: string) => number): number => {
    if (text.length < shortText) return estimate(text);
    const found = known.get(text);
    if (found !== undefined) return found;
    if (characters > mostCharacters) {
      known.clear();
      characters = 0;
    }
    const tokens = estimate(text);
    known.set(text, tokens);
    characters += text.length;
    return tokens;
  };
}

const bytesPerToken = 3.5;
const shortText = 100;
const mostCharacters = 2_000_000;

/** At most one token for two ASCII characters, and one for each byte of others. */
function boundOf(text: string): number {
  const bytes = Buffer.byteLength(text);
  return bytes / 2 + (bytes - text.length);
}

/** For a model that has reported nothing yet: estimates are often too low for code and small languages. */
const unknownModel = 1.3;
const safety = 1.1;
const leastRatio = 0.5;
const mostRatio = 5;
/** Smaller requests consist mostly of what is not counted here. In tokens. */
const leastToLearnFrom = 2000;
const smallestLimit = 4000;
/** The share of the refused size to try next. */
const afterRefusal = 0.75;
/** The overhead of a message. In tokens. */
const perEntry = 6;
/** Fewer than in prose: JSON is dense. */
const charactersOfTool = 3.5;
