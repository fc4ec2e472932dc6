import type { ModelAnswer, ModelMessage, ModelRequest } from '../language-model.ts';

/** What the counts of a server show. */
type Shown = ({ readonly type: 'ignored' } & IgnoredTools) | { readonly type: 'cut'; readonly window: number };

/** What was counted, where the tools were not read. In tokens. */
interface IgnoredTools {
  readonly counted: number;
  /** About as many as the request has. */
  readonly sent: number;
}

/**
 * Notices a server that takes tools and does not show them to its model: the tokens that it counts are about those of the
 * messages alone. Twice in a row, for tools of more than 1,000 tokens, with no call ever made. Requests with pictures tell nothing,
 * nor does the same count for messages of another size: that is a window, to which the server cuts requests without a word.
 */
export interface ToolWatch {
  /** An answer to a request that offered tools natively. Undefined as long as it may have read them. */
  heard(request: ModelRequest, answer: ModelAnswer): Shown | undefined;
}

export function createToolWatch(): ToolWatch {
  let hasCalled = false;
  let inARow = 0;
  let last = { counted: 0, messages: 0 };

  return {
    heard(request, { parts, usage }) {
      hasCalled ||= parts.some(({ type }) => type === 'call');
      if (hasCalled) return undefined;
      const { inputTokens: counted } = usage;
      // Nearly always: then nothing is measured, which takes longer than all else that an answer needs here.
      if (isOrdinary(request, counted)) {
        inARow = 0;
        last = { counted, messages: Number.NaN };
        return undefined;
      }
      const tools = tokensOf(JSON.stringify(request.tools));
      const hasPictures = request.messages.some((message) => message.role === 'user' && message.images !== undefined);
      if (hasPictures || tools < leastTools) return undefined;
      const messages = request.messages.reduce(
        (sum, message) => sum + tokensOf(textOf(message)),
        tokensOf(request.system),
      );
      const sent = messages + tools;
      const isSame = last.counted === counted && counted >= leastWindow;
      const isCut = isSame && Math.abs(last.messages - messages) > messages * sameSize;
      last = { counted, messages };
      // A server that leaves out what it had cached, or cuts the request, counts less than the messages.
      const isOfMessages = counted >= messages * leastShare && counted <= messages * 1.5 + 200;
      inARow = !isCut && isOfMessages && counted <= sent / 2 ? inARow + 1 : 0;
      if (isCut && counted <= sent / 2) return { type: 'cut', window: counted };
      return inARow < 2 ? undefined : { type: 'ignored', counted, sent };
    },
  };
}

/** Whether the server has counted most of the request, or so little that it counts something else. */
function isOrdinary({ system, size }: ModelRequest, counted: number): boolean {
  return counted < tokensOf(system) * leastShare || (size !== undefined && counted > size * wholeShare);
}

/** Of what was estimated for the whole request. */
const wholeShare = 0.75;
/** Smaller ones may be lost in the estimate. In tokens. */
const leastTools = 1000;
/** Of the estimate for the messages, which is rather high. */
const leastShare = 0.7;
/** By how much the sizes of messages may differ that have the same count, as a share. */
const sameSize = 0.03;
/** No window is smaller, but some servers count nothing, or leave out what they had cached. In tokens. */
const leastWindow = 1000;

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
