import { z } from 'zod';
import { twinFaults } from '../../config/cross-checks.ts';
import {
  block,
  count,
  listOf,
  ownToolName,
  shared,
  text,
  toolPattern,
  toolSwitch,
} from '../../config/setting-kinds.ts';
import { settingsPart } from '../../config/settings-part.ts';
import { builtinNames } from '../../config/tool-rules.ts';
import { toolParameters, undeclaredIn } from '../../tools/sources/parameters.ts';
import { composedSettingWords } from './settings/words.ts';

/** Tools made from instructions. */
const composedTools = listOf(
  z.strictObject({
    name: ownToolName.describe('The name for the model. No other tool may have it.'),
    description: text.describe('When the model should use it.'),
    action: text.describe('What it does, in words. {{name}} is replaced by the value of a parameter.'),
    parameters: toolParameters.describe('Its parameters: "name": "string", or a JSON Schema.'),
    tools: listOf(toolPattern, ['*']).describe('The tools that it may use, among those of its caller.'),
  }),
);

const createTool = block({
  enabled: toolSwitch,
  max_tools: count(50, 1000).describe('The most tools that may exist.'),
});

/** The keys `composed_tools` and `tools.create_tool`. */
export const composedSettings = settingsPart({
  keys: () =>
    z.object({
      composed_tools: composedTools.describe('Tools made from instructions: docs/agents.md.'),
      tools: shared({
        create_tool: createTool.describe('Makes a tool from instructions, when a person approves it.'),
      }),
    }),
  brings: ({ composed_tools: tools }) => ({
    toolNames: tools.map(({ name }) => name),
    calls: tools.map(({ name }) => ({ name, category: 'memory' })),
    toolLists: tools.map((tool, index) => [['composed_tools', index, 'tools'], tool.tools]),
  }),
  // A custom tool may replace a builtin one, but a composed tool must not: it would be called by mistake.
  *faults({ composed_tools: tools }, { config }) {
    yield* twinFaults(
      'composed_tools',
      tools.map(({ name }) => name),
    );
    const builtins = builtinNames(config);
    const custom = config.custom_tools.map(({ name }) => name);
    for (const [index, { name, action, parameters }] of tools.entries()) {
      const path = ['composed_tools', index, 'name'];
      if (builtins.includes(name)) yield { path, text: (language) => composedSettingWords[language].builtinName };
      if (custom.includes(name)) yield { path, text: (language) => composedSettingWords[language].customName };
      for (const undeclared of undeclaredIn(action, parameters))
        yield {
          path: ['composed_tools', index, 'action'],
          text: (language) => composedSettingWords[language].undeclared({ name: undeclared }),
        };
    }
  },
});
