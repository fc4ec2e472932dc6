import type { SharedV4ProviderMetadata } from '@ai-sdk/provider';
import { isJsonObject, type JsonObject, type JsonValue } from '../lib/json.ts';
import type { AnswerPiece, Finish } from './answer-source.ts';
import type { FailureContext } from './fault-table.ts';
import { type AnswerPart, ModelError, type ModelEvent, type ModelUsage } from './language-model.ts';
import { type PartialArguments, partialArguments, readJson } from './partial-json.ts';
import { brokenAnswer, failedAnswer } from './provider-failure.ts';
import { modelWords } from './words.ts';

type Metadata = SharedV4ProviderMetadata | undefined;

/** A part of the answer while it is being written. */
interface Slot {
  kind: 'text' | 'reasoning' | Call;
  /** Of a call, its arguments. */
  text: string;
  provider: JsonObject | undefined;
}

interface Call {
  readonly modelCallId: string;
  readonly name: string;
  readonly read: PartialArguments;
}

type Piece<Type> = Extract<AnswerPiece, { readonly type: Type }>;
type Prose = Piece<'text-start' | 'text-delta' | 'text-end' | 'reasoning-start' | 'reasoning-delta' | 'reasoning-end'>;

/** Assembles an answer from the streamed pieces. Parts are in the order in which they began. */
export interface Assembly {
  /** Takes the next piece. Returns an event if there is something to show. Throws an error that the provider sent. */
  take(piece: AnswerPiece): ModelEvent | undefined;
  /** All text so far was thoughts. */
  withdraw(): void;
  /** The parts so far. `isCut`: the model was stopped before it finished. */
  parts(isCut: boolean): readonly AnswerPart[];
}

export function createAssembly(providerKey: string): Assembly {
  return new SlotAssembly(providerKey);
}

class SlotAssembly implements Assembly {
  readonly #providerKey: string;
  readonly #slots: Slot[] = [];
  /** A provider may reuse an id after its part has ended. */
  readonly #open = new Map<string, Slot>();
  readonly #callIds = new Set<string>();

  constructor(providerKey: string) {
    this.#providerKey = providerKey;
  }

  take(piece: AnswerPiece): ModelEvent | undefined {
    switch (piece.type) {
      case 'error':
        throw piece.error;
      case 'text-start':
      case 'text-delta':
      case 'text-end':
        return this.#takeProse(piece, 'text');
      case 'reasoning-start':
      case 'reasoning-delta':
      case 'reasoning-end':
        return this.#takeProse(piece, 'reasoning');
      case 'tool-input-start':
        // Tools run by the provider are not offered; if it uses one anyway, it is not a call of ours.
        if (piece.providerExecuted !== true)
          this.#learn(this.#beginCall(piece.id, piece.toolName), piece.providerMetadata);
        return undefined;
      case 'tool-input-delta': {
        const slot = this.#open.get(`call:${piece.id}`);
        if (slot === undefined) return undefined;
        slot.text += piece.delta;
        return partialCall(slot, false);
      }
      case 'tool-call':
        return piece.providerExecuted === true ? undefined : this.#endCall(piece);
      // No other piece is part of the answer.
      default:
        return undefined;
    }
  }

  parts(isCut: boolean): readonly AnswerPart[] {
    const last = this.#slots.at(-1);
    return this.#slots.flatMap((slot) => toParts(slot, this.#providerKey, isCut && slot === last));
  }

  #takeProse(piece: Prose, kind: 'text' | 'reasoning'): ModelEvent | undefined {
    const key = `${kind}:${piece.id}`;
    if (piece.type === `${kind}-start`) this.#begin(key, kind);
    const slot = this.#open.get(key) ?? ('delta' in piece ? this.#begin(key, kind) : undefined);
    if (slot === undefined) return undefined;
    this.#learn(slot, piece.providerMetadata);
    if (piece.type === `${kind}-end`) this.#open.delete(key);
    if (!('delta' in piece) || piece.delta === '') return undefined;
    slot.text += piece.delta;
    return { type: kind, delta: piece.delta };
  }

  withdraw(): void {
    for (const slot of this.#slots) if (slot.kind === 'text') slot.kind = 'reasoning';
    for (const [key, slot] of this.#open) if (slot.kind === 'reasoning') this.#open.delete(key);
  }

  #begin(key: string, kind: Slot['kind']): Slot {
    const slot: Slot = { kind, text: '', provider: undefined };
    this.#slots.push(slot);
    this.#open.set(key, slot);
    return slot;
  }

  #beginCall(id: string, name: string): Slot {
    let modelCallId = id;
    for (let count = 2; this.#callIds.has(modelCallId); count += 1) modelCallId = `${id}_${count}`;
    this.#callIds.add(modelCallId);
    return this.#begin(`call:${id}`, { modelCallId, name, read: partialArguments() });
  }

  #endCall(call: Piece<'tool-call'>): ModelEvent | undefined {
    const slot = this.#open.get(`call:${call.toolCallId}`) ?? this.#beginCall(call.toolCallId, call.toolName);
    this.#open.delete(`call:${call.toolCallId}`);
    this.#learn(slot, call.providerMetadata);
    slot.text = call.input;
    return partialCall(slot, true);
  }

  #learn(slot: Slot, metadata: Metadata): void {
    const own = metadata?.[this.#providerKey];
    // Serialised, so that it equals what will be read from the store.
    if (own !== undefined) slot.provider = { ...slot.provider, ...JSON.parse(JSON.stringify(own)) };
  }
}

function partialCall({ kind, text }: Slot, isWhole: boolean): ModelEvent | undefined {
  if (typeof kind === 'string') return undefined;
  const { modelCallId, name, read } = kind;
  const args = read(text, isWhole);
  return args && { type: 'partial-call', modelCallId, name, arguments: args };
}

function toParts({ kind, text, provider }: Slot, providerKey: string, isCut: boolean): AnswerPart[] {
  const own = provider === undefined ? {} : { provider: { [providerKey]: provider } };
  switch (kind) {
    case 'text':
      // Gemini attaches the signature of its thoughts to an empty text. No provider accepts other empty texts.
      return text === '' && provider?.thoughtSignature === undefined ? [] : [{ type: 'text', text, ...own }];
    case 'reasoning':
      // Always names the provider: thoughts are sent back only to it.
      if (text === '' && provider === undefined) return [];
      return [{ type: 'reasoning', text, provider: { [providerKey]: provider ?? {} } }];
    default: {
      const args = isCut ? readCutArguments(text) : readArguments(text);
      return [{ type: 'call', modelCallId: kind.modelCallId, name: kind.name, arguments: args, ...own }];
    }
  }
}

/** An empty text is an empty object; invalid JSON, or JSON nested too deep, stays a string. */
function readArguments(text: string): JsonValue {
  return text.trim() === '' ? {} : (readJson(text) ?? text);
}

/** A call that was cut before its arguments looks like a call without arguments, and must not run as one. */
function readCutArguments(text: string): JsonValue {
  const args = readArguments(text);
  // Not JSON: the tool rejects it and tells the model.
  return isJsonObject(args) && Object.keys(args).length === 0 ? '(cut off)' : args;
}

/** The last events of the answer. Throws `ModelError` if it did not end normally. */
export function* endOf(end: Finish | undefined, assembly: Assembly, failures: FailureContext): Generator<ModelEvent> {
  const usage = usageOf(end, failures);
  const { unified: reason = 'interrupted', raw } = end?.finishReason ?? {};
  const parts = assembly.parts(reason === 'length' || reason === 'content-filter');
  switch (reason) {
    case 'error':
      throw raw === undefined ? brokenAnswer(failures, usage) : failedAnswer(raw, failures, usage);
    case 'interrupted':
      throw brokenAnswer(failures, usage);
    case 'other':
      if (brokenEnds.test(raw ?? '')) throw failedAnswer(raw, failures, usage);
      if (parts.length === 0) throw failedAnswer(undefined, failures, usage);
      break;
    case 'content-filter':
      if (parts.length === 0) throw filtered(usage, failures);
      return yield { type: 'finish', answer: { parts, usage, ending: 'withheld' } };
    case 'length':
      return yield { type: 'finish', answer: { parts, usage, ending: 'cut' } };
    case 'stop':
    case 'tool-calls':
      break;
  }
  yield { type: 'finish', answer: { parts, usage } };
}

/** Finish reasons for a failed answer that the packages map to `other`. */
const brokenEnds =
  /^(?:error|failed|abort(?:ed)?|cancell?ed|interrupted|other|finish_reason_unspecified|language|malformed_\w+|unexpected_tool_call|too_many_tool_calls|missing_thought_signature|insufficient_system_resource|network_error)$/i;

function usageOf(end: Finish | undefined, { modelKey }: FailureContext): ModelUsage {
  const { inputTokens, outputTokens } = end?.usage ?? {};
  const cachedInputTokens = inputTokens?.cacheRead;
  return {
    inputTokens: counted(inputTokens?.total),
    ...(cachedInputTokens === undefined ? {} : { cachedInputTokens: counted(cachedInputTokens) }),
    outputTokens: counted(outputTokens?.total),
    model: modelKey,
  };
}

/** A server may say anything. What is no count could not be added up, nor read again. */
function counted(tokens = 0): number {
  return Math.min(Math.max(0, Math.round(tokens)), mostTokens) || 0;
}

const mostTokens = 1_000_000_000;

function filtered(usage: ModelUsage, { modelKey }: FailureContext): ModelError {
  return new ModelError('permanent', (language) => modelWords[language].heldBack({ modelKey }), { usage });
}
