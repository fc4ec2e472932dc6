import type { Clock } from '../lib/clock.ts';
import { isJsonObject } from '../lib/json.ts';
import { markdownLine, oneLine } from '../lib/plain-text.ts';
import type { ToolDefinition } from '../transcript.ts';
import { isToolCategory } from './category.ts';
import type { Preparation, PreparedCall, Tool, ToolScope } from './tool.ts';

/** What is anybody's, and may be anything. */
type Unknown<Thing> = { readonly [Key in keyof Thing]?: unknown };

/** How long a tool may take for what comes before a call, each time, in milliseconds. */
const longest = 10_000;

/**
 * The tool for a scope, so that its author's code cannot end a run, or hold it up: what throws, never ends or gives something
 * else than it should before a call begins makes that call invalid, in words for the model. Without a clock, it is waited for.
 */
export function guardedTool(tool: Tool, scope: ToolScope, clock: Clock | undefined): Tool {
  const { name, displayName, category } = tool;
  const onPartial = tool.onPartial?.bind(tool);
  const spec = (): Promise<ToolDefinition> => within(checkedSpec(tool), clock);
  return {
    ...{ name, displayName, category, spec },
    onPartial: onPartial && ((args, where) => textIfAny(onPartial(args, where))),
    async prepare(args): Promise<Preparation> {
      try {
        // The call is bound to it later.
        await spec();
        const preparation = await within(tool.prepare(args), clock);
        return preparation.valid ? await guarded(preparation.call, scope, clock) : preparation;
      } catch (cause) {
        return faulty(name, `it threw "${messageOf(cause)}"`, cause);
      }
    },
  };
}

/** What the tool says of itself. Rejects if that is nothing that a model can be told. */
export async function checkedSpec(tool: Pick<Tool, 'name' | 'spec'>): Promise<ToolDefinition> {
  const spec = await tool.spec();
  const { name, description, parameters }: Unknown<ToolDefinition> = spec;
  if (name === tool.name && typeof description === 'string' && isJsonObject(parameters)) return spec;
  throw new TypeError('its "spec" gave no name of its own, no text as "description", or no object as "parameters"');
}

async function guarded(call: PreparedCall, scope: ToolScope, clock: Clock | undefined): Promise<Preparation> {
  const description: unknown = call.describe(scope);
  const fault = typeof description === 'string' ? faultOf(call) : 'its "describeCall" gave no text';
  if (fault !== undefined || typeof description !== 'string') return faulty(call.toolName, fault ?? '');
  const bound = await within(call.binds?.(scope), clock);
  if (bound !== undefined && !isBinding(bound)) return faulty(call.toolName, 'its "binds" gave no list of files');
  return {
    valid: true,
    call: {
      ...call,
      describe: () => description,
      binds: bound && (async () => bound),
      async preview(where) {
        try {
          return textIfAny(await within(call.preview(where), clock));
        } catch (cause) {
          return `⚠️ The tool could not show what it would change: it threw "${markdownLine(messageOf(cause), 300)}"`;
        }
      },
    },
  };
}

/** What is wrong with what is known of a call before it runs. Throws where its arguments are no JSON. */
function faultOf(call: Unknown<PreparedCall>): string | undefined {
  const { toolName, displayName, arguments: args, category, facets, question } = call;
  const texts = [call.effect, call.forbidden, call.fingerprint];
  if (!isJsonObject(args) || JSON.stringify(args) === undefined) return 'its arguments are no object';
  if (typeof toolName !== 'string' || typeof displayName !== 'string') return 'its call has no name';
  if (!isToolCategory(category)) return 'its "assess" gave no category';
  if (!isObject(facets)) return 'its "facets" gave no object';
  if (!texts.every((text) => text === undefined || typeof text === 'string'))
    return 'its "effect", "forbid" or "fingerprint" gave no text';
  return question === undefined || isQuestion(question)
    ? undefined
    : 'its "question" has no text, or no list of options';
}

function isQuestion(value: unknown): boolean {
  if (!isObject(value) || !('text' in value) || !('options' in value)) return false;
  const { text, options } = value;
  return typeof text === 'string' && Array.isArray(options) && options.every((option) => typeof option === 'string');
}

function isBinding(value: unknown): boolean {
  if (!isObject(value) || !('files' in value) || !('areAll' in value)) return false;
  const { files, areAll } = value;
  return typeof areAll === 'boolean' && Array.isArray(files) && files.every(isBoundFile);
}

function isBoundFile(value: unknown): boolean {
  if (!isObject(value) || !('path' in value) || !('state' in value)) return false;
  return typeof value.path === 'string' && typeof value.state === 'string';
}

/** Rejects if it takes too long. */
async function within<Result>(work: Result | Promise<Result>, clock: Clock | undefined): Promise<Result> {
  if (clock === undefined) return work;
  const late = Promise.withResolvers<never>();
  const cancel = clock.after(longest, () => late.reject(new Error(`It did not answer within ${longest / 1000} s.`)));
  try {
    return await Promise.race([work, late.promise]);
  } finally {
    cancel();
  }
}

function faulty(name: string, why: string, cause?: unknown): Preparation {
  const message = `The tool ${name} did not run: before it began, ${why}. That is a fault of the tool. Try other arguments or another way, or tell the person.`;
  return { valid: false, message, cause };
}

function messageOf(cause: unknown): string {
  return oneLine(cause instanceof Error ? cause.message : String(cause), 300);
}

function textIfAny(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}
