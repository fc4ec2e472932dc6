import { z } from 'zod';
import { toolCategories } from '../tools/tool.ts';
import { headerName, headerValue } from './model-settings.ts';
import { httpUrl, listOf, off, on, seconds, text, toolPattern, toolWords, variableName } from './setting-kinds.ts';

/** The operator's settings for one tool, or all tools of a server. */
const toolRules = {
  category: z
    .enum(toolCategories)
    .optional()
    .describe('What it touches: approval goes by it. Left out: network_write, so that each call asks.'),
  ...toolWords,
};

const server = z
  .strictObject({
    enabled: on.describe('false: it is not started, and the model knows nothing of it.'),
    command: text.optional().describe('The program to start. It speaks MCP on its input and output.'),
    args: listOf(z.string()).describe('Its arguments.'),
    env: z
      .record(variableName, z.string())
      .default({})
      .describe('Variables that it gets. Of the rest of the environment it sees the harmless ones alone.'),
    cwd: text.optional().describe('The folder that it works in. Default: that of this file.'),
    sandbox: off.describe(
      'Keep it in the sandbox of shell: it writes its cwd alone, and reaches tools.shell.allowed_domains.',
    ),
    url: httpUrl.optional().describe('In place of command: the address of a server that speaks streamable HTTP.'),
    headers: z.record(headerName, headerValue).default({}).describe('HTTP headers for it, such as Authorization.'),
    allow_private: off.describe(
      'Its name may lead to an address of the private network. An address in the URL needs no permission.',
    ),
    timeout_secs: seconds(60).describe('A call that reports nothing for so long is given up.'),
    list_ttl_secs: seconds(300).describe('How long its list of tools is believed, if it reports no change.'),
    trust_annotations: off.describe('Believe it which of its tools only read. They then need no approval.'),
    review_tools: off.describe(
      'true: each of its tools is off until an owner trusts it as it is. false: it is trusted as first seen.',
    ),
    ...toolRules,
    tools: z
      .record(
        toolPattern,
        z.strictObject({
          enabled: on.describe('false: the model knows nothing of it.'),
          ...toolRules,
        }),
      )
      .default({})
      .describe('What holds for some of its tools, by their names there, or "prefix*", "*suffix", "*".'),
  })
  .check(({ value, issues }) => {
    const blame = (key: string, message: string): void => {
      issues.push({ code: 'custom', input: value, path: [key], message });
    };
    const { command, url, cwd, sandbox } = value;
    if (command === undefined && url === undefined) blame('command', 'expected "command", or "url" in its place');
    if (command !== undefined && url !== undefined) blame('url', 'expected either "command" or "url", not both');
    if (sandbox && cwd === undefined) blame('cwd', 'expected a folder of its own: with sandbox, it may write there');
  });

/** MCP servers, by names that the operator chooses. */
export const mcpSettings = z.record(
  z
    .string()
    .regex(/^[a-zA-Z0-9_-]{1,32}$/, 'a name of at most 32 letters, digits, "_" or "-": its tools begin with it'),
  server,
);
