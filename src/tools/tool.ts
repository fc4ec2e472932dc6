import type { z } from 'zod';
import type { Conversation } from '../contract.ts';
import { once } from '../lib/background.ts';
import { type JsonObject, type JsonValue, jsonCopy } from '../lib/json.ts';
import type { Log } from '../lib/log.ts';
import { markdownLine } from '../lib/plain-text.ts';
import { type InLanguage, type Language, type Words, wordsIn } from '../lib/words.ts';
import type { ToolDefinition } from '../transcript.ts';
import { inputSchema, type Validation, validate } from './arguments.ts';
import type { RuleTarget } from './lasting-target.ts';
import type { SubRunScope, ToolOutput } from './output.ts';

/** What a tool touches. Approval depends on it, not on the tool's name or source. */
export const toolCategories = [
  'filesystem_read',
  'filesystem_write',
  'network_read',
  'network_write',
  'shell',
  'hardware',
  'memory',
  'messaging',
  'destructive',
] as const;

export type ToolCategory = (typeof toolCategories)[number];

export function isToolCategory(value: unknown): value is ToolCategory {
  return toolCategories.some((known) => known === value);
}

/** Whether a call that may have run can run again: it changes nothing outside. */
export function isRepeatable(category: ToolCategory): boolean {
  return category === 'filesystem_read' || category === 'network_read';
}

/** What the rules of taint and approval know about a call besides its category. */
export interface CallFacets {
  /** It changes memory or schedules, rather than only reading them. */
  readonly writesMemory?: boolean;
  /** Its answer is the person's own, not for others. Default: true for the files and the shell. */
  readonly private?: boolean | undefined;
  /** The operator vouches for its answers: they do not taint. `names`: only if an answer is a list of names. */
  readonly trusted?: boolean | 'names' | undefined;
  /** The source of its answer, and of files that it saves, if strangers may have written them. */
  readonly brings?: string | undefined;
  /** Files and folders (with a slash) that it could read without an access time, anywhere: an untrusted one counts as read. */
  readonly untraced?: readonly string[] | undefined;
  /** The source of its answer, if that is untrusted and no file of it is kept. */
  readonly taintedBy?: string | undefined;
  /** False: no argument controls where a request goes, so reading with it leaks nothing. */
  readonly outbound?: boolean | undefined;
  /** The recipients, hosts, paths or ids that it reaches. Undefined if the tool declares none. */
  readonly targets?: readonly string[] | undefined;
  /** What people call the target if it is one, such as a chat's title. Only shown: rules look at the target. */
  readonly targetName?: string | undefined;
  /** What a permission for a while covers. Default: the targets. */
  readonly covers?: readonly string[] | undefined;
  /** All that it sends or stores: a person's own wish if they wrote all of it. Default: see `own-wish.ts`. */
  readonly sends?: readonly string[];
  /** The name of what it does, as `send_money`, if the tool's name does not tell: see `named-deeds.ts`. */
  readonly deed?: string;
  /** The operator's word: true: any request asks for it, if all of it was said. False: no words make it their wish. */
  readonly ownWords?: boolean | undefined;
  /** The operator's choice of the arguments that the model words. Default: by their names, such as `body`. */
  readonly freeText?: readonly string[] | undefined;
  /** The only workspace files that it may change. Default: any, if its category changes something outside. */
  readonly writes?: readonly string[];
  /** It speaks to another conversation. */
  readonly leavesConversation?: boolean;
  /** It reads from a host on the operator's list. */
  readonly trustedHost?: boolean;
  /** An operator's rule allows this very call: a dangerous kind is no reason to ask. */
  readonly allowedByRule?: boolean;
  /** Only a person's review keeps this call in bounds: it needs approval in autonomous mode, too. */
  readonly unconfined?: boolean;
  /** An operator's rule might forbid it if all of it were readable: a person decides, whatever else allows it. */
  readonly unreadable?: boolean;
  /** What it does cannot be undone, whatever its category: its card warns. */
  readonly irreversible?: boolean | undefined;
  /** Doing it twice is as good as once: a call with an unknown outcome may run again. */
  readonly repeatable?: boolean;
  /** All that it does is stored with its end (see `StoredEffect`): a call that has not ended has done nothing. */
  readonly leavesNothing?: boolean;
}

/** A question to the person that the run serves: in place of a call, or while a call runs. */
export interface PersonQuestion {
  /** Markdown. */
  readonly text: string;
  /** At most ten; empty if the answer is free text. */
  readonly options: readonly string[];
  /** The answer is free text or a number: a typed number never selects an option. */
  readonly wantsText?: boolean;
  /** In ms. */
  readonly timeout: number;
}

/**
 * The files that a call executes or is about, in their present state. An approval covers only these: they are checked
 * when the call is judged, and again when it runs.
 */
export interface BoundFiles {
  readonly files: readonly BoundFile[];
  /** There are no others, so the call can be allowed permanently. */
  readonly areAll: boolean;
}

export interface BoundFile {
  /** As people see it, relative to the workspace. */
  readonly path: string;
  /** Changes when the file does. */
  readonly state: string;
  /** For the card. */
  readonly note: Words;
  /** There is no such file, and it must stay so. */
  readonly isMissing?: true;
}

/** Where and for whom a tool is used. Known before any call, so that a tool can be made for it. */
export interface ToolScope {
  readonly channel: string;
  /** The Slack team or Discord guild that the chat belongs to. */
  readonly tenant?: string;
  readonly chatId: string;
  readonly threadId?: string;
  readonly conversationId: string;
  readonly kind: 'direct' | 'group';
  /** The folder of the file tools: an absolute path without symlinks. */
  readonly workspace: string;
  /** The run's principal, as `telegram:123456`, and the name that people use. */
  readonly sender: { readonly principal: string; readonly name: string };
  /** Set if another run started this one. */
  readonly within?: SubRunScope;
}

/** The conversation that the scope is about. */
export function conversationOf({ channel, tenant, chatId, threadId, kind }: ToolScope): Conversation {
  return { channel, tenant, chatId, threadId, kind };
}

/** What of a call its approver must read in full. */
export interface CallBody {
  /** As it will be used: a command, a message. */
  readonly text: string;
  /** For the colours of the block: `sh`. */
  readonly language?: string | undefined;
  /** What the call does, as `describeCall` says it, where the text stands below. */
  readonly title: Words;
}

/** The context of a running call. */
export interface ToolContext extends ToolScope {
  readonly runId: string;
  readonly callId: string;
  /** Aborts on timeout, when the call is stopped, or when the process ends. */
  readonly signal: AbortSignal;
  readonly log: Log;
  /** True: an untrusted file is in the workspace, so that reading there must leave an access time. */
  readonly tracesReads?: boolean;
  /** A lasting rule let it run, unasked: it must reach nothing but its `ruleTarget`. */
  readonly isRuled?: boolean;
  /** Posts in the chat while the tool runs. Resolves once the text is stored. */
  reply(text: string): Promise<void>;
  /** The text as people read it in an answer: without links that could leak private data. */
  asAnswer(text: string): string;
  /** Reports what is being done, in one line. It may be shown, and is not stored. */
  progress(status: string): void;
  /** Unset if nobody can be asked. */
  readonly ask?: AskPerson;
}

/**
 * Asks the person that the run serves, while the call runs. Resolves with their answer, or undefined on timeout, if
 * they stop the call, or if the signal aborts. The call's timer pauses meanwhile.
 */
export type AskPerson = (question: PersonQuestion, signal?: AbortSignal) => Promise<string | undefined>;

/** A tool as others see it: its types are closed over. */
export interface Tool {
  readonly name: string;
  /** The name that models are told. */
  readonly displayName: string;
  readonly category: ToolCategory;
  /** The definition for the model. Derived once. */
  spec(): Promise<ToolDefinition>;
  /** Validates the model's arguments, and tries to repair them. Has no side effects. */
  prepare(args: JsonValue): Promise<Preparation>;
  /** Gets the partial arguments while the model writes them. Must not have side effects. */
  onPartial?(args: JsonValue, scope: ToolScope): string | undefined;
}

export type Preparation =
  | { readonly valid: true; readonly call: PreparedCall }
  /** `message` tells the model what to fix; `cause`, for the log, is what the tool's own code threw. */
  | { readonly valid: false; readonly message: string; readonly cause?: unknown };

/** A call with valid arguments. */
export interface PreparedCall {
  readonly toolName: string;
  /** The name on cards. */
  readonly displayName: Words;
  /** After defaults and coercion: approvers see these, and the hash covers them. */
  readonly arguments: JsonObject;
  /** The tool's category, or what `assess` returned for these arguments. */
  readonly category: ToolCategory;
  readonly facets: CallFacets;
  /** Changes if the tool becomes another one without a change in its definition. */
  readonly fingerprint?: string;
  /** Why an operator's rule or a guard forbids this call: it does not run, and nobody is asked. */
  readonly forbidden?: string;
  /** Set if a person's answer is the result: the call is not executed. */
  readonly question?: PersonQuestion;
  /** One line of markdown for approvers: what the call will do, as "run `ls`". */
  describe(language?: Language): string;
  /** Known effects, the worst first: a short clause of markdown a line. */
  readonly effect?: Words;
  /** What must be read in full, if `describe` does not say it all. */
  readonly body?: CallBody | undefined;
  /** `describe` names all arguments that matter, though it may cut them. */
  readonly namesAll?: boolean | undefined;
  /** The change that the call would make, as markdown, if that shows more than the arguments. */
  preview(scope: ToolScope): Promise<Words | undefined>;
  /** The files that it executes or is about, in their present state: an approval covers only these. */
  binds?(scope: ToolScope): Promise<BoundFiles>;
  /** What a person's lasting rule about such calls may name. Undefined: there can be no rule about it. */
  ruleTarget?(scope: ToolScope): Promise<RuleTarget | undefined>;
  execute(context: ToolContext): Promise<ToolOutput>;
}

/** How an author defines a tool's calls. Steps before a call may load code that other calls do not need. */
export interface CallAuthoring<Args> {
  readonly name: string;
  /** The name on cards. Models are told the English one. Default: the name. */
  readonly displayName?: Words;
  readonly category: ToolCategory;
  /** Changes if the tool becomes another one without a change in its definition. */
  readonly fingerprint?: string;
  /** One line of markdown for approvers: a text, or what to say to them in the language that they read. */
  describeCall(args: Args, reader: { readonly language: Language }): Words | Promise<Words>;
  /** Raises or lowers the category for one call: a GET only reads. */
  assess?(args: Args): ToolCategory;
  /** What the rules know about this call besides its category. */
  facets?(args: Args): CallFacets | Promise<CallFacets>;
  /** Why this call must not run, even if approved; for the model. Has no side effects. */
  forbid?(args: Args): string | undefined | Promise<string | undefined>;
  /** The question for a person. Their answer is the result, and `execute` is never called. */
  question?(args: Args): PersonQuestion;
  /** Known effects, the worst first: a short clause of markdown a line. */
  effect?(args: Args): Words | undefined | Promise<Words>;
  /** What an approver must read in full, if `describeCall` does not say it all. Default: the arguments. */
  body?(args: Args): CallBody | undefined | Promise<CallBody | undefined>;
  /** `describeCall` names all arguments that matter, though it may cut them: what it cut is shown below. */
  readonly namesAll?: boolean;
  preview?(args: Args, scope: ToolScope): Promise<Words | undefined>;
  /** The files that it executes or is about: see `command-facts.ts`. An approval ends when they change. */
  binds?(args: Args, scope: ToolScope): Promise<BoundFiles>;
  /** What a person's lasting rule about such calls may name. Heard only from Keyturn's own tools. */
  ruleTarget?(args: Args, scope: ToolScope): Promise<RuleTarget | undefined>;
  /** One line for people about a call that the model is still writing. */
  onPartial?(args: JsonValue, scope: ToolScope): string | undefined;
  execute(args: Args, context: ToolContext): Promise<ToolOutput>;
}

export interface ToolAuthoring<Schema extends z.ZodType<object>> extends CallAuthoring<z.output<Schema>> {
  /** Tells the model when to use it, not how it works. A function if it varies. */
  readonly description: string | (() => Promise<string>);
  readonly input: Schema;
}

/** What Keyturn's own tools say of a call comes from a catalogue, in each language. */
export interface BuiltinAuthoring<Schema extends z.ZodType<object>>
  extends Omit<ToolAuthoring<Schema>, 'displayName' | 'describeCall' | 'effect' | 'preview'> {
  readonly displayName: InLanguage;
  describeCall(args: z.output<Schema>): InLanguage | Promise<InLanguage>;
  effect?(args: z.output<Schema>): InLanguage | undefined | Promise<InLanguage>;
  preview?(args: z.output<Schema>, scope: ToolScope): Promise<InLanguage | undefined>;
}

/** Makes one of Keyturn's own tools: its calls are described in the language of their reader. */
export function defineBuiltin<Schema extends z.ZodType<object>>(authoring: BuiltinAuthoring<Schema>): Tool {
  return defineTool({ namesAll: true, ...authoring });
}

/** Makes a tool. The type of its arguments ends here. Throws `AuthoringError` if a part is missing or wrong. */
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

/** A tool whose arguments are read by `read`. Its definition is derived once. */
export function toolOf<Args extends object>(
  authoring: CallAuthoring<Args>,
  describe: () => Promise<Pick<ToolDefinition, 'description' | 'parameters'>>,
  read: (args: JsonValue) => Validation<Args> | Promise<Validation<Args>>,
): Tool {
  const { name, category } = authoring;
  const displayName = wordsIn('en', authoring.displayName ?? name);
  return {
    name,
    displayName,
    category,
    // A description that failed once may work next time.
    spec: once(async () => ({ name, ...(displayName === name ? {} : { displayName }), ...(await describe()) })),
    async prepare(args) {
      const validation = await read(args);
      return validation.valid ? { valid: true, call: await prepareCall(validation.value, authoring) } : validation;
    },
    onPartial: authoring.onPartial?.bind(authoring),
  };
}

async function prepareCall<Args extends object>(args: Args, authoring: CallAuthoring<Args>): Promise<PreparedCall> {
  const { name, displayName = name, category, fingerprint } = authoring;
  const binds = authoring.binds?.bind(authoring);
  const ruleTarget = authoring.ruleTarget?.bind(authoring);
  const words = await describedCall(args, authoring);
  return {
    toolName: name,
    displayName,
    arguments: jsonCopy(args),
    category: authoring.assess?.(args) ?? category,
    facets: (await authoring.facets?.(args)) ?? {},
    fingerprint,
    forbidden: await authoring.forbid?.(args),
    question: authoring.question?.(args),
    effect: await authoring.effect?.(args),
    body: await authoring.body?.(args),
    namesAll: authoring.namesAll,
    binds: binds && ((scope) => binds(args, scope)),
    ruleTarget: ruleTarget && ((scope) => ruleTarget(args, scope)),
    describe: (language = 'en') => words[language],
    preview: async (scope) => authoring.preview?.(args, scope),
    execute: (context) => authoring.execute(args, context),
  };
}

/** One that takes no reader is asked for once: it may look something up. It holds for all, or gives words in each language. */
async function describedCall<Args>(
  args: Args,
  authoring: Pick<CallAuthoring<Args>, 'describeCall'>,
): Promise<Readonly<Record<Language, string>>> {
  const words: unknown = await authoring.describeCall(args, { language: 'en' });
  const others: unknown =
    authoring.describeCall.length < 2 ? words : await authoring.describeCall(args, { language: 'zh' });
  return { en: describedIn('en', words), zh: describedIn('zh', others) };
}

function describedIn(language: Language, words: unknown): string {
  const said: unknown = typeof words === 'function' ? words(language) : words;
  if (typeof said !== 'string') throw new TypeError('its "describeCall" gave no text');
  return markdownLine(said, 500);
}

/** A tool definition is incomplete or wrong. The message says how. */
export class AuthoringError extends Error {
  override readonly name = 'AuthoringError';
}

const functions = [
  'assess',
  'facets',
  'forbid',
  'question',
  'effect',
  'body',
  'preview',
  'binds',
  'ruleTarget',
  'onPartial',
] as const;

/** The faults of a tool definition, in one sentence; undefined if there are none. */
function authoringFault(authoring: Readonly<Record<string, unknown>>): string | undefined {
  const { name, displayName = '', description, category, input } = authoring;
  const hasSchema = typeof input === 'object' && input !== null && 'safeParse' in input;
  const faults = [
    typeof name !== 'string' && '"name" must be a text',
    !['string', 'function'].includes(typeof displayName) && '"displayName" must be a text',
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
