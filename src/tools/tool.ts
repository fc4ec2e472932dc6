import type { z } from 'zod';
import { isJsonObject, type JsonObject, type JsonValue } from '../lib/json.ts';
import type { Log } from '../lib/log.ts';
import { markdownLine } from '../lib/plain-text.ts';
import { once } from '../lib/remembered.ts';
import type { ToolDefinition } from '../transcript.ts';
import { type Validation, validate } from './arguments.ts';
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
  /** Validates what the model wrote, and tries to mend what it got wrong. Touches nothing. */
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

/** What an author writes of a tool's calls. What is known of a call before it runs may load code that other calls do without. */
export interface CallAuthoring<Args> {
  readonly name: string;
  readonly displayName?: string;
  readonly category: ToolCategory;
  /** Changes with what makes it another tool although it says the same of itself. */
  readonly fingerprint?: string;
  /** One line of markdown. */
  describeCall(args: Args): string | Promise<string>;
  /** Raises or lowers the category for one call: a GET only reads. */
  assess?(args: Args): ToolCategory;
  /** What the rules have to know of this call beside its category. */
  facets?(args: Args): CallFacets | Promise<CallFacets>;
  /** Why this call must not happen, even with approval, in words for the model. Touches nothing outside. */
  forbid?(args: Args): string | undefined | Promise<string | undefined>;
  /** What to ask a person. Their answer is the result, and `execute` is never called. */
  question?(args: Args): PersonQuestion;
  /** What is known of what it will do, in short sentences of markdown. */
  effect?(args: Args): string | undefined | Promise<string>;
  preview?(args: Args, scope: ToolScope): Promise<string | undefined>;
  /** The files that it executes, or is about, as they are now: see `bound-files.ts`. An approval ends when they change. */
  binds?(args: Args, scope: ToolScope): Promise<BoundFiles>;
  /** One line for people about a call that the model still writes. */
  onPartial?(args: JsonValue, scope: ToolScope): string | undefined;
  execute(args: Args, context: ToolContext): Promise<ToolOutput>;
}

/** What a tool's author writes. */
export interface ToolAuthoring<Schema extends z.ZodType<object>> extends CallAuthoring<z.output<Schema>> {
  /** Tells the model when to use it, not how it works. A function, where that depends on something. */
  readonly description: string | (() => Promise<string>);
  readonly input: Schema;
}

/** Makes a tool from its parts. The type of its arguments ends here. Throws `AuthoringError` where a part is missing. */
export function defineTool<Schema extends z.ZodType<object>>(authoring: ToolAuthoring<Schema>): Tool {
  const fault = authoringFault({ ...authoring });
  if (fault !== undefined) throw new AuthoringError(fault);
  const { description, input } = authoring;
  const spec = async (): Promise<Pick<ToolDefinition, 'description' | 'parameters'>> => ({
    description: typeof description === 'string' ? description : await description(),
    parameters: inputSchema(input),
  });
  return toolOf(authoring, spec, (args) => validate(input, args));
}

/** A tool whose arguments are read as `read` does it. What it says of itself is derived once. */
export function toolOf<Args extends object>(
  authoring: CallAuthoring<Args>,
  describe: () => Promise<Pick<ToolDefinition, 'description' | 'parameters'>>,
  read: (args: JsonValue) => Validation<Args> | Promise<Validation<Args>>,
): Tool {
  const { name, displayName = name, category, fingerprint } = authoring;
  const binds = authoring.binds?.bind(authoring);
  const prepareCall = async (args: Args): Promise<PreparedCall> => {
    const words: unknown = await authoring.describeCall(args);
    if (typeof words !== 'string') throw new TypeError('its "describeCall" gave no text');
    return {
      toolName: name,
      displayName,
      arguments: asJson(args, name),
      category: authoring.assess?.(args) ?? category,
      facets: (await authoring.facets?.(args)) ?? {},
      fingerprint,
      forbidden: await authoring.forbid?.(args),
      question: authoring.question?.(args),
      effect: await authoring.effect?.(args),
      binds: binds && ((scope) => binds(args, scope)),
      describe: () => markdownLine(words, 500),
      preview: async (scope) => authoring.preview?.(args, scope),
      execute: (context) => authoring.execute(args, context),
    };
  };
  return {
    name,
    displayName,
    category,
    // A description that failed once may work the next time.
    spec: once(async () => ({ name, ...(displayName === name ? {} : { displayName }), ...(await describe()) })),
    async prepare(args) {
      const validation = await read(args);
      return validation.valid ? { valid: true, call: await prepareCall(validation.value) } : validation;
    },
    onPartial: authoring.onPartial?.bind(authoring),
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

const functions = ['assess', 'facets', 'forbid', 'question', 'effect', 'preview', 'binds', 'onPartial'] as const;

/** What is missing or wrong in what a tool's author wrote, in one sentence; undefined where all is well. */
function authoringFault(authoring: Readonly<Record<string, unknown>>): string | undefined {
  const { name, displayName = '', description, category, input } = authoring;
  const hasSchema = typeof input === 'object' && input !== null && 'safeParse' in input;
  const faults = [
    typeof name !== 'string' && '"name" must be a text',
    typeof displayName !== 'string' && '"displayName" must be a text',
    !['string', 'function'].includes(typeof description) &&
      '"description" must be a text, or a function that resolves with one',
    !isToolCategory(category) && `"category" must be one of ${toolCategories.join(', ')}`,
    !(hasSchema && typeof input.safeParse === 'function') && '"input" must be what z.object({ … }) makes',
    ...['describeCall', 'execute'].map(
      (key) => authoring[key] === undefined && `"${key}" is missing: it must be a function`,
    ),
    ...['describeCall', 'execute', ...functions].map(
      (key) => !['undefined', 'function'].includes(typeof authoring[key]) && `"${key}" must be a function`,
    ),
  ].filter((fault) => fault !== false);
  if (faults.length === 0) return undefined;
  return `the tool ${typeof name === 'string' ? `"${name.slice(0, 64)}"` : 'without a name'} cannot be used: ${faults.join('; ')}`;
}
