import { type Clock, onAbort } from '../lib/clock.ts';
import { directNetwork, type Network } from '../lib/network/network.ts';
import type { InLanguage } from '../lib/words.ts';
import { createAssembly, endOf } from './answer-assembly.ts';
import type { AnswerPiece, AnswerSource, Finish, SourceParts } from './answer-source.ts';
import {
  type AnswerPart,
  describeModel,
  type LanguageModel,
  type ModelDescription,
  ModelError,
  type ModelEvent,
  type ModelProvider,
  type ModelRequest,
} from './language-model.ts';
import { endlessAnswer } from './provider-failure.ts';
import type { SchemaStrategy } from './schema.ts';
import { modelWords, type ServerKind } from './words.ts';
import { createWrittenThoughts } from './written-thoughts.ts';

/**
 * Makes the model, loading only what its provider needs. Makes no request and reads no environment variable. Throws
 * `ModelError` if the API key cannot be sent in an HTTP header.
 */
export async function createModel(
  description: ModelDescription,
  clock: Clock,
  network: Network = directNetwork,
): Promise<LanguageModel> {
  const { key, name, provider: providerKey, apiKey = '', headers = {} } = description;
  const { serverKind, ...provider } = providers[providerKey];
  // Only a compatible server has no fixed address; the config names it.
  const baseUrl = description.baseUrl ?? provider.address ?? '';
  // The config has been validated; the environment has not.
  if (!/^[\t\x20-\x7e\x80-\xff]*$/.test(apiKey))
    throw new ModelError('auth', (language) => modelWords[language].keyUnsendable({ modelKey: key }));
  const secrets = [apiKey, ...Object.values(headers)];
  const failures = { modelKey: key, modelName: name, baseUrl, secrets, serverKind };
  const schemaStrategy = description.schemaStrategy ?? provider.schemaStrategy;
  const source = await openSource(providerKey, { description, baseUrl, schemaStrategy, failures, clock, network });
  // Only the servers of the providers themselves leave no thoughts in the text.
  const writtenThoughts = description.baseUrl === undefined ? undefined : createWrittenThoughts();

  async function* stream(request: ModelRequest): AsyncGenerator<ModelEvent> {
    const { signal } = request;
    if (signal.aborted) return;
    const assembly = createAssembly(providerKey);
    const thoughts = writtenThoughts?.();
    const controller = new AbortController();
    const unlisten = onAbort(signal, () => controller.abort(signal.reason));
    let end: Finish | undefined;
    try {
      const { pieces, thinker } = source.ask(request, controller.signal);
      for await (const part of watched(pieces, controller, { description, clock })) {
        if (part.type === 'finish') end = part;
        for (const piece of thoughts?.(part) ?? [part]) {
          if (piece.type === 'text-withdrawn') assembly.withdraw();
          const event = piece.type === 'text-withdrawn' ? piece : assembly.take(piece);
          if (event !== undefined) yield event;
        }
      }
      if (signal.aborted) return;
      for (const event of endOf(end, assembly, failures)) yield marked(event, thinker);
    } catch (error) {
      if (!signal.aborted) throw error;
    } finally {
      unlisten();
    }
  }

  return { ...describeModel(description), stream };
}

async function openSource(provider: ModelProvider, parts: SourceParts): Promise<AnswerSource> {
  switch (provider) {
    case 'openai_compatible':
      return (await import('./chat-completions/compatible-source.ts')).compatibleSource(parts);
    case 'anthropic':
    case 'openai':
    case 'google':
      return (await import('./sdk-source.ts')).sdkSource(provider, parts);
  }
}

interface Watching {
  readonly description: ModelDescription;
  readonly clock: Clock;
}

/** Passes the pieces on. Aborts the request, and throws `ModelError`, if the model stays silent or does not stop. */
async function* watched(
  pieces: AsyncIterable<AnswerPiece>,
  controller: AbortController,
  { description: { key, timeoutSecs = defaultTimeoutSecs }, clock }: Watching,
): AsyncGenerator<AnswerPiece> {
  let stopTimer: () => void = () => undefined;
  let failure: ModelError | undefined;
  let length = 0;

  /** Starts the timer for the next piece. The time that consumers spend with an answer does not count as silence. */
  function listen(): void {
    const words: InLanguage = (language) => modelWords[language].silent({ modelKey: key, seconds: timeoutSecs });
    stopTimer = clock.after(timeoutSecs * 1000, () => abort(new ModelError('transient', words)));
  }

  function abort(why: ModelError): void {
    failure = why;
    controller.abort(why);
  }

  try {
    listen();
    for await (const piece of pieces) {
      stopTimer();
      length += sizeOf(piece);
      if (length > longestAnswer) {
        abort(endlessAnswer());
        break;
      }
      yield piece;
      listen();
    }
  } catch (error) {
    throw failure ?? error;
  } finally {
    stopTimer();
  }
  // An aborted request may look like one that has ended.
  if (failure !== undefined) throw failure;
}

/** In characters. A call is a thousand at least: no working model makes a thousand of them in one answer. */
function sizeOf(piece: AnswerPiece): number {
  if ('delta' in piece) return piece.delta.length;
  return piece.type === 'tool-input-start' ? 1_000 + piece.id.length + piece.toolName.length : 0;
}

/** Of text, thoughts and calls, in characters. No working model writes that much in one answer. */
const longestAnswer = 1_000_000;

const defaultTimeoutSecs = 120;

interface Provider {
  /** The fixed address of its API, if there is one. */
  readonly address?: string;
  /** The kind of server expected there. */
  readonly serverKind: ServerKind;
  readonly schemaStrategy: SchemaStrategy;
}

const providers: Readonly<Record<ModelProvider, Provider>> = {
  anthropic: { address: 'https://api.anthropic.com/v1', serverKind: 'anthropic', schemaStrategy: 'anthropic' },
  openai: { address: 'https://api.openai.com/v1', serverKind: 'openai', schemaStrategy: 'openai' },
  google: {
    address: 'https://generativelanguage.googleapis.com/v1beta',
    serverKind: 'gemini',
    schemaStrategy: 'gemini',
  },
  // A compatible server may be anything, anywhere.
  openai_compatible: { serverKind: 'compatible', schemaStrategy: 'conservative' },
};

/** Marks the answer's thoughts and calls with the model and whether it was thinking. */
function marked(event: ModelEvent, mark: string | undefined): ModelEvent {
  if (event.type !== 'finish' || mark === undefined) return event;
  const parts = event.answer.parts.map(
    (part): AnswerPart => (part.type === 'text' ? part : { ...part, provider: { ...part.provider, thinker: mark } }),
  );
  return { ...event, answer: { ...event.answer, parts } };
}
