import builtins from '../tools/builtin/definitions.json' with { type: 'json' };
import { longLivedGuard } from '../tools/guard/process/long-lived-process.ts';
import { processGuard } from '../tools/guard/process/process.ts';
import { workspaces } from '../tools/guard/workspace/workspace.ts';
import { Plugins } from '../tools/sources/plugin/plugins.ts';
import type { Bringer, SourceParts } from './bringers.ts';
import { forbiddenPlaces } from './forbidden.ts';
import { ownerNotices } from './owner-notice.ts';
import type { Ground } from './parts.ts';
import { ownPathsOf } from './tools.ts';

/** The plugins in the operator's folders. Loaded only where the config wants them. */
export function makePlugins(ground: Ground, { registry, trust, pluginVoices }: SourceParts): Bringer {
  const { config, clock, log, environment, bounds } = ground;
  const { plugin_dirs, allowed_plugins, blocked_plugins } = config.plugins;
  const guarded = { clock, environment, bounds: bounds.bounds };
  const plugins = new Plugins({
    settings: { folders: plugin_dirs, allowed: allowed_plugins, blocked: blocked_plugins },
    means: {
      runProcess: processGuard(guarded),
      startProcess: longLivedGuard(guarded),
      nodePath: process.execPath,
      workspaceAt: workspaces({ privatePaths: ownPathsOf(ground) }),
      deny: config.tools.shell.deny,
      maxOutputBytes: config.tools.shell.max_output_bytes,
      clock,
      log,
    },
    registry,
    // A builtin tool that is switched off leaves its name to nobody.
    reservedNames: Object.keys(builtins),
    trust,
    isForbidden: forbiddenPlaces(config),
    isConfined: () => bounds.isConfined(),
    tellOwners: ownerNotices(ground),
  });
  pluginVoices.answerWith((name, event, signal) => plugins.ask(name, event, signal));
  return plugins;
}
