import type { z } from 'zod';
import { isJsonObject, type JsonObject, type JsonValue } from '../lib/json.ts';
import type { Log } from '../lib/log.ts';
import { once } from '../lib/once.ts';
import { markdownLine } from '../lib/plain-text.ts';
import type { ToolDefinition } from '../transcript.ts';
import { validate } from './arguments.ts';
import type { ToolCategory } from './category.ts';
import type { CallFacets, PersonQuestion } from './facets.ts';
import { inputSchema } from './json-schema.ts';
import type { ToolOutput } from './output.ts';
import type { SubRunScope } from './sub-run-request.ts';

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
  /** Who asked: the run's principal, as `telegram:123456`, with the name that people call him. */
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
 * Asks the person whom the run serves, while the call runs, and resolves with his answer; with undefined if there is none in
 * time, he has stopped the call, or the signal calls the question off. The time of the call stands still meanwhile.
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
  /** The message tells the model what to mend. */
  | { readonly valid: false; readonly message: string };

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
  /** What the call would change, as markdown, where that can be shown better than by the arguments alone. */
  preview(scope: ToolScope): Promise<string | undefined>;
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
  describeCall(args: z.output<Schema>): string;
  /** Raises or lowers the category for one call: a GET only reads. */
  assess?(args: z.output<Schema>): ToolCategory;
  /** What the rules have to know of this call beside its category. */
  facets?(args: z.output<Schema>): CallFacets;
  /** Why this call is not to happen, whoever would approve it, in words for the model. Touches nothing outside. */
  forbid?(args: z.output<Schema>): string | undefined;
  /** What to ask a person. His answer is the result, and `execute` is never called. */
  question?(args: z.output<Schema>): PersonQuestion;
  preview?(args: z.output<Schema>, scope: ToolScope): Promise<string | undefined>;
  /** One line for people about a call that the model still writes. */
  onPartial?(args: JsonValue, scope: ToolScope): string | undefined;
  execute(args: z.output<Schema>, context: ToolContext): Promise<ToolOutput>;
}

/** Makes a tool from its parts. The type of its arguments ends here. */
export function defineTool<Schema extends z.ZodType<object>>(authoring: ToolAuthoring<Schema>): Tool {
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
      return { valid: true, call: prepareCall(authoring, validation.value) };
    },
    ...(onPartial === undefined ? {} : { onPartial }),
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

function prepareCall<Schema extends z.ZodType<object>>(
  authoring: ToolAuthoring<Schema>,
  args: z.output<Schema>,
): PreparedCall {
  const forbidden = authoring.forbid?.(args);
  const question = authoring.question?.(args);
  return {
    toolName: authoring.name,
    displayName: authoring.displayName ?? authoring.name,
    arguments: asJson(args, authoring.name),
    category: authoring.assess?.(args) ?? authoring.category,
    facets: authoring.facets?.(args) ?? {},
    ...(forbidden === undefined ? {} : { forbidden }),
    ...(question === undefined ? {} : { question }),
    describe: () => markdownLine(authoring.describeCall(args), 500),
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
