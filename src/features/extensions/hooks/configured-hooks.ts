import type { Config } from '../../../config/schema.ts';
import type { FeatureCore } from '../../../feature-points.ts';
import { newId } from '../../../lib/ids.ts';
import { parseJson } from '../../../lib/json.ts';
import { oneLine } from '../../../lib/plain-text.ts';
import type { CallHooks } from '../../../tools/call-hooks.ts';
import { unbounded } from '../../../tools/guard/process/bounds.ts';
import { OutputCapture } from '../../../tools/guard/process/output-capture.ts';
import type { LongLivedGuard } from '../../../tools/guard/process/process.ts';
import { HookFailure, type HookSettings, Hooks, type HookVoice, type PluginVoices } from './hooks.ts';

type Hook = Config['hooks']['after_tool_call'][number];

/** The hooks of the config, and what ends them. */
interface RunningHooks extends CallHooks {
  stop(): Promise<void>;
}

/** The hooks that the operator's config names. Where it names none, what runs commands is not loaded. */
export async function configuredHooks(
  { config, clock, log, redact, environment }: FeatureCore,
  pluginVoices: PluginVoices,
): Promise<RunningHooks> {
  const { before_tool_call: before, after_tool_call: after } = config.hooks;
  if (before.length === 0 && after.length === 0) return { before: [], after: [], stop: async () => {} };
  const { longLivedGuard } = await import('../../../tools/guard/process/process.ts');
  // They are the operator's own: nothing keeps them in bounds, but none of our secrets is handed to them.
  const runProcess = longLivedGuard({ clock, bounds: unbounded, environment });
  const settingsOf =
    (kind: string) =>
    (hook: Hook, index: number): HookSettings => ({
      name: `hooks.${kind}[${index}]`,
      ask:
        hook.plugin === undefined
          ? commandVoice(runProcess, { command: hook.command ?? '', directory: hook.working_dir })
          : pluginVoices.of(hook.plugin),
      tools: hook.tools,
      categories: hook.categories,
      timeout: hook.timeout_secs * 1000,
    });
  const common = settingsOf('before_tool_call');
  return new Hooks({
    before: before.map((hook, index) => ({ ...common(hook, index), onFailure: hook.on_failure })),
    after: after.map(settingsOf('after_tool_call')),
    clock,
    log,
    redact,
  });
}

/** The most that a hook may say, in bytes. */
const longestAnswer = 1_048_576;

/** Asks a command, which `/bin/sh -c` runs: it reads one JSON document, and says one. */
export function commandVoice(
  runProcess: LongLivedGuard,
  { command, directory }: { readonly command: string; readonly directory: string },
): HookVoice {
  return async (event, signal) => {
    signal.throwIfAborted();
    // Not the call's own id: what carries that ends with the call.
    const child = await runProcess({ command, directory, callId: `hook-${newId(12)}` });
    const stop = (): void => void child.stop();
    signal.addEventListener('abort', stop, { once: true });
    if (signal.aborted) stop();
    const capture = new OutputCapture(longestAnswer);
    child.stdout.on('data', (chunk: Buffer) => capture.push('stdout', chunk));
    child.stderr.on('data', (chunk: Buffer) => capture.push('stderr', chunk));
    child.stdin.end(`${JSON.stringify(event)}\n`);
    const { exitCode, signal: endedBy } = await child.ended;
    signal.removeEventListener('abort', stop);
    signal.throwIfAborted();
    const { stdout, stderr } = capture.read();
    if (exitCode !== 0) {
      const how = exitCode === null ? `it was ended by ${endedBy ?? 'a signal'}` : `its exit code is ${exitCode}`;
      throw new HookFailure(`${how}${stderr.trim() === '' ? '' : `, and it said: ${oneLine(stderr.trim(), 300)}`}`);
    }
    return stdout.trim() === '' ? undefined : parseJson(stdout);
  };
}
