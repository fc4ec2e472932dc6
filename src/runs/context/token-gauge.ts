import type { ModelUsage } from '../../models/language-model.ts';
import type { ToolDefinition } from '../../transcript.ts';

/** How many tokens a text is, about. */
export type Measure = (text: string) => number;

export type TokenGauge = ReturnType<typeof createTokenGauge>;

/**
 * How long texts are for each model, and how much of them it takes: estimates, corrected by what providers report. What it
 * has learnt lasts as long as the process.
 */
export function createTokenGauge() {
  const factors = new Map<string, number>();
  const limits = new Map<string, number>();
  const sizes = new WeakMap<ToolDefinition, number>();
  const estimateOf = createEstimates();

  const factorOf = (label: string): number => factors.get(label) ?? unknownModel;

  /** Never less than it is, but for texts that nobody writes. Costs next to nothing. */
  function bound(label: string): Measure {
    const factor = Math.max(1, factors.get(label) ?? 1);
    return (text) => boundOf(text) * factor + perEntry;
  }

  /** About what it is for any model, more or less. Costs next to nothing. */
  const guess: Measure = (text) => Buffer.byteLength(text) / bytesPerToken + perEntry;

  /** As near as can be said without the model's own tokenizer, and rather more than less. */
  async function measure(label: string): Promise<Measure> {
    const { estimateTokenCount } = await import('tokenx');
    const factor = factorOf(label);
    return (text) => estimateOf(text, estimateTokenCount) * factor + perEntry;
  }

  /** What the definitions of tools take up. The same at every call, so that what follows from it stays the same. */
  function ofTools(definitions: readonly ToolDefinition[]): number {
    return definitions.reduce((sum, definition) => sum + ofTool(definition), 0);
  }

  /** How much the model takes in one request: what the config says, or less if it has refused so much. */
  function limit(label: string, configured: number): number {
    return Math.min(configured, limits.get(label) ?? configured);
  }

  /** The model has refused a request of about so many tokens for its length. */
  function refused(label: string, configured: number, size: number): void {
    const lower = Math.min(limit(label, configured), size) * afterRefusal;
    limits.set(label, Math.max(lower, Math.min(smallestLimit, configured)));
  }

  /** The model has told how long a request was that had been estimated, by the measure of this gauge. */
  function learn(label: string, estimated: number, { inputTokens }: ModelUsage): void {
    if (estimated < leastToLearnFrom) return;
    const ratio = (inputTokens / estimated) * factorOf(label);
    // Some providers leave out what they had cached.
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

/** Each request is measured, and most of it was in the one before: what was estimated is kept, up to so many characters. */
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

/** Two ASCII characters are a token at least; of all others, a byte is. */
function boundOf(text: string): number {
  const bytes = Buffer.byteLength(text);
  return bytes / 2 + (bytes - text.length);
}

/** For a model that has not told anything yet: estimates are often too low for code and small languages. */
const unknownModel = 1.3;
const safety = 1.1;
const leastRatio = 0.5;
const mostRatio = 5;
/** Of small requests, most is what is not counted here. In tokens. */
const leastToLearnFrom = 2000;
const smallestLimit = 4000;
/** The next one is tried with so much of it. */
const afterRefusal = 0.75;
/** What a message costs beside its words. */
const perEntry = 6;
/** Fewer than in prose: JSON is dense. */
const charactersOfTool = 3.5;
