import { readTemplate } from '../custom/command-template.ts';
import { parameterNames } from '../parameters.ts';
import type { PluginManifest } from './plugin-manifest.ts';

/** What is wrong with the commands of a plugin, each with its place. */
export function commandFaults({ execution, tools }: PluginManifest): readonly string[] {
  if (execution !== 'command') return [];
  return tools.flatMap(({ command, parameters }, index) => {
    const reading = readTemplate(command, parameterNames(parameters));
    return reading.valid ? [] : reading.faults.map((fault) => `tools[${index}].command: ${fault}`);
  });
}
