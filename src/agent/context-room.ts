/** What a request to a model may hold. In tokens. */
export interface ContextSettings {
  /** How much a request holds: instructions, tools and messages, and what is left for the answer. */
  readonly contextTokens: number;
  /** Whether what no longer fits is summarised by the model. */
  readonly summaries: boolean;
  /** Whether the model is told less of each tool: `auto`: where they would take too much of the room. */
  readonly compactTools: 'auto' | 'always' | 'never';
}

/** What is left for messages. Never less than a quarter: then the instructions and tools are too much, and the model says so. */
export function roomForMessages(limit: number, taken: number): number {
  return Math.floor(Math.max(limit - limit * shareOfAnswer - taken, limit / 4));
}

/** Whether tools take so much room that the model is told less of each. */
export function isCrowded(tools: number, limit: number): boolean {
  return tools > limit / 4;
}

const shareOfAnswer = 1 / 8;
