import { z } from 'zod';
import {
  headerName,
  headerValue,
  httpUrl,
  listOf,
  mapOf,
  off,
  on,
  pathIn,
  type SettingsContext,
  seconds,
  text,
  toolPattern,
  toolWords,
  type ValuesOf,
  variableName,
} from '../../config/setting-kinds.ts';
import { eitherText } from '../../extension-kit/either-of.ts';
import { schemaText } from '../../lib/schema-text.ts';
import { toolCategories } from '../../tools/tool.ts';
import { mcpSettingWords } from './settings/words.ts';

/** The keys of this feature. */
export function mcpKeys(context: SettingsContext) {
  return z.object({
    mcp_servers: mcpServers(context)
      .default({})
      .describe(
        'Servers that provide tools through the Model Context Protocol, by names that you choose: docs/mcp.md. The tools of "files" have names such as files_read_file.',
      ),
  });
}

export type McpSettings = ValuesOf<typeof mcpKeys>;

type Say = (words: typeof mcpSettingWords.en) => string;

/** What is wrong with a value, in the text that a schema takes. */
function wrong(say: Say): string {
  return schemaText((language) => say(mcpSettingWords[language]));
}

/** The operator's settings for one tool, or all tools of a server. */
const serverTools = {
  category: z
    .optional(z.enum(toolCategories))
    .describe('What it touches, which decides whether a call asks. Default: network_write, so that each call asks.'),
  ...toolWords,
};

/** MCP servers, by names that the operator chooses. */
const mcpServers = (context: SettingsContext) =>
  z.record(
    z.string().regex(
      /^[a-zA-Z0-9_-]{1,32}$/,
      wrong((words) => words.serverName),
    ),
    z
      .strictObject({
        enabled: on.describe(
          'false: it is not started, and the model does not know of it. Unset variables do not matter then.',
        ),
        command: z.optional(text).describe('The program to start. It speaks MCP on its standard input and output.'),
        args: listOf(z.string()).describe('Its arguments.'),
        env: mapOf(variableName, z.string()).describe('Its environment variables, besides harmless ones.'),
        cwd: z.optional(pathIn(context)).describe('The folder where it runs. Default: that of this file.'),
        sandbox: off.describe(
          'Run it in the sandbox of shell: it can write only cwd, and reach only tools.shell.allowed_domains.',
        ),
        url: z.optional(httpUrl).describe('The address of a server that speaks streamable HTTP, instead of command.'),
        headers: mapOf(headerName, headerValue).describe('HTTP headers for it, such as Authorization.'),
        allow_private: off.describe(
          'The name in url may lead to a private network. An address in url needs no permission.',
        ),
        timeout_secs: seconds(60).describe('A call fails if nothing is heard of it for this long.'),
        list_ttl_secs: seconds(300).describe('How long its list of tools is kept if it reports no change.'),
        trust_annotations: off.describe('Believe it which of its tools only read. These need no approval.'),
        review_tools: off.describe(
          'true: each of its tools is off until an owner trusts it as it is. false: it is trusted as first seen.',
        ),
        ...serverTools,
        tools: mapOf(
          toolPattern,
          z.strictObject({ enabled: on.describe('false: the model does not know of it.'), ...serverTools }),
        ).describe(
          'Settings of some of its tools, by their names at the server, or "prefix*", "*suffix", "*". A name has precedence.',
        ),
      })
      .check(({ value, issues }) => {
        const blame = (key: string, message: string): void => {
          issues.push({ code: 'custom', input: value, path: [key], message });
        };
        const { command, url, cwd, sandbox, args, env, headers, allow_private } = value;
        if (command === undefined && url === undefined)
          return blame(
            'command',
            wrong((words) => words.commandOrUrl),
          );
        if (command !== undefined && url !== undefined) return blame('url', eitherText(['command', 'url']));
        const others = url === undefined ? { headers, allow_private } : { args, env, cwd, sandbox };
        for (const [key, setting] of Object.entries(others))
          if (setting === true || Object.keys(Object(setting)).length > 0)
            blame(
              key,
              wrong((words) => words.noEffect({ with: url === undefined ? 'command' : 'url' })),
            );
        if (url === undefined && sandbox && cwd === undefined)
          blame(
            'cwd',
            wrong((words) => words.ownFolder),
          );
      })
      .overwrite((server) =>
        server.command === undefined ? server : { ...server, cwd: server.cwd ?? context.absolute('.') },
      ),
  );
