import { z } from 'zod';
import type { Clock } from '../lib/clock.ts';
import { isJsonObject } from '../lib/json.ts';
import { markdownLine, messageOf, oneLine } from '../lib/plain-text.ts';
import type { InLanguage, Words } from '../lib/words.ts';
import type { ToolDefinition } from '../transcript.ts';
import {
  type BoundFile,
  type CallBody,
  type Preparation,
  type PreparedCall,
  type Tool,
  type ToolScope,
  toolCategories,
} from './tool.ts';
import { toolsWords } from './words.ts';

/** Untrusted: each field may be anything. */
type Unknown<Thing> = { readonly [Key in keyof Thing]?: unknown };

/** The limit of each step before a call, in ms. */
const longest = 10_000;

/**
 * Protects a run from the tool author's code: if a step before a call throws, hangs or returns the wrong type, the call
 * is invalid, with a message for the model. Without a clock there is no time limit.
 */
export function guardedTool(tool: Tool, scope: ToolScope, clock: Clock | undefined): Tool {
  const { name, displayName, category } = tool;
  const onPartial = tool.onPartial?.bind(tool);
  const spec = (): Promise<ToolDefinition> => within(checkedSpec(tool), clock);
  return {
    name,
    displayName,
    category,
    spec,
    onPartial: onPartial && ((args, where) => textIfAny(onPartial(args, where))),
    async prepare(args): Promise<Preparation> {
      try {
        // The call is bound to the spec later.
        await spec();
        const preparation = await within(tool.prepare(args), clock);
        return preparation.valid ? await guarded(preparation.call, scope, clock) : preparation;
      } catch (cause) {
        return faulty(name, `it threw "${oneLine(messageOf(cause), 300)}"`, cause);
      }
    },
  };
}

/** The tool's spec. Rejects if a model cannot use it. */
export async function checkedSpec(tool: Pick<Tool, 'name' | 'spec'>): Promise<ToolDefinition> {
  const spec = await tool.spec();
  const { name, description, parameters }: Unknown<ToolDefinition> = spec;
  if (name === tool.name && typeof description === 'string' && isJsonObject(parameters)) return spec;
  throw new TypeError('its "spec" gave no name of its own, no text as "description", or no object as "parameters"');
}

async function guarded(call: PreparedCall, scope: ToolScope, clock: Clock | undefined): Promise<Preparation> {
  const bound = await within(call.binds?.(scope), clock);
  const { category: assess, forbidden: forbid } = call;
  const chinese: unknown = call.describe('zh');
  const inChinese = typeof chinese === 'string' ? chinese : call.describe();
  const given = { ...call, describeCall: call.describe(), assess, forbid, binds: bound };
  const { success, data, error } = callForm.safeParse(given);
  if (!success) return faulty(call.toolName, `its "${String(error.issues[0]?.path[0])}" gave something unusable`);
  const binds = bound && { ...bound, files: bound.files.map(withSpokenNote) };
  return {
    valid: true,
    call: {
      ...call,
      displayName: spoken(call.displayName) ?? call.toolName,
      describe: (language) => (language === 'zh' ? inChinese : data.describeCall),
      effect: spoken(call.effect),
      body: bodyOf(call),
      binds: binds && (async () => binds),
      preview: (where) => previewOf(call, where, clock),
    },
  };
}

/**
 * What a tool's author wrote for people, which may be anything. Its words in a language are asked for when a card is
 * written: a fault in them is said there.
 */
function spoken(words: unknown): Words | undefined {
  if (typeof words !== 'function') return textIfAny(words);
  return (language) => {
    try {
      return textIfAny(words(language)) ?? '';
    } catch (cause) {
      return couldNotShow(cause)(language);
    }
  };
}

function couldNotShow(cause: unknown): InLanguage {
  const why = markdownLine(messageOf(cause), 300);
  return (language) => toolsWords[language].noPreview(why);
}

function bodyOf({ body }: PreparedCall): PreparedCall['body'] {
  const { text, language, title }: Unknown<CallBody> = body ?? {};
  if (typeof text !== 'string') return undefined;
  return { text, language: textIfAny(language), title: spoken(title) ?? '' };
}

function withSpokenNote(file: BoundFile): BoundFile {
  return { ...file, note: spoken(file.note) ?? '' };
}

async function previewOf(
  call: Pick<PreparedCall, 'preview'>,
  where: ToolScope,
  clock: Clock | undefined,
): Promise<Words | undefined> {
  try {
    return spoken(await within(call.preview(where), clock));
  } catch (cause) {
    return couldNotShow(cause);
  }
}

/** The required form of a prepared call, by what gives each part. Throws if JSON cannot hold its arguments. */
const callForm = z.object({
  toolName: z.string(),
  displayName: z.union([z.string(), z.custom((value) => typeof value === 'function')]),
  describeCall: z.string(),
  arguments: z.custom((value) => isJsonObject(value) && JSON.stringify(value) !== undefined),
  assess: z.enum(toolCategories),
  facets: z.looseObject({}),
  effect: z.union([z.string(), z.custom((value) => typeof value === 'function')]).optional(),
  forbid: z.string().optional(),
  fingerprint: z.string().optional(),
  question: z.object({ text: z.string(), options: z.array(z.string()) }).optional(),
  binds: z
    .object({ files: z.array(z.object({ path: z.string(), state: z.string() })), areAll: z.boolean() })
    .optional(),
});

/** Rejects after `longest`. */
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

function textIfAny(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}
