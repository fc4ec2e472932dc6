import { expect } from 'vitest';
import { systemClock } from '../../src/lib/clock.ts';
import type { JsonValue } from '../../src/lib/json.ts';
import { type Log, silentLog } from '../../src/lib/log.ts';
import { type Language, wordsIn } from '../../src/lib/words.ts';
import { builtinTools } from '../../src/tools/builtin/index.ts';
import { unbounded } from '../../src/tools/guard/process/bounds.ts';
import { createToolRegistry } from '../../src/tools/registry.ts';
import { createToolRunner } from '../../src/tools/runner.ts';
import type { PreparedCall, Tool, ToolContext, ToolScope } from '../../src/tools/tool.ts';
import { newFolder } from '../support/new-folder.ts';
import { wholeSchema } from '../support/whole-schema.ts';

/** Texts as they are written, between broken bars. */
export const listed = ({ raw: [text = ''] }: TemplateStringsArray): readonly string[] => text.trim().split(/\s*¦ /);

/** An output that is an error with these words. */
export const errorSaying = (words: string | RegExp): unknown =>
  expect.objectContaining({
    isError: true,
    forLlm: typeof words === 'string' ? expect.stringContaining(words) : expect.stringMatching(words),
  });

export function scopeIn(workspace: string): ToolScope {
  return {
    channel: 'terminal',
    chatId: '1',
    kind: 'direct',
    conversationId: 'terminal:1',
    workspace,
    sender: { principal: 'terminal:1', name: 'Ada' },
  };
}

export function contextIn(workspace: string, changed: Partial<ToolContext> = {}): ToolContext {
  return {
    ...scopeIn(workspace),
    runId: 'run-1',
    callId: `call-${crypto.randomUUID()}`,
    signal: new AbortController().signal,
    log: silentLog,
    reply: async () => {},
    asAnswer: (text) => text,
    progress: () => {},
    ...changed,
  };
}

export interface LogLine {
  readonly level: string;
  readonly fields: object;
  readonly message: string;
}

/** A log whose lines can be looked at. */
export function recordingLog(lines: LogLine[]): Log {
  const at =
    (level: string) =>
    (fields: object, message: string): void => {
      lines.push({ level, fields, message });
    };
  const log: Log = { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error'), child: () => log };
  return log;
}

/** A call that does this and is nothing else. */
export function callDoing(execute: PreparedCall['execute'], args: PreparedCall['arguments'] = {}): PreparedCall {
  const known = { toolName: 'probe', displayName: 'Probe', category: 'memory', facets: {}, arguments: args } as const;
  return { ...known, describe: () => 'probe', preview: async () => undefined, execute };
}

/** The call of valid arguments; throws the message for the model if they are not. */
export async function prepared(tool: Tool, args: JsonValue): Promise<PreparedCall> {
  const preparation = await tool.prepare(args);
  if (!preparation.valid) throw new Error(preparation.message);
  return preparation.call;
}

/** The change that a card shows of the call, in the language of its reader; empty if it shows none. */
export async function previewOf(call: PreparedCall, workspace: string, language: Language = 'en'): Promise<string> {
  return wordsIn(language, (await call.preview(scopeIn(workspace))) ?? '');
}

/** The builtin tools on a real folder. */
export async function builtinSetting(environment: Record<string, string> = {}) {
  const workspace = await newFolder();
  const registry = createToolRegistry({ log: silentLog });
  const { tools: settings } = wholeSchema().parse({
    tools: { shell: { timeout_secs: 10, env: ['PASSED'], deny: [] } },
  });
  const tools = builtinTools({
    clock: systemClock,
    bounds: unbounded,
    isConfined: () => false,
    environment: { PATH: process.env.PATH, ...environment },
    settings,
  });
  for (const tool of tools) registry.register(tool, { type: 'builtin' });
  // What is told to end has as much time as it takes on a machine that is busy.
  const runner = createToolRunner({ clock: systemClock, settings: { grace: 100_000 } });
  const prepare = async (name: string, args: JsonValue): Promise<PreparedCall> => {
    const found = await registry.get(name, scopeIn(workspace));
    if (found === undefined) throw new Error(`no tool ${name}`);
    return prepared(found.tool, args);
  };
  return {
    workspace,
    runner,
    prepare,
    /** As the loop does it: by name from the registry, prepared, executed by the runner. */
    call: async (name: string, args: JsonValue, changed?: Partial<ToolContext>) =>
      (await runner.run(await prepare(name, args), contextIn(workspace, changed))).output,
  };
}
