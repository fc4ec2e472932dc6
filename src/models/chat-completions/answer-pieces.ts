import { isJsonObject, type JsonObject, type JsonValue } from '../../lib/json.ts';
import type { AnswerPiece, Finish } from '../answer-source.ts';
import { type CallDelta, type CalledTools, createCalledTools, NamelessCall } from './called-tools.ts';
import { ownKey } from './request-body.ts';

/** Reads the chunks of one answer, as the dialect gives them. */
export interface PieceReader {
  /** What these chunks bring: one piece for all text in a row. */
  take(chunks: readonly JsonObject[]): readonly AnswerPiece[];
  /** Whole calls, and how it ended. Less if it is odd. */
  end(): readonly AnswerPiece[];
  /** Whether a call belongs to no tool: what came before it is read, and nothing else. */
  readonly isOdd: boolean;
}

export function createPieceReader(): PieceReader {
  return new Pieces();
}

type Kind = 'text' | 'reasoning';

class Pieces implements PieceReader {
  #pieces: AnswerPiece[] = [];
  readonly #calls: CalledTools = createCalledTools(ownKey);
  /** Which prose is being written. */
  #open: Kind | undefined;
  #usage: JsonObject | undefined;
  #reason: string | undefined;
  #hasRefused = false;
  #isOdd = false;

  get isOdd(): boolean {
    return this.#isOdd;
  }

  take(chunks: readonly JsonObject[]): readonly AnswerPiece[] {
    return this.#taken(() => {
      for (const chunk of chunks) this.#takeChunk(chunk);
    });
  }

  end(): readonly AnswerPiece[] {
    this.#close();
    return this.#taken(() => {
      if (this.#isOdd) return;
      for (const piece of this.#calls.end()) this.#pieces.push(piece);
      this.#pieces.push({ type: 'finish', finishReason: this.#finishReason(), usage: usageOf(this.#usage) });
    });
  }

  /** The pieces that reading has brought, up to a call that is odd. */
  #taken(read: () => void): readonly AnswerPiece[] {
    try {
      read();
    } catch (error) {
      if (!(error instanceof NamelessCall)) throw error;
      this.#isOdd = true;
    }
    const pieces = this.#pieces;
    this.#pieces = [];
    return pieces;
  }

  #takeChunk({ usage, choices }: JsonObject): void {
    if (isJsonObject(usage)) this.#usage = usage;
    const choice: JsonValue | undefined = Array.isArray(choices) ? choices[0] : undefined;
    if (!isJsonObject(choice)) return;
    if (typeof choice.finish_reason === 'string') this.#reason = choice.finish_reason;
    if (!isJsonObject(choice.delta)) return;
    const { content, reasoning_content: thoughts, reasoning, refusal, tool_calls: calls } = choice.delta;
    // Thoughts come before the text. Some servers leave one of the two names empty.
    this.#write('reasoning', thoughts || reasoning);
    if (Array.isArray(content)) for (const part of content) this.#takePart(part);
    else this.#write('text', content);
    if (typeof refusal === 'string' && refusal !== '') this.#hasRefused = true;
    this.#write('text', refusal);
    if (!Array.isArray(calls)) return;
    if (this.#open === 'reasoning') this.#close();
    for (const call of calls) if (isJsonObject(call)) this.#push(this.#calls.take(deltaOf(call)));
  }

  #takePart(part: JsonValue): void {
    if (!isJsonObject(part)) return;
    if (part.type === 'text') this.#write('text', part.text);
    if (part.type !== 'thinking' || !Array.isArray(part.thinking)) return;
    const thoughts = part.thinking.map((one: JsonValue) =>
      isJsonObject(one) && one.type === 'text' && typeof one.text === 'string' ? one.text : '',
    );
    this.#write('reasoning', thoughts.join(''));
  }

  #write(kind: Kind, delta: JsonValue | undefined): void {
    if (typeof delta !== 'string' || delta === '') return;
    if (this.#open !== kind) this.#close();
    this.#open = kind;
    this.#push([{ type: `${kind}-delta`, id: '0', delta }]);
  }

  #close(): void {
    if (this.#open !== undefined) this.#pieces.push({ type: `${this.#open}-end`, id: '0' });
    this.#open = undefined;
  }

  #push(pieces: readonly AnswerPiece[]): void {
    for (const piece of pieces) {
      const last = this.#pieces.at(-1);
      const isMore = last !== undefined && 'delta' in last && 'delta' in piece && last.type === piece.type;
      if (isMore && last.id === piece.id)
        this.#pieces[this.#pieces.length - 1] = { ...last, delta: last.delta + piece.delta };
      else this.#pieces.push(piece);
    }
  }

  #finishReason(): Finish['finishReason'] {
    const raw = this.#reason;
    switch (raw?.toLowerCase()) {
      case undefined:
        return { unified: 'error', raw };
      case 'stop':
        return { unified: this.#hasRefused ? 'content-filter' : 'stop', raw };
      case 'length':
      case 'max_tokens':
      case 'model_length':
      case 'model_context_window_exceeded':
        return { unified: 'length', raw };
      case 'content_filter':
      case 'safety':
      case 'sensitive':
        return { unified: 'content-filter', raw };
      case 'function_call':
      case 'tool_calls':
        return { unified: 'tool-calls', raw };
      // Servers have reasons of their own.
      default:
        return { unified: 'other', raw };
    }
  }
}

function deltaOf({ index, id, function: called, extra_content: extra }: JsonObject): CallDelta {
  const { name, arguments: text } = isJsonObject(called) ? called : {};
  const google = isJsonObject(extra) && isJsonObject(extra.google) ? extra.google : {};
  const { thought_signature: signature } = google;
  return {
    index: typeof index === 'number' ? index : undefined,
    id: typeof id === 'string' ? id : undefined,
    name: typeof name === 'string' ? name : undefined,
    arguments: typeof text === 'string' ? text : '',
    signature: typeof signature === 'string' && signature !== '' ? signature : undefined,
  };
}

function usageOf(usage: JsonObject | undefined): Finish['usage'] {
  const total = usage && countIn(usage, 'prompt_tokens');
  const written = usage && countIn(usage, 'completion_tokens');
  const cacheRead = usage && countIn(usage.prompt_tokens_details, 'cached_tokens');
  const unknown = undefined;
  return {
    inputTokens: { total, cacheRead, noCache: unknown, cacheWrite: unknown },
    outputTokens: { total: written, text: unknown, reasoning: unknown },
  };
}

function countIn(counts: JsonValue | undefined, key: string): number {
  const count = isJsonObject(counts) ? counts[key] : undefined;
  return typeof count === 'number' ? count : 0;
}
