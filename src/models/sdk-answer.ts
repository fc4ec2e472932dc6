import type { LanguageModelV4StreamPart, SharedV4ProviderMetadata } from '@ai-sdk/provider';
import { isJsonObject, type JsonObject, type JsonValue, parseJson } from '../lib/json.ts';
import { type AnswerPart, type ModelAnswer, ModelError, type ModelEvent, type ModelUsage } from './language-model.ts';
import { isTooDeep, type PartialArguments, partialArguments } from './partial-json.ts';
import { brokenAnswer, type FailureContext } from './provider-failure.ts';

type Metadata = SharedV4ProviderMetadata | undefined;
type ProseKind = 'text' | 'reasoning';

/** A part of the answer while it is being written. */
type Slot = Prose | CallSlot;

interface Prose {
  readonly kind: ProseKind;
  text: string;
  provider: JsonObject | undefined;
}

interface CallSlot {
  readonly kind: 'call';
  readonly modelCallId: string;
  readonly name: string;
  readonly written: PartialArguments;
  /** The final arguments from the provider. */
  input: string | undefined;
  provider: JsonObject | undefined;
}

/** Assembles an answer from the streamed pieces. Parts are in the order in which they began. */
export function createAssembly(providerKey: string) {
  const slots: Slot[] = [];
  /** A provider may reuse an id after its part has ended. */
  const openProse = new Map<string, Prose>();
  const openCalls = new Map<string, CallSlot>();
  const callIds = new Set<string>();

  /** Takes the next piece. Returns an event if there is something to show. Throws an error that the provider sent. */
  function take(piece: LanguageModelV4StreamPart): ModelEvent | undefined {
    switch (piece.type) {
      case 'error':
        throw piece.error;
      case 'text-start':
      case 'reasoning-start':
        beginProse(kindOf(piece), piece.id, piece.providerMetadata);
        return undefined;
      case 'text-delta':
      case 'reasoning-delta':
        return writeProse(kindOf(piece), piece.id, piece.delta, piece.providerMetadata);
      case 'text-end':
      case 'reasoning-end':
        return endProse(kindOf(piece), piece.id, piece.providerMetadata);
      case 'tool-input-start':
        // Tools run by the provider are not offered; if it uses one anyway, it is not a call of ours.
        if (piece.providerExecuted !== true) beginCall(piece.id, piece.toolName, piece.providerMetadata);
        return undefined;
      case 'tool-input-delta':
        return writeCall(piece.id, piece.delta);
      case 'tool-call':
        return piece.providerExecuted === true ? undefined : endCall(piece);
      // No other piece is part of the answer.
      default:
        return undefined;
    }
  }

  /** The parts so far. `isCut`: the model was stopped before it finished. */
  function parts(isCut: boolean): readonly AnswerPart[] {
    const last = slots.at(-1);
    return slots.flatMap((slot) => toParts(slot, providerKey, isCut && slot === last));
  }

  function beginProse(kind: ProseKind, id: string, metadata: Metadata): Prose {
    const slot: Prose = { kind, text: '', provider: own(metadata) };
    slots.push(slot);
    openProse.set(`${kind}:${id}`, slot);
    return slot;
  }

  function writeProse(kind: ProseKind, id: string, delta: string, metadata: Metadata): ModelEvent | undefined {
    const slot = openProse.get(`${kind}:${id}`) ?? beginProse(kind, id, undefined);
    slot.text += delta;
    learn(slot, metadata);
    return delta === '' ? undefined : { type: kind, delta };
  }

  function endProse(kind: ProseKind, id: string, metadata: Metadata): undefined {
    const slot = openProse.get(`${kind}:${id}`);
    if (slot !== undefined) learn(slot, metadata);
    openProse.delete(`${kind}:${id}`);
  }

  function beginCall(id: string, name: string, metadata: Metadata): CallSlot {
    let modelCallId = id;
    for (let count = 2; callIds.has(modelCallId); count += 1) modelCallId = `${id}_${count}`;
    callIds.add(modelCallId);

    const written = partialArguments();
    const slot: CallSlot = { kind: 'call', modelCallId, name, written, input: undefined, provider: own(metadata) };
    slots.push(slot);
    openCalls.set(id, slot);
    return slot;
  }

  function writeCall(id: string, delta: string): ModelEvent | undefined {
    const slot = openCalls.get(id);
    return slot && partialCall(slot, slot.written.add(delta));
  }

  function endCall(call: Extract<LanguageModelV4StreamPart, { type: 'tool-call' }>): ModelEvent | undefined {
    const slot = openCalls.get(call.toolCallId) ?? beginCall(call.toolCallId, call.toolName, undefined);
    openCalls.delete(call.toolCallId);
    learn(slot, call.providerMetadata);
    slot.input = call.input;
    return partialCall(slot, slot.written.complete(readArguments(call.input)));
  }

  function learn(slot: Slot, metadata: Metadata): void {
    const theirs = own(metadata);
    if (theirs !== undefined) slot.provider = { ...slot.provider, ...theirs };
  }

  function own(metadata: Metadata): JsonObject | undefined {
    const theirs = metadata?.[providerKey];
    // Serialised, so that it equals what will be read from the store.
    return theirs === undefined ? undefined : JSON.parse(JSON.stringify(theirs));
  }

  return { take, parts };
}

function kindOf({ type }: LanguageModelV4StreamPart): ProseKind {
  return type.startsWith('text') ? 'text' : 'reasoning';
}

function partialCall(slot: CallSlot, args: JsonObject | undefined): ModelEvent | undefined {
  if (args === undefined) return undefined;
  return { type: 'partial-call', modelCallId: slot.modelCallId, name: slot.name, arguments: args };
}

function toParts(slot: Slot, providerKey: string, isCut: boolean): AnswerPart[] {
  const provider = slot.provider === undefined ? {} : { provider: { [providerKey]: slot.provider } };
  switch (slot.kind) {
    case 'text':
      // Gemini attaches the signature of its thoughts to an empty text. No provider accepts other empty texts.
      if (slot.text === '' && slot.provider?.thoughtSignature === undefined) return [];
      return [{ type: 'text', text: slot.text, ...provider }];
    case 'reasoning':
      // Always names the provider: thoughts are sent back only to it.
      if (slot.text === '' && slot.provider === undefined) return [];
      return [{ type: 'reasoning', text: slot.text, provider: { [providerKey]: slot.provider ?? {} } }];
    case 'call': {
      const text = slot.input ?? slot.written.text();
      const args = isCut ? readCutArguments(text) : readArguments(text);
      return [{ type: 'call', modelCallId: slot.modelCallId, name: slot.name, arguments: args, ...provider }];
    }
  }
}

/** An empty text is an empty object; invalid JSON, or JSON nested too deep, stays a string. */
function readArguments(text: string): JsonValue {
  if (text.trim() === '') return {};
  return isTooDeep(text) ? text : (parseJson(text) ?? text);
}

/** A call that was cut before its arguments looks like a call without arguments, and must not run as one. */
function readCutArguments(text: string): JsonValue {
  const args = readArguments(text);
  // Not JSON: the tool rejects it and tells the model.
  return isJsonObject(args) && Object.keys(args).length === 0 ? '(cut off)' : args;
}

/** How a provider ended its answer. */
export type Finish = Extract<LanguageModelV4StreamPart, { type: 'finish' }>;

/** The last events of the answer. Throws `ModelError` if it did not end normally. */
export function* endOf(
  end: Finish | undefined,
  assembly: ReturnType<typeof createAssembly>,
  failures: FailureContext,
): Generator<ModelEvent> {
  const usage = usageOf(end, failures);
  const reason = end?.finishReason.unified ?? 'interrupted';
  const parts = assembly.parts(reason === 'length' || reason === 'content-filter');
  switch (reason) {
    case 'error':
    case 'interrupted':
      throw brokenAnswer(failures, usage);
    case 'other':
      if (parts.length === 0 || brokenEnds.test(end?.finishReason.raw ?? '')) throw brokenAnswer(failures, usage);
      break;
    case 'content-filter':
      if (parts.length === 0) throw filtered(usage, failures);
      return yield* noted({ parts, usage }, withheldNotice);
    case 'length':
      return yield* noted({ parts, usage }, cutNotice);
    case 'stop':
    case 'tool-calls':
      break;
  }
  yield { type: 'finish', answer: { parts, usage } };
}

/** Finish reasons for a failed answer that the packages map to `other`. */
const brokenEnds =
  /^(?:error|failed|abort(?:ed)?|cancell?ed|interrupted|other|finish_reason_unspecified|language|malformed_\w+|unexpected_tool_call|too_many_tool_calls|missing_thought_signature)$/i;

/**
 * Adds a notice for the person to an answer that looks complete but is not. If a call was cut, the tool tells the
 * model.
 */
function* noted(answer: ModelAnswer, notice: string): Generator<ModelEvent> {
  const last = answer.parts.at(-1);
  if (last?.type === 'call') return yield { type: 'finish', answer };
  const delta = last?.type === 'text' ? `\n\n${notice}` : notice;
  const parts: readonly AnswerPart[] =
    last?.type === 'text'
      ? [...answer.parts.slice(0, -1), { ...last, text: last.text + delta }]
      : [...answer.parts, { type: 'text', text: delta }];
  yield { type: 'text', delta };
  yield { type: 'finish', answer: { ...answer, parts } };
}

function usageOf(end: Finish | undefined, { modelKey }: FailureContext): ModelUsage {
  const { inputTokens, outputTokens } = end?.usage ?? {};
  const cachedInputTokens = inputTokens?.cacheRead;
  return {
    inputTokens: inputTokens?.total ?? 0,
    ...(cachedInputTokens === undefined ? {} : { cachedInputTokens }),
    outputTokens: outputTokens?.total ?? 0,
    model: modelKey,
  };
}

function filtered(usage: ModelUsage, { modelKey }: FailureContext): ModelError {
  const advice = 'Say it differently, or start over with /new.';
  return new ModelError(
    'permanent',
    `The provider of the model '${modelKey}' held the answer back for its content. ${advice}`,
    { usage },
  );
}

/** Ends an answer that was cut by the token limit, and would otherwise look complete. */
const cutNotice = '✂️ *The answer ended here because the model reached its limit of tokens. Say "go on" for the rest.*';

/** The same if the provider stopped it. */
const withheldNotice =
  '✂️ *The answer ended here because the provider of the model held back the rest for its content.*';

/** Whether a piece of an answer is one of these notices, not text of the model. */
export function isNotice(delta: string): boolean {
  const text = delta.trim();
  return text === cutNotice || text === withheldNotice;
}
