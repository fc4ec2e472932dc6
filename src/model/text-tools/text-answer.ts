import type { AnswerPart, ModelEvent } from '../language-model.ts';
import { PartialArguments } from '../partial-arguments.ts';
import type { AnswerPiece } from './answer-parser.ts';
import { type CallEnd, readCall, readPartialCall } from './read-call.ts';

/** A call that is being written. */
interface OpenCall {
  readonly modelCallId: string;
  readonly written: PartialArguments;
  /** Its arguments may have begun: a second brace was written. */
  hasArguments: boolean;
  /** The arguments that were shown last. */
  shown: string;
}

interface Prose {
  readonly type: 'text' | 'reasoning';
  readonly deltas: string[];
}

/** Puts an answer together from the pieces of its text. */
export class TextAnswer {
  readonly #parts: (Prose | Extract<AnswerPart, { type: 'call' }>)[] = [];
  #calls = 0;
  #open: OpenCall | undefined;

  /** Takes the next pieces. Returns what can be shown of them. */
  take(pieces: readonly AnswerPiece[]): readonly ModelEvent[] {
    const events: ModelEvent[] = [];
    for (const [index, piece] of pieces.entries()) {
      const event = this.#take(piece, pieces[index + 1]?.type === 'call-end');
      if (event !== undefined) events.push(event);
    }
    return events;
  }

  get endsInCall(): boolean {
    return this.#parts.at(-1)?.type === 'call';
  }

  /** The parts as they stand. What is only space between calls is none. */
  get parts(): readonly AnswerPart[] {
    return this.#parts.flatMap((part): readonly AnswerPart[] => {
      if (part.type === 'call') return [part];
      const text = part.deltas.join('');
      return text.trim() === '' ? [] : [{ type: part.type, text }];
    });
  }

  #take(piece: AnswerPiece, isWhole: boolean): ModelEvent | undefined {
    switch (piece.type) {
      case 'text':
      case 'reasoning':
        this.#write(piece.type, piece.delta);
        return { type: piece.type, delta: piece.delta };
      case 'call-begin':
        this.#calls += 1;
        this.#open = {
          modelCallId: `call_${this.#calls}`,
          written: new PartialArguments(''),
          hasArguments: false,
          shown: '',
        };
        return undefined;
      case 'call':
        return this.#open && this.#show(this.#open, piece.delta, isWhole);
      case 'call-end':
        return this.#open && this.#endCall(this.#open, piece.end);
    }
  }

  #write(type: Prose['type'], delta: string): void {
    const last = this.#parts.at(-1);
    if (last?.type === type) last.deltas.push(delta);
    else this.#parts.push({ type, deltas: [delta] });
  }

  #show(call: OpenCall, delta: string, isWhole: boolean): ModelEvent | undefined {
    call.hasArguments ||= delta.includes('{', call.written.isEmpty ? 1 : 0);
    // What is whole already need not be read in part.
    if (isWhole || !call.hasArguments) {
      call.written.keep(delta);
      return undefined;
    }
    const value = call.written.add(delta);
    const soFar = value && readPartialCall(value);
    return soFar && partialCall(call, soFar);
  }

  #endCall(call: OpenCall, end: CallEnd): ModelEvent | undefined {
    const { modelCallId, written } = call;
    const made = readCall(written.text, end);
    this.#parts.push({ type: 'call', modelCallId, ...made });
    this.#open = undefined;
    return typeof made.arguments === 'string' ? undefined : partialCall(call, made);
  }
}

/** Undefined if it would show nothing new. */
function partialCall(
  call: OpenCall,
  soFar: Pick<Extract<AnswerPart, { type: 'call' }>, 'name' | 'arguments'>,
): ModelEvent | undefined {
  const shown = JSON.stringify(soFar.arguments);
  if (shown === call.shown) return undefined;
  call.shown = shown;
  return { type: 'partial-call', modelCallId: call.modelCallId, name: soFar.name, arguments: soFar.arguments };
}
