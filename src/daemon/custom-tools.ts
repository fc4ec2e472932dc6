import type { Config } from '../config/schema.ts';
import { once } from '../lib/once.ts';
import { type WorkspaceRules, workspaces } from '../tools/guard/workspace/workspace.ts';
import type { ToolRegistration, ToolRegistry } from '../tools/registry.ts';
import type { CustomToolDependencies } from '../tools/sources/custom/custom-tool.ts';
import type { Ground } from './parts.ts';

/** Registers the tools that the operator has written as commands; each in place of a builtin tool of its name. */
export function registerCustomTools(ground: Ground, registry: ToolRegistry, rules: WorkspaceRules): void {
  const { clock, environment, bounds, config } = ground;
  const { deny, allow, max_output_bytes: maxOutputBytes } = config.tools.shell;
  const dependencies = once(async (): Promise<CustomToolDependencies> => {
    const { processGuard } = await import('../tools/guard/process/process.ts');
    return {
      runProcess: processGuard({ clock, environment, bounds: bounds.bounds }),
      workspaceAt: workspaces(rules),
      isConfined: () => bounds.isConfined(),
      rules: { deny, allow },
      maxOutputBytes,
    };
  });
  for (const tool of config.custom_tools) {
    registry.registerOrReplace(registrationOf(tool, dependencies), { type: 'custom' });
  }
}

/** What reads and runs commands is loaded with the first call. */
function registrationOf(
  tool: Config['custom_tools'][number],
  dependencies: () => Promise<CustomToolDependencies>,
): ToolRegistration {
  const { name, description, category, command, parameters, working_dir: folder, timeout_secs: timeoutSecs } = tool;
  const settings = {
    name,
    description,
    category,
    command,
    parameters,
    ...(folder === undefined ? {} : { folder }),
    timeoutSecs,
    variables: tool.env,
  };
  return {
    name,
    category,
    definition: { name, description, parameters },
    create: once(async () =>
      (await import('../tools/sources/custom/custom-tool.ts')).customTool(settings, await dependencies()),
    ),
  };
}
