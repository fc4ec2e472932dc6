import type { z } from 'zod';
import { isJsonObject, type JsonObject, type JsonValue } from '../lib/json.ts';
import type { Log } from '../lib/log.ts';
import { once } from '../lib/once.ts';
import { markdownLine } from '../lib/plain-text.ts';
import type { ToolDefinition } from '../transcript.ts';
import { validate } from './arguments.ts';
import {
  type BoundFiles,
  type CallFacets,
  isToolCategory,
  type PersonQuestion,
  type ToolCategory,
  toolCategories,
} from './category.ts';
import { inputSchema } from './json-schema.ts';
import type { SubRunScope, ToolOutput } from './output.ts';

/** Where and for whom a tool is used. Known before any call, so that a tool may be made for it. */
export interface ToolScope {
  readonly channel: string;
  /** The Slack team or Discord guild that the chat belongs to. */
  readonly tenant?: string;
  readonly chatId: string;
  readonly threadId?: string;
  readonly conversationId: string;
  readonly kind: 'direct' | 'group';
  /** The folder that file tools work in: an absolute path without symlinks. */
  readonly workspace: string;
  /** Who asked: the run's principal, as `telegram:123456`, with the name that people call them. */
  readonly sender: { readonly principal: string; readonly name: string };
  /** Set where another run has begun this one. */
  readonly within?: SubRunScope;
}

/** What a call knows of its surroundings while it runs. */
export interface ToolContext extends ToolScope {
  readonly runId: string;
  readonly callId: string;
  /** Aborts when the call takes too long, is stopped, or the process ends. */
  readonly signal: AbortSignal;
  readonly log: Log;
  /** Says something in the chat while the tool runs. Resolves once it is stored. */
  reply(text: string): Promise<void>;
  /** Says what is being done, in one line. It may be shown, and is not stored. */
  progress(status: string): void;
  /** Missing where nobody can be asked. */
  readonly ask?: AskPerson;
}

/**
 * Asks the person whom the run serves, while the call runs, and resolves with their answer; with undefined if there is none in
 * time, they have stopped the call, or the signal calls the question off. The time of the call stands still meanwhile.
 */
export type AskPerson = (question: PersonQuestion, signal?: AbortSignal) => Promise<string | undefined>;

/** A tool as everything outside it sees it: its types are closed over. */
export interface Tool {
  readonly name: string;
  /** What cards call it. */
  readonly displayName: string;
  readonly category: ToolCategory;
  /** What the model is told. Derived once. */
  spec(): Promise<ToolDefinition>;
  /** Validates what the model wrote, and tries to coerce what it got wrong. Touches nothing. */
  prepare(args: JsonValue): Promise<Preparation>;
  /** Sees the arguments so far while the model still writes them. Nothing may happen yet. */
  onPartial?(args: JsonValue, scope: ToolScope): string | undefined;
}

export type Preparation =
  | { readonly valid: true; readonly call: PreparedCall }
  /** The message tells the model what to mend; the cause, for the log, is what the tool's own code threw. */
  | { readonly valid: false; readonly message: string; readonly cause?: unknown };

/** A call with arguments that are valid. */
export interface PreparedCall {
  readonly toolName: string;
  readonly displayName: string;
  /** What will be used, after defaults and coercion: what an approver sees and what the hash is made of. */
  readonly arguments: JsonObject;
  /** The tool's category, or what `assess` made of it for these arguments. */
  readonly category: ToolCategory;
  readonly facets: CallFacets;
  /** Changes with what makes it another tool although it says the same of itself. */
  readonly fingerprint?: string;
  /** Why a rule of the operator's, or a guard, forbids just this call: then nobody is asked, and it does not run. */
  readonly forbidden?: string;
  /** Set where a person's answer is the result: such a call is not executed. */
  readonly question?: PersonQuestion;
  /** The one line of markdown that an approver reads: what the call will do, as "run `ls`". */
  describe(scope: ToolScope): string;
  /** What is known of what it will do, in short sentences of markdown that stand behind the question. */
  readonly effect?: string;
  /** What the call would change, as markdown, where that can be shown better than by the arguments alone. */
  preview(scope: ToolScope): Promise<string | undefined>;
  /** The files that it executes, or is about, as they are now: what is approved is the call with just these. */
  binds?(scope: ToolScope): Promise<BoundFiles>;
  execute(context: ToolContext): Promise<ToolOutput>;
}

/** What a tool's author writes. */
export interface ToolAuthoring<Schema extends z.ZodType<object>> {
  readonly name: string;
  readonly displayName?: string;
  /** Tells the model when to use it, not how it works. A function, where that depends on something. */
  readonly description: string | (() => Promise<string>);
  readonly category: ToolCategory;
  readonly input: Schema;
  /** One line of markdown. This, and what else is known of a call before it runs, may load code that other calls do without. */
  describeCall(args: z.output<Schema>): string | Promise<string>;
  /** Raises or lowers the category for one call: a GET only reads. */
  assess?(args: z.output<Schema>): ToolCategory;
  /** What the rules have to know of this call beside its category. */
  facets?(args: z.output<Schema>): CallFacets | Promise<CallFacets>;
  /** Why this call must not happen, even with approval, in words for the model. Touches nothing outside. */
  forbid?(args: z.output<Schema>): string | undefined | Promise<string | undefined>;
  /** What to ask a person. Their answer is the result, and `execute` is never called. */
  question?(args: z.output<Schema>): PersonQuestion;
  /** What is known of what it will do, in short sentences of markdown. */
  effect?(args: z.output<Schema>): string | Promise<string>;
  preview?(args: z.output<Schema>, scope: ToolScope): Promise<string | undefined>;
  /** The files that it executes, or is about, as they are now: see `bound-files.ts`. An approval ends when they change. */
  binds?(args: z.output<Schema>, scope: ToolScope): Promise<BoundFiles>;
  /** One line for people about a call that the model still writes. */
  onPartial?(args: JsonValue, scope: ToolScope): string | undefined;
  execute(args: z.output<Schema>, context: ToolContext): Promise<ToolOutput>;
}

/** Makes a tool from its parts. The type of its arguments ends here. Throws `AuthoringError` where a part is missing. */
export function defineTool<Schema extends z.ZodType<object>>(authoring: ToolAuthoring<Schema>): Tool {
  const fault = authoringFault({ ...authoring });
  if (fault !== undefined) throw new AuthoringError(fault);
  const onPartial = authoring.onPartial?.bind(authoring);
  return {
    name: authoring.name,
    displayName: authoring.displayName ?? authoring.name,
    category: authoring.category,
    // A description that could not be had once may be had the next time.
    spec: once(() => deriveSpec(authoring)),
    async prepare(args) {
      const validation = validate(authoring.input, args);
      if (!validation.valid) return validation;
      return { valid: true, call: await prepareCall(authoring, validation.value) };
    },
    onPartial,
  };
}

async function deriveSpec<Schema extends z.ZodType<object>>(authoring: ToolAuthoring<Schema>): Promise<ToolDefinition> {
  const { name, displayName = name, description, input } = authoring;
  return {
    name,
    ...(displayName === name ? {} : { displayName }),
    description: typeof description === 'string' ? description : await description(),
    parameters: inputSchema(input),
  };
}

async function prepareCall<Schema extends z.ZodType<object>>(
  authoring: ToolAuthoring<Schema>,
  args: z.output<Schema>,
): Promise<PreparedCall> {
  const words: unknown = await authoring.describeCall(args);
  if (typeof words !== 'string') throw new TypeError('its "describeCall" gave no text');
  const binds = authoring.binds?.bind(authoring);
  return {
    toolName: authoring.name,
    displayName: authoring.displayName ?? authoring.name,
    arguments: asJson(args, authoring.name),
    category: authoring.assess?.(args) ?? authoring.category,
    facets: (await authoring.facets?.(args)) ?? {},
    forbidden: await authoring.forbid?.(args),
    question: authoring.question?.(args),
    effect: await authoring.effect?.(args),
    binds: binds && ((scope) => binds(args, scope)),
    describe: () => markdownLine(words, 500),
    preview: async (scope) => authoring.preview?.(args, scope),
    execute: (context) => authoring.execute(args, context),
  };
}

/** The arguments as they are shown and hashed. A schema whose output JSON cannot hold is a fault of the tool. */
function asJson(args: object, toolName: string): JsonObject {
  const copy: unknown = JSON.parse(JSON.stringify(args));
  if (!isJsonObject(copy)) throw new Error(`The arguments of the tool ${toolName} are no JSON object`);
  return copy;
}

/** A tool lacks something that it needs, or has something that is of no use. The message says what. */
export class AuthoringError extends Error {
  override readonly name = 'AuthoringError';
}

const optional = ['assess', 'facets', 'forbid', 'question', 'effect', 'preview', 'binds', 'onPartial'] as const;

/** What is missing or wrong in what a tool's author wrote, in one sentence; undefined where all is well. */
function authoringFault(authoring: Readonly<Record<string, unknown>>): string | undefined {
  const { name, displayName, description, category, input } = authoring;
  const faults = [
    typeof name === 'string' ? undefined : '"name" must be a text',
    displayName === undefined || typeof displayName === 'string' ? undefined : '"displayName" must be a text',
    typeof description === 'string' || typeof description === 'function'
      ? undefined
      : '"description" must be a text, or a function that resolves with one',
    isToolCategory(category) ? undefined : `"category" must be one of ${toolCategories.join(', ')}`,
    isSchema(input) ? undefined : '"input" must be what z.object({ … }) makes',
    ...['describeCall', 'execute'].map((key) => mustBeFunction(key, authoring[key])),
    ...optional.map((key) => (authoring[key] === undefined ? undefined : mustBeFunction(key, authoring[key]))),
  ].filter((fault) => fault !== undefined);
  if (faults.length === 0) return undefined;
  return `the tool ${typeof name === 'string' ? `"${name.slice(0, 64)}"` : 'without a name'} cannot be used: ${faults.join('; ')}`;
}

function mustBeFunction(key: string, value: unknown): string | undefined {
  if (typeof value === 'function') return undefined;
  return `"${key}" ${value === undefined ? 'is missing: it must be a function' : 'must be a function'}`;
}

function isSchema(input: unknown): boolean {
  return typeof input === 'object' && input !== null && 'safeParse' in input && typeof input.safeParse === 'function';
}
