import { setTimeout as pause } from 'node:timers/promises';
import {
  type ChatCompletionRequest,
  createServer,
  type Fixture,
  type FixtureResponse,
  type ServerInstance,
} from '@copilotkit/aimock';
import { closeServer } from './loopback.ts';
import { type Answer, type ModelReply, replyTo, wireOptions, wireResponse } from './model-reply.ts';
import { type ModelRequest, readModelRequest } from './model-request.ts';
import { Changes, contains, type Found, type WaitOptions } from './wait-for.ts';

/** A text that is contained, a pattern, or a condition. */
type Pattern = string | RegExp | ((text: string) => boolean);

interface Rule {
  readonly applies: (request: ModelRequest) => boolean;
  readonly answers: readonly Answer[];
  used: number;
}

const requestsToTell = 5;

/**
 * A model that says what the test has written down, over OpenAI's wire format. A rule looks only at how a request ends:
 * with a message of a user, or with tool results. The first rule that applies is the one; without one the answer is
 * `echo: <the last user's text>`. The wire is aimock's; what is said is decided here.
 */
export class ModelServer {
  readonly #changes = new Changes();
  readonly #rules: Rule[] = [];
  readonly #requests: ModelRequest[] = [];
  #otherwise: Answer = ({ lastUserText }) => `echo: ${lastUserText}`;
  readonly #broken = Promise.withResolvers<void>();
  #instance: ServerInstance | undefined;

  private constructor() {}

  static async start(): Promise<ModelServer> {
    const server = new ModelServer();
    const fixtures = scriptedFixtures((request) => server.#reply(request));
    server.#instance = await createServer(fixtures, { port: 0, host: '127.0.0.1', logLevel: 'silent' });
    server.#instance.server.on('request', (_request, response) => {
      response.on('close', () => response.writableFinished || server.#broken.resolve());
    });
    return server;
  }

  /** What a model takes as `base_url`. */
  get url(): string {
    return `${this.#instance?.url}/v1`;
  }

  close(): Promise<void> {
    return this.#instance === undefined ? Promise.resolve() : closeServer(this.#instance.server);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  /** What it says when the request ends with such a message of a user; several answers are given one after another. */
  onUser(pattern: Pattern, ...answers: readonly Answer[]): this {
    return this.onRequest(
      ({ messages, lastUserText }) => messages.at(-1)?.role === 'user' && isMatch(lastUserText, pattern),
      ...answers,
    );
  }

  /** What it says when one of the tool results that the request ends with is such. */
  onResult(pattern: Pattern, ...answers: readonly Answer[]): this {
    return this.onRequest(({ lastResults }) => lastResults.some((result) => isMatch(result, pattern)), ...answers);
  }

  /** What it says when a request is such. */
  onRequest(applies: (request: ModelRequest) => boolean, ...answers: readonly Answer[]): this {
    this.#rules.push({ applies, answers, used: 0 });
    return this;
  }

  /** What it says when no rule applies. */
  otherwise(answer: Answer): this {
    this.#otherwise = answer;
    return this;
  }

  /** Resolves when somebody has broken a connection before its answer was whole. */
  get broken(): Promise<void> {
    return this.#broken.promise;
  }

  /** What it was asked, the oldest first. */
  get requests(): readonly ModelRequest[] {
    return [...this.#requests];
  }

  /** Looks again after every request. */
  waitFor<T>(look: () => T, options: WaitOptions = {}): Promise<Found<T>> {
    return this.#changes.waitFor(look, { describe: () => this.#describe(), ...options });
  }

  /** Resolves once it was asked so often. */
  waitForRequests(count: number, timeoutMs?: number): Promise<readonly ModelRequest[]> {
    return this.waitFor(() => this.requests.length >= count && this.requests, {
      what: `${count} requests to the model`,
      ...(timeoutMs !== undefined && { timeoutMs }),
    });
  }

  /** Writes the request down and decides what to say: by the first rule that applies, its answers one after another. */
  #reply(request: ModelRequest): ModelReply {
    this.#requests.push(request);
    const rule = this.#rules.find(({ applies }) => applies(request));
    // The last answer stays.
    const answer = rule?.answers[rule.used] ?? rule?.answers.at(-1) ?? this.#otherwise;
    if (rule !== undefined) rule.used += 1;
    const reply = replyTo(request, answer);
    this.#changes.notify();
    return reply;
  }

  #describe(): string {
    const last = this.requests.slice(-requestsToTell).map(({ messages }) => {
      const end = messages.at(-1);
      return `  … ${messages.length} messages, the last of ${end?.role}: ${JSON.stringify(end?.text.slice(0, 200))}`;
    });
    return [`The model was asked ${this.requests.length} times. The last:`, ...last].join('\n');
  }
}

function isMatch(text: string, pattern: Pattern): boolean {
  return typeof pattern === 'function' ? pattern(text) : contains(text, pattern);
}

interface Decision {
  readonly reply: ModelReply;
  /** Which fixture sends it. */
  readonly wire: string;
}

/**
 * aimock asks every fixture whether it answers a request. The first says no, but has it decided what is said, and makes the
 * fixture that sends answers in that way unless there is one: how it is sent belongs to a fixture, not to a response.
 */
function scriptedFixtures(replyOf: (request: ModelRequest) => ModelReply): Fixture[] {
  const decisions = new WeakMap<ChatCompletionRequest, Decision>();
  const wires = new Set<string>();
  const see = (body: ChatCompletionRequest): false => {
    if (decisions.has(body)) return false;
    const reply = replyOf(readModelRequest(body));
    const options = wireOptions(reply);
    const wire = JSON.stringify(options);
    decisions.set(body, { reply, wire });
    if (wires.has(wire)) return false;
    wires.add(wire);
    fixtures.push({
      match: { predicate: (other) => decisions.get(other)?.wire === wire },
      response: (other) => think(decisions.get(other)?.reply ?? {}, other),
      ...options,
    });
    return false;
  };
  const fixtures: Fixture[] = [{ match: { predicate: see }, response: { content: '' } }];
  return fixtures;
}

async function think(reply: ModelReply, { messages, tools }: ChatCompletionRequest): Promise<FixtureResponse> {
  if (reply.delayMs !== undefined) await pause(reply.delayMs);
  await reply.until;
  const response = wireResponse(reply);
  if ('error' in response) return response;
  // aimock counts no tools: it would pass for a server that ignores them.
  const count = (value: unknown): number => Math.ceil(JSON.stringify(value ?? '').length / 4);
  return { ...response, usage: { prompt_tokens: count(messages) + count(tools), completion_tokens: count(reply) } };
}
