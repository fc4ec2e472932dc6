import { escapeMarkdown, inlineCode, oneLine } from '../../../lib/plain-text.ts';
import { isRepeatable, type ToolCategory } from '../../category.ts';
import { error, type ToolOutput } from '../../output.ts';
import type { CallOutcome } from './call-outcome.ts';
import type { FoundPlugin } from './found-plugin.ts';
import type { PluginToolManifest } from './plugin-manifest.ts';

const mostToolsShown = 30;

/** What a plugin is and what it brings, for the owner who decides whether to trust it: a few lines of markdown. */
export function describePlugin({ folder, manifest, fileCount }: FoundPlugin, isConfined: boolean): string {
  const { name, version, description, author, tools } = manifest;
  const by = author === undefined ? '' : ` by ${escapeMarkdown(oneLine(author, 100))}`;
  const rest = tools.length - mostToolsShown;
  const bounds = isConfined ? 'It runs in the sandbox.' : 'There is no sandbox here: it can do whatever Keyturn can.';
  return [
    `**${escapeMarkdown(name)}** ${escapeMarkdown(oneLine(version, 64))}${by}: ${escapeMarkdown(oneLine(description, 300))}`,
    tools.length === 0 ? 'It brings no tools.' : 'It brings these tools:',
    ...tools.slice(0, mostToolsShown).map(toolLine),
    ...(rest > 0 ? [`- and ${rest} more`] : []),
    '',
    `It lies in ${inlineCode(oneLine(folder, 300))} (${fileCount} ${fileCount === 1 ? 'file' : 'files'}), ${executionWords(manifest)}. ${bounds}`,
  ].join('\n');
}

function executionWords({ binary }: FoundPlugin['manifest']): string {
  if (binary === undefined) return 'and runs commands';
  const how = binary.long_lived ? 'which goes on running' : 'once for each call';
  return `and runs ${inlineCode(oneLine(binary.path, 200))}, ${how}`;
}

function toolLine({ name, category, description, command }: PluginToolManifest): string {
  const runs = command.trim() === '' ? '' : ` Runs ${inlineCode(oneLine(command, 300))}.`;
  return `- ${inlineCode(name)} (${category}): ${escapeMarkdown(oneLine(description, 200))}${runs}`;
}

export interface EndedCall {
  readonly plugin: string;
  readonly tool: string;
  readonly category: ToolCategory;
  /** In milliseconds. */
  readonly timeout: number;
}

/** What the model and people are told of a call. All that comes from the plugin is untrusted. */
export function outputOf(outcome: CallOutcome, call: EndedCall): ToolOutput {
  const untrusted = `plugin ${call.plugin}`;
  switch (outcome.type) {
    case 'answered': {
      const { output, forUser, isError } = outcome.answer;
      const forLlm = output === '' ? '[no output]' : output;
      return { forLlm, isError, isAsync: false, untrusted, ...(forUser === undefined ? {} : { forUser }) };
    }
    case 'lost':
      return { ...error(`The plugin ${call.plugin} gave no answer: ${outcome.why}.\n${consequence(call)}`), untrusted };
    case 'timed-out':
      return error(
        `${call.tool} of the plugin ${call.plugin} did not end within ${call.timeout / 1000} s and was ended.\n${consequence(call)}`,
      );
    case 'stopped':
      return error(`${call.tool} of the plugin ${call.plugin} was stopped.`);
    case 'not-run':
      return { ...error(`${call.tool} did not run. The plugin ${call.plugin}: ${outcome.why}`), untrusted };
  }
}

function consequence({ category }: EndedCall): string {
  return isRepeatable(category)
    ? 'It only reads, so that it can be tried again.'
    : 'The outcome is unknown: it may have done a part of its work. Look before you try again.';
}
