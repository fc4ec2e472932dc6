import { type Clock, systemClock } from '../../src/lib/clock.ts';
import { createModel } from '../../src/models/create-model.ts';
import {
  type LanguageModel,
  type ModelAnswer,
  type ModelDescription,
  ModelError,
  type ModelEvent,
  type ModelMessage,
  type ModelRequest,
} from '../../src/models/language-model.ts';
import type { ToolDefinition } from '../../src/transcript.ts';
import { type Reply, refusing, startWireServer } from './wire-server.ts';

/** A tool, as far as a model needs to know it. */
export function tool(name: string): ToolDefinition {
  return {
    name,
    description: `Does ${name}.`,
    parameters: { type: 'object', properties: { path: { type: 'string' } } },
  };
}

/** A request that says one thing. */
export function request(said: string | readonly ModelMessage[], rest: Partial<ModelRequest> = {}): ModelRequest {
  return {
    system: 'You are a test.',
    messages: typeof said === 'string' ? [{ role: 'user', text: said }] : said,
    tools: [tool('list_dir'), tool('read_file')],
    signal: new AbortController().signal,
    ...rest,
  };
}

/** A model on a server of the test's. */
export function modelAt(
  url: string,
  rest: Partial<ModelDescription> = {},
  clock: Clock = systemClock,
): Promise<LanguageModel> {
  return createModel(
    { key: 'main', provider: 'openai_compatible', name: 'test-model', apiKey: 'secret-key-1', baseUrl: url, ...rest },
    clock,
  );
}

/** A model on a server that answers so, and that server. */
export async function modelWith(reply: Reply, rest: Partial<ModelDescription> = {}, clock: Clock = systemClock) {
  const server = await startWireServer(reply);
  return { server, model: await modelAt(`${server.url}/v1`, rest, clock) };
}

/** What a provider is sent for these requests. */
export async function sentFor(
  rest: Partial<ModelDescription>,
  ...requests: readonly ModelRequest[]
): Promise<readonly unknown[]> {
  const { server, model } = await modelWith(refusing, rest);
  for (const asked of requests) await failureOf(model, asked);
  return server.requests.map(({ body }) => body);
}

/** All that the model says to a request. */
export async function eventsOf(model: LanguageModel, asked: ModelRequest): Promise<readonly ModelEvent[]> {
  const events: ModelEvent[] = [];
  for await (const event of model.stream(asked)) events.push(event);
  return events;
}

/** The answer that the model ends with. */
export async function answerOf(model: LanguageModel, asked: ModelRequest): Promise<ModelAnswer> {
  const last = (await eventsOf(model, asked)).at(-1);
  if (last?.type !== 'finish') throw new Error(`The last event is ${last?.type}.`);
  return last.answer;
}

/** The failure that asking ends with, and what was shown before it. */
export async function failureOf(
  model: LanguageModel,
  asked: ModelRequest,
): Promise<{ readonly error: ModelError; readonly shown: readonly ModelEvent[] }> {
  const shown: ModelEvent[] = [];
  try {
    for await (const event of model.stream(asked)) shown.push(event);
  } catch (error) {
    if (error instanceof ModelError) return { error, shown };
    throw error;
  }
  throw new Error('Asking did not fail.');
}
