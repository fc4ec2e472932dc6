import type { LanguageModelV4StreamPart, SharedV4ProviderMetadata } from '@ai-sdk/provider';
import { isJsonObject, type JsonObject, type JsonValue } from '../lib/json.ts';
import { isTooDeep } from './json-depth.ts';
import type { AnswerPart, ModelEvent } from './language-model.ts';
import { PartialArguments } from './partial-arguments.ts';

type Piece = Extract<
  LanguageModelV4StreamPart,
  { type: `${'text' | 'reasoning' | 'tool-input'}-${'start' | 'delta' | 'end'}` | 'tool-call' }
>;
type Metadata = SharedV4ProviderMetadata | undefined;
type ProseKind = 'text' | 'reasoning';

/** A part of the answer that is being written. */
type Slot = Prose | CallSlot;

interface Prose {
  readonly kind: ProseKind;
  text: string;
  provider: JsonObject | undefined;
}

interface CallSlot {
  readonly kind: 'call';
  readonly modelCallId: string;
  readonly written: PartialArguments;
  /** The arguments as the provider gave them in the end. */
  input: string | undefined;
  provider: JsonObject | undefined;
}

/** Puts an answer together from the pieces in which a provider streams it. Parts keep the order of their beginnings. */
export class AnswerAssembly {
  readonly #providerKey: string;
  readonly #slots: Slot[] = [];
  /** A provider may use an id again once the part that had it has ended. */
  readonly #openProse = new Map<string, Prose>();
  readonly #openCalls = new Map<string, CallSlot>();
  readonly #callIds = new Set<string>();

  constructor(providerKey: string) {
    this.#providerKey = providerKey;
  }

  /** Takes the next piece. Returns what can be shown of it, if that is anything. */
  take(piece: Piece): ModelEvent | undefined {
    switch (piece.type) {
      case 'text-start':
        this.#beginProse('text', piece.id, piece.providerMetadata);
        return undefined;
      case 'reasoning-start':
        this.#beginProse('reasoning', piece.id, piece.providerMetadata);
        return undefined;
      case 'text-delta':
        return this.#writeProse('text', piece.id, piece.delta, piece.providerMetadata);
      case 'reasoning-delta':
        return this.#writeProse('reasoning', piece.id, piece.delta, piece.providerMetadata);
      case 'text-end':
        return this.#endProse('text', piece.id, piece.providerMetadata);
      case 'reasoning-end':
        return this.#endProse('reasoning', piece.id, piece.providerMetadata);
      case 'tool-input-start':
        // Tools that the provider itself runs are not offered to it; should it use one, that is no call of ours.
        if (piece.providerExecuted !== true) this.#beginCall(piece.id, piece.toolName, piece.providerMetadata);
        return undefined;
      case 'tool-input-delta':
        return this.#writeCall(piece.id, piece.delta);
      case 'tool-input-end':
        return undefined;
      case 'tool-call':
        return piece.providerExecuted === true ? undefined : this.#endCall(piece);
    }
  }

  /** The parts as they stand. `isCut`: the model was stopped before it was done. */
  parts(isCut: boolean): readonly AnswerPart[] {
    const last = this.#slots.at(-1);
    return this.#slots.flatMap((slot) => toParts(slot, this.#providerKey, isCut && slot === last));
  }

  #beginProse(kind: ProseKind, id: string, metadata: Metadata): Prose {
    const slot: Prose = { kind, text: '', provider: this.#own(metadata) };
    this.#slots.push(slot);
    this.#openProse.set(`${kind}:${id}`, slot);
    return slot;
  }

  #writeProse(kind: ProseKind, id: string, delta: string, metadata: Metadata): ModelEvent | undefined {
    const slot = this.#openProse.get(`${kind}:${id}`) ?? this.#beginProse(kind, id, undefined);
    slot.text += delta;
    this.#learn(slot, metadata);
    return delta === '' ? undefined : { type: kind, delta };
  }

  #endProse(kind: ProseKind, id: string, metadata: Metadata): undefined {
    const slot = this.#openProse.get(`${kind}:${id}`);
    if (slot !== undefined) this.#learn(slot, metadata);
    this.#openProse.delete(`${kind}:${id}`);
  }

  #beginCall(id: string, name: string, metadata: Metadata): CallSlot {
    let modelCallId = id;
    for (let count = 2; this.#callIds.has(modelCallId); count += 1) modelCallId = `${id}_${count}`;
    this.#callIds.add(modelCallId);

    const written = new PartialArguments(name);
    const slot: CallSlot = { kind: 'call', modelCallId, written, input: undefined, provider: this.#own(metadata) };
    this.#slots.push(slot);
    this.#openCalls.set(id, slot);
    return slot;
  }

  #writeCall(id: string, delta: string): ModelEvent | undefined {
    const slot = this.#openCalls.get(id);
    return slot && partialCall(slot, slot.written.add(delta));
  }

  #endCall(call: Extract<Piece, { type: 'tool-call' }>): ModelEvent | undefined {
    const slot = this.#openCalls.get(call.toolCallId) ?? this.#beginCall(call.toolCallId, call.toolName, undefined);
    this.#openCalls.delete(call.toolCallId);
    this.#learn(slot, call.providerMetadata);
    slot.input = call.input;
    return partialCall(slot, slot.written.complete(readArguments(call.input)));
  }

  #learn(slot: Slot, metadata: Metadata): void {
    const own = this.#own(metadata);
    if (own !== undefined) slot.provider = { ...slot.provider, ...own };
  }

  #own(metadata: Metadata): JsonObject | undefined {
    const own = metadata?.[this.#providerKey];
    // Through text, so that it is now what it will be once it was stored.
    return own === undefined ? undefined : JSON.parse(JSON.stringify(own));
  }
}

function partialCall(slot: CallSlot, args: JsonObject | undefined): ModelEvent | undefined {
  if (args === undefined) return undefined;
  return { type: 'partial-call', modelCallId: slot.modelCallId, name: slot.written.name, arguments: args };
}

function toParts(slot: Slot, providerKey: string, isCut: boolean): AnswerPart[] {
  const provider = slot.provider === undefined ? {} : { provider: { [providerKey]: slot.provider } };
  switch (slot.kind) {
    case 'text':
      // Gemini hangs the signature of its thoughts on a text without words. No provider takes an empty text otherwise.
      if (slot.text === '' && slot.provider?.thoughtSignature === undefined) return [];
      return [{ type: 'text', text: slot.text, ...provider }];
    case 'reasoning':
      // Always says whose thoughts they are: only that provider is shown them again.
      if (slot.text === '' && slot.provider === undefined) return [];
      return [{ type: 'reasoning', text: slot.text, provider: { [providerKey]: slot.provider ?? {} } }];
    case 'call': {
      const text = slot.input ?? slot.written.text;
      const args = isCut ? readCutArguments(text) : readArguments(text);
      return [{ type: 'call', modelCallId: slot.modelCallId, name: slot.written.name, arguments: args, ...provider }];
    }
  }
}

/** What a model writes for no arguments at all is an empty object; what is no JSON, or too deep, stays a text. */
function readArguments(text: string): JsonValue {
  if (text.trim() === '') return {};
  if (isTooDeep(text)) return text;
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return text;
    throw error;
  }
}

/** A call that nothing was left for looks like one without arguments. It must not run as one. */
function readCutArguments(text: string): JsonValue {
  const args = readArguments(text);
  // No JSON: the tool says so to the model, and does not run.
  return isJsonObject(args) && Object.keys(args).length === 0 ? '(cut off)' : args;
}
