import type { Config } from '../config/schema.ts';
import type { CallHooks } from '../tools/call-hooks.ts';
import { unbounded } from '../tools/guard/process/bounds.ts';
import type { HookSettings } from '../tools/sources/hooks/hooks.ts';
import type { PluginVoices } from '../tools/sources/hooks/plugin-voices.ts';
import type { Ground } from './parts.ts';

type Hook = Config['hooks']['after_tool_call'][number];

/** The hooks of the config, and what ends them. */
export interface RunningHooks extends CallHooks {
  stop(): Promise<void>;
}

/** What of the operator's looks at tool calls. Where nothing does, nothing of it is loaded. */
export async function makeHooks(
  { config, clock, log, redact, environment }: Ground,
  pluginVoices: PluginVoices,
): Promise<RunningHooks> {
  const { before_tool_call: before, after_tool_call: after } = config.hooks;
  if (before.length === 0 && after.length === 0) return { before: [], after: [], stop: async () => {} };
  const [{ longLivedGuard }, { commandVoice }, { Hooks }] = await Promise.all([
    import('../tools/guard/process/long-lived-process.ts'),
    import('../tools/sources/hooks/command-voice.ts'),
    import('../tools/sources/hooks/hooks.ts'),
  ]);
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
