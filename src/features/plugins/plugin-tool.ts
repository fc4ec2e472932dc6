import { inlineCode, oneLine } from '../../lib/plain-text.ts';
import { type Language, type Words, wordsIn } from '../../lib/words.ts';
import { foreignTool } from '../../tools/foreign-tool.ts';
import { error, type ToolOutput } from '../../tools/output.ts';
import { taintSource } from '../../tools/taint-sources.ts';
import { type CallFacets, isRepeatable, type Tool, type ToolCategory } from '../../tools/tool.ts';
import type { FoundPlugin, PluginToolManifest } from './plugin-manifest.ts';
import type { CallOutcome, PluginExecution } from './plugin-means.ts';
import { pluginWords } from './words.ts';

/** The default timeout of a call, in seconds. */
const usualSeconds = 30;

interface PluginToolParts {
  readonly isConfined: () => boolean;
  /** What is read in the conversation with this id. */
  readonly languageIn: (conversationId: string) => Language;
}

export function pluginTool(
  { manifest, fingerprint }: FoundPlugin,
  tool: PluginToolManifest,
  execution: PluginExecution,
  { isConfined, languageIn }: PluginToolParts,
): Tool {
  const { name, description, category, parameters, timeout_secs } = tool;
  const timeout = (timeout_secs ?? manifest.binary?.timeout_secs ?? usualSeconds) * 1000;
  return foreignTool({
    name,
    description,
    category,
    parameters,
    // An approval for one version does not hold for another.
    fingerprint,
    describeCall: (args, { language }) =>
      pluginWords[language].call({
        tool: inlineCode(name),
        plugin: inlineCode(manifest.name),
        args: inlineCode(oneLine(JSON.stringify(args), 300)),
      }),
    binds: async () => ({ files: [], areAll: true }),
    ...execution.known?.(tool),
    facets: () => ({ ...facetsOf(category, isConfined()), brings: taintSource('plugin', manifest.name) }),
    async execute(args, context) {
      // Asked for once: a plugin may report very often.
      const language = languageIn(context.conversationId);
      const progress = (status: Words): void => context.progress(wordsIn(language, status));
      const outcome = await execution.execute({ asked: tool, args, context: { ...context, progress }, timeout });
      return outputOf(outcome, { plugin: manifest.name, tool: name, category, timeout });
    },
  });
}

/** What it really does is unknown, so the worst that its category allows is assumed. */
function facetsOf(category: ToolCategory, isConfined: boolean): CallFacets {
  return {
    ...(category === 'memory' ? { writesMemory: true } : {}),
    ...(category === 'messaging' ? { leavesConversation: true } : {}),
    ...(category === 'shell' && !isConfined ? { unconfined: true } : {}),
  };
}

function outputOf(
  outcome: CallOutcome,
  { plugin, tool, category, timeout }: { plugin: string; tool: string; category: ToolCategory; timeout: number },
): ToolOutput {
  const untrusted = taintSource('plugin', plugin);
  const consequence = isRepeatable(category)
    ? 'It only reads, so that it can be tried again.'
    : 'The outcome is unknown: it may have done a part of its work. Look before you try again.';
  switch (outcome.type) {
    case 'answered': {
      const { output, forUser, isError } = outcome;
      return { forLlm: output === '' ? '[no output]' : output, isError, isAsync: false, untrusted, forUser };
    }
    case 'lost':
      return { ...error(`The plugin ${plugin} gave no answer: ${outcome.why}.\n${consequence}`), untrusted };
    case 'timed-out':
      return error(
        `${tool} of the plugin ${plugin} did not end within ${timeout / 1000} s and was ended.\n${consequence}`,
      );
    case 'stopped':
      return error(`${tool} of the plugin ${plugin} was stopped.`);
    case 'not-run':
      return { ...error(`${tool} did not run. The plugin ${plugin}: ${outcome.why}`), untrusted };
  }
}
