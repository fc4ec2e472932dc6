import type { JsonObject } from '../../lib/json.ts';
import { oneLine } from '../../lib/plain-text.ts';
import type { ToolDefinition } from '../../transcript.ts';
import { describeParameters } from './describe-schema.ts';
import { callTag } from './tags.ts';

/** Says in the system text what tools there are and how to call them: the same for the same tools, byte for byte. */
export class ToolPages {
  /** What was made of schemas, which are the same from request to request. */
  readonly #parameters = new WeakMap<JsonObject, string>();

  describe(tools: readonly ToolDefinition[]): string {
    return [protocol, ...tools.map((tool) => this.#describe(tool))].join('\n\n');
  }

  #describe({ name, displayName, description, parameters }: ToolDefinition): string {
    const known = this.#parameters.get(parameters) ?? parameterList(parameters);
    this.#parameters.set(parameters, known);
    const spoken = displayName === undefined ? '' : ` ("${oneLine(displayName, longestName)}")`;
    return `## ${name}${spoken}\n${description}\n${known}`;
  }
}

const example = `${callTag.begin}{"name": "the_tool", "arguments": {"the_parameter": "its value"}}${callTag.end}`;

const protocol = [
  '# Tools',
  `To call a tool, write its name and its arguments as one JSON object in ${callTag.begin} tags, on a line of its own and outside of any code block:`,
  example,
  'For several calls, write several such lines. Call only the tools below, with the parameters that they have. Then end your answer and wait: the results come in the next message, each in <tool_result> tags that say which of your calls it belongs to. Never write a result yourself. Without a call, just answer.',
].join('\n');

const longestName = 64;

function parameterList(parameters: JsonObject): string {
  const lines = describeParameters(parameters);
  return lines.length === 0 ? 'No parameters.' : ['Parameters:', ...lines].join('\n');
}
