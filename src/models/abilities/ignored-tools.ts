import type { ModelAnswer, ModelMessage, ModelRequest } from '../language-model.ts';

/** What was counted, where the tools were not read. In tokens. */
export interface IgnoredTools {
  readonly counted: number;
  /** About as many as the request has. */
  readonly sent: number;
}

/**
 * Notices a server that takes tools and does not show them to its model: the tokens that it counts are about those of the
 * messages alone. Twice in a row, for tools of more than 1,000 tokens, with no call ever made. Requests with pictures tell nothing.
 */
export function createToolWatch() {
  let hasCalled = false;
  let inARow = 0;

  return {
    /** An answer to a request that offered tools natively. Undefined as long as it may have read them. */
    heard(request: ModelRequest, { parts, usage }: ModelAnswer): IgnoredTools | undefined {
      hasCalled ||= parts.some(({ type }) => type === 'call');
      const tools = tokensOf(JSON.stringify(request.tools));
      const hasPictures = request.messages.some((message) => message.role === 'user' && message.images !== undefined);
      if (hasCalled || hasPictures || tools < leastTools) return undefined;
      const messages = request.messages.reduce(
        (sum, message) => sum + tokensOf(textOf(message)),
        tokensOf(request.system),
      );
      const { inputTokens: counted } = usage;
      const sent = messages + tools;
      // A server that leaves out what it had cached counts less than the messages.
      const isOfMessages = counted >= messages / 4 && counted <= messages * 1.5 + 200;
      inARow = isOfMessages && counted <= sent / 2 ? inARow + 1 : 0;
      return inARow < 2 ? undefined : { counted, sent };
    },
  };
}

/** Smaller ones may be lost in the estimate. In tokens. */
const leastTools = 1000;

function tokensOf(text: string): number {
  return Math.ceil(Buffer.byteLength(text) / 3.5);
}

function textOf(message: ModelMessage): string {
  switch (message.role) {
    case 'user':
      return message.text;
    case 'assistant':
      return JSON.stringify(message.parts);
    case 'results':
      return message.results.map(({ text }) => text).join('\n');
  }
}
