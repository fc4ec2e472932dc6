import type { ToolCategory } from '../../category.ts';
import { foreignTool } from '../../foreign-tool.ts';
import { error, type ToolOutput } from '../../output.ts';
import type { Tool, ToolContext } from '../../tool.ts';
import { type KeepFilesDependencies, keepFiles } from '../keep-files.ts';
import type { McpCall, McpOutcome } from './call.ts';
import type { McpDefinition } from './definition.ts';
import { readResult } from './result-text.ts';

export interface McpToolDependencies extends KeepFilesDependencies {
  /** The operator's name of the server. */
  readonly server: string;
  /** How long it may report nothing, in milliseconds. */
  readonly timeout: number;
  readonly call: (call: McpCall) => Promise<McpOutcome>;
}

/** A tool of a server, as models and people here know it. Whatever it answers is untrusted. */
export function mcpTool(
  definition: McpDefinition,
  named: { readonly name: string; readonly category: ToolCategory },
  dependencies: McpToolDependencies,
): Tool {
  const { tool, parameters, description, fingerprint } = definition;
  const { server, timeout, call } = dependencies;
  return foreignTool({
    ...named,
    description: description === '' ? `The tool ${tool} of the MCP server ${server}.` : description,
    parameters,
    async execute(args, context) {
      const outcome = await call({ ...callOf(context), tool, fingerprint, parameters, args, timeout });
      const output = await outputOf(outcome, context, dependencies);
      return { ...output, untrusted: `MCP server ${server}` };
    },
  });
}

function callOf({ signal, progress, ask, conversationId, sender }: ToolContext) {
  const place = `${conversationId} ${sender.principal}`;
  return { signal, progress, ...(ask === undefined ? {} : { person: { place, ask } }) };
}

async function outputOf(
  outcome: McpOutcome,
  context: ToolContext,
  dependencies: McpToolDependencies,
): Promise<ToolOutput> {
  const { server, timeout } = dependencies;
  switch (outcome.type) {
    case 'answered': {
      const read = readResult(outcome.result);
      const kept = await keepFiles(read.files, context, dependencies);
      const text = read.text(kept.marker);
      const forLlm = text.trim() === '' ? 'It answered nothing.' : text;
      return { forLlm, isError: outcome.result.isError === true, isAsync: false, ...kept.shown };
    }
    case 'refused':
      return error(`The MCP server ${server} did not take the call: ${outcome.why}`);
    case 'timed-out':
      return error(
        `The MCP server ${server} reported nothing for ${timeout / 1000} s, and was told to stop. It may have done a part of its work: look before you try again.`,
      );
    case 'stopped':
      return error(`The MCP server ${server} was told to stop. It may have done a part of its work.`);
    case 'lost':
      return error(
        `The connection to the MCP server ${server} was lost while it worked: ${outcome.why}. It may have done a part of its work: look before you try again.`,
      );
    case 'changed':
      return error(
        `Nothing was done: the MCP server ${server} has changed this tool since, and an owner has to trust it anew.`,
      );
    case 'gone':
      return error(
        `The MCP server ${server} cannot be reached, and nothing was done: ${outcome.why}. It is tried again.`,
      );
  }
}
