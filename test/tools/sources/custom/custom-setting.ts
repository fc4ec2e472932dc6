import type { z } from 'zod';
import { systemClock } from '../../../../src/lib/clock.ts';
import type { JsonValue } from '../../../../src/lib/json.ts';
import { type CommandBounds, unconfined } from '../../../../src/tools/guard/process/bounds.ts';
import type { CommandShell } from '../../../../src/tools/guard/process/command-shell.ts';
import { processGuard } from '../../../../src/tools/guard/process/process.ts';
import { workspaces } from '../../../../src/tools/guard/workspace/workspace.ts';
import type { ToolOutput } from '../../../../src/tools/output.ts';
import { type CustomToolSettings, customTool } from '../../../../src/tools/sources/custom/custom-tool.ts';
import { toolParameters } from '../../../../src/tools/sources/parameters.ts';
import type { PreparedCall, ToolContext } from '../../../../src/tools/tool.ts';
import { machineShell } from '../../../support/machine-shell.ts';
import { newFolder } from '../../../support/new-folder.ts';
import { contextIn, prepared } from '../../setting.ts';

export interface CustomSettingOptions extends Partial<Omit<CustomToolSettings, 'parameters'>> {
  readonly command: string;
  /** In any of the forms of the config. */
  readonly parameters?: z.input<typeof toolParameters>;
  /** Commands that never run. Default: all may. */
  readonly deny?: readonly string[];
  readonly allow?: readonly string[];
  readonly isConfined?: boolean;
  readonly bounds?: CommandBounds;
  /** Default: the machine's. */
  readonly shell?: CommandShell;
  readonly environment?: Readonly<Record<string, string>>;
}

/** A custom tool on a real folder, whose commands really run. */
export async function customSetting(options: CustomSettingOptions) {
  const { parameters, deny = [], allow = [], isConfined = false, environment = {} } = options;
  const shell = options.shell ?? (await machineShell());
  const bounds = options.bounds ?? unconfined(undefined, [], shell);
  const workspace = await newFolder();
  const settings = { name: 'mine', description: 'Mine.', category: 'shell', timeout_secs: 20, env: {} } as const;
  const tool = customTool(
    { ...settings, ...options, parameters: toolParameters.parse(parameters) },
    {
      runProcess: processGuard({
        clock: systemClock,
        bounds,
        environment: { PATH: process.env.PATH, ...environment },
      }),
      workspaceAt: workspaces(),
      isConfined: () => isConfined,
      commandShell: () => shell,
      shell: { deny, allow, max_output_bytes: 20 * 2 ** 20, allowed_domains: [], protected: [] },
    },
  );
  /** Throws the message for the model if the arguments are not valid. */
  const prepare = (args: JsonValue): Promise<PreparedCall> => prepared(tool, args);
  return {
    workspace,
    tool,
    prepare,
    /** What the call says, without anybody being asked. */
    call: async (args: JsonValue, changed?: Partial<ToolContext>) =>
      (await prepare(args)).execute(contextIn(workspace, changed)),
  };
}

/** What a command printed, where it ended well. */
export function printedBy({ forLlm }: ToolOutput): string {
  const head = '[exit code 0]\n';
  if (!forLlm.startsWith(head)) throw new Error(`It did not end well: ${forLlm.slice(0, 500)}`);
  return forLlm.slice(head.length);
}
