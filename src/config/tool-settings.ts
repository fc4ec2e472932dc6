import { posix } from 'node:path';
import { z } from 'zod';
import { agentModes } from '../approval/verdict.ts';
import { isTimeZone } from '../lib/time-words.ts';
import { toolParameters, undeclaredIn } from '../tools/sources/parameters.ts';
import { toolCategories } from '../tools/tool.ts';
import {
  block,
  bytes,
  commandRule,
  count,
  domainPattern,
  listOf,
  off,
  on,
  seconds,
  text,
  toolPattern,
  toolPlace,
  toolRule,
  variableName,
  whole,
} from './setting-kinds.ts';
import { pageChars, webToolSettings } from './web-tool-settings.ts';
import { workspaceTemplate } from './workspace-template.ts';

const enabled = on.describe('false: the model is not told of it.');
const plain = block({ enabled });

const offerList = {
  disabled: listOf(toolRule).describe(
    'Tools that are off: a name, "prefix*", "*suffix", "*", or all of a category, as "category:shell".',
  ),
  only: z
    .array(toolRule)
    .default(['*'])
    .describe('Only these tools are offered, written in the same way. Left out: all.'),
};

const shell = block({
  enabled,
  timeout_secs: seconds(60).describe('A command that takes longer is killed.'),
  max_output_bytes: bytes(1_048_576).describe('Of longer output, the beginning and the end are kept.'),
  env: listOf(variableName).describe('Environment variables that commands may see besides the harmless ones.'),
  sandbox: z
    .enum(['auto', 'required', 'off'])
    .default('auto')
    .describe('auto: where bubblewrap works. required: no command runs without it. off: never.'),
  allowed_domains: listOf(domainPattern).describe(
    'What commands in the sandbox may reach in the network: "example.com", "*.example.com".',
  ),
  protected: z
    .array(
      z
        .string()
        .regex(/^(?!\/)(?!.*\.\.)[^\0]+$/, 'expected a name in the workspace, such as ".envrc" or ".git/hooks/"'),
    )
    .default([
      ...[
        '.git/hooks/',
        '.git/config',
        '.git/config.worktree',
        '.envrc',
        '.gitconfig',
        '.vscode/',
        '.idea/',
        '.bashrc',
        '.bash_profile',
      ],
      ...['.bash_login', '.bash_logout', '.profile', '.zshrc', '.zshenv', '.zprofile', '.zlogin', '.zlogout'],
      ...['.bash_aliases', '.kshrc', '.cshrc', '.tcshrc', '.config/fish/'],
    ])
    .describe(
      'Names in the workspace that commands in the sandbox cannot write: what runs when somebody commits there.',
    ),
  max_processes: whole(512, 16, 100_000).describe('How many processes and threads a command may have in the sandbox.'),
  max_memory_bytes: bytes(4_294_967_296, 2 ** 50).describe('How much memory each process of a command may use.'),
  max_file_bytes: bytes(2_147_483_648, 2 ** 50).describe('How large a file that a command writes may become.'),
  min_free_bytes: bytes(536_870_912, 2 ** 50).describe(
    'How much a command must leave free on the disk: it is ended before there is less.',
  ),
  deny: z
    .array(commandRule('deny'))
    .default(['@recursive_deletion', '@system_change', '@network_listener'])
    .describe('Commands that never run, even with approval: "git push --force", or a kind as "@recursive_deletion".'),
  allow: listOf(commandRule('allow')).describe(
    'Commands that the sandbox runs without asking: "git status", or "@read_only".',
  ),
});

const findFiles = block({
  enabled,
  max_results: count(1000, 100_000).describe('How many files are listed at most.'),
});

const searchFiles = block({
  enabled,
  max_results: count(200, 10_000).describe('How many lines are shown at most.'),
  timeout_secs: seconds(20).describe('A search that takes longer is ended.'),
});

const readDocument = block({
  enabled,
  max_bytes: bytes(26_214_400).describe('The largest document that is read.'),
  timeout_secs: seconds(60).describe('A document that takes longer is given up.'),
  page_chars: pageChars,
});

const memoryStore = block({
  enabled,
  max_entries: count(1000, 100_000).describe('How much is kept for one person.'),
  max_chars: count(4000, 100_000).describe('The longest text that is kept.'),
});

const schedule = block({
  enabled,
  time_zone: z
    .string()
    .refine(isTimeZone, 'expected a time zone, such as "Europe/Berlin"')
    .optional()
    .describe('Where no other is given, as "Europe/Berlin". Left out: that of the machine.'),
  max_entries: count(50, 10_000).describe('How many tasks and reminders one person may have.'),
  catch_up_secs: whole(86_400, 0, 2_592_000).describe(
    'What was missed while Keyturn was away is done or said late, once, if not later than this.',
  ),
});

const ask = block({
  enabled,
  timeout_secs: seconds(86_400).describe('A question that nobody answers in this time is given up.'),
});

const delegate = block({
  enabled,
  max_depth: count(3, 10).describe('How many may hand over to each other: an agent to an agent is two.'),
  max_running: count(4, 100).describe('How many work for one conversation at once.'),
  timeout_secs: seconds(120).describe('An agent whose model says nothing for so long is given up.'),
});

const createTool = block({
  enabled,
  max_tools: count(50, 1000).describe('How many there may be.'),
});

const attemptCompletion = block({
  enabled,
  in_chats: off.describe('true: the model is told of it in chats, and not only agents are.'),
});

const rateLimit = z.strictObject({
  calls: z.number().int().min(1).max(1_000_000).describe('How many calls.'),
  per_secs: z.number().int().min(1).max(604_800).describe('In how many seconds.'),
});

/** The builtin tools, and settings of all tools. */
export function toolSettings(channelNames: readonly string[]) {
  return block({
    ...offerList,
    per_chat: z
      .record(toolPlace(channelNames), z.strictObject(offerList))
      .default({})
      .describe('Less in some places: "telegram" for a whole channel, "telegram:-1001" for one chat.'),
    compact: z
      .enum(['auto', 'always', 'never'])
      .default('auto')
      .describe('Whether the model is told each tool in one sentence. auto: if they fill a quarter of context_tokens.'),
    timeout_secs: seconds(600).describe('The longest that any tool may take.'),
    stop_secs: z
      .number()
      .min(0)
      .max(3600)
      .optional()
      .describe('How long tools may go on when Keyturn is told to end. Left out: 20 under a supervisor, else 2.5.'),
    max_result_chars: whole(50_000, 200, 10_000_000).describe(
      'Of a longer result, the model reads the beginning and the end, and finds the whole in a file.',
    ),
    rate_limits: z
      .record(toolPattern, rateLimit)
      .default({ '*': { calls: 1000, per_secs: 3600 } })
      .describe('How often one person may have a tool called: each pattern that fits a tool bounds that tool.'),
    shell: shell.describe('Runs a shell command in the workspace.'),
    read_file: block({ enabled, max_bytes: bytes(10_485_760).describe('The largest file that is read.') }).describe(
      'Reads a file of the workspace.',
    ),
    list_dir: plain.describe('Lists a folder of the workspace.'),
    find_files: findFiles.describe('Finds files of the workspace by their names.'),
    search_files: searchFiles.describe('Finds lines in files of the workspace.'),
    write_file: block({ enabled, max_bytes: bytes(10_485_760).describe('The largest file that is written.') }).describe(
      'Writes a file of the workspace.',
    ),
    edit_file: plain.describe('Replaces text in a file of the workspace.'),
    read_document: readDocument.describe('Reads PDF, DOCX, XLSX and CSV as text.'),
    ...webToolSettings(enabled),
    message: plain.describe('Writes to another conversation.'),
    send_file: plain.describe('Shows a file of the workspace in the chat.'),
    memory_store: memoryStore.describe('Remembers something for a person.'),
    memory_search: plain.describe('Finds what was remembered.'),
    memory_forget: plain.describe('Forgets it.'),
    schedule: schedule.describe('Does something at a time, or again and again.'),
    remind: plain.describe('Reminds a person at a time.'),
    ask: ask.describe('Asks the person a question, with buttons.'),
    delegate: delegate.describe('Hands work over to one of the agents.'),
    new_task: plain.describe('The same for prompts written for new_task.'),
    create_tool: createTool.describe('Makes a tool from instructions.'),
    attempt_completion: attemptCompletion.describe('Ends a run with a result.'),
    list_tools: plain.describe('Tells the model in detail which tools there are.'),
    echo: plain.describe('Says back what it is given, to try things out.'),
  });
}

const innerFolder = z
  .string()
  .refine(
    isInnerFolder,
    'expected a folder in the workspace, such as "reports", that begins with no "/" and has no ".."',
  );

const customTool = z.strictObject({
  name: z
    .string()
    .regex(/^[a-zA-Z0-9_-]{1,64}$/, 'expected 1 to 64 letters, digits, "_" or "-"')
    .describe('What the model calls it. A built-in tool of the same name steps back.'),
  description: z.string().trim().min(1).describe('What the model is told: what it does, and when to use it.'),
  command: z
    .string()
    .refine((command) => command.trim() !== '', 'expected a command')
    .refine((command) => !command.includes('\0'), 'expected a command without NUL characters')
    .max(16_000)
    .describe('What sh runs. {{name}} stands for the value of a parameter, which is always data.'),
  category: z.enum(toolCategories).default('shell').describe('What it does at most: by it is decided whether it asks.'),
  parameters: toolParameters.describe('What it takes: as "name": "string", or as a JSON Schema of an object.'),
  working_dir: innerFolder.optional().describe('The folder of the workspace that it runs in. Left out: the workspace.'),
  timeout_secs: count(30, 600).describe('What takes longer is ended.'),
  env: z
    .record(variableName, z.string())
    .default({})
    .describe('Variables of its environment, besides the harmless ones.'),
});

/** Commands that the model can call as tools. */
export const customToolSettings = z
  .array(customTool)
  .superRefine((tools, context) => {
    for (const [index, { name, env }] of tools.entries()) {
      if (tools.findIndex((tool) => tool.name === name) < index) {
        const message = 'a tool further up has this name: give one of them another';
        context.addIssue({ code: 'custom', path: [index, 'name'], message, input: name });
      }
      for (const variable of Object.keys(env).filter((key) => /^KEYTURN_/i.test(key))) {
        const message = 'names that begin with KEYTURN_ are for Keyturn itself: choose another';
        context.addIssue({ code: 'custom', path: [index, 'env', variable], message, input: variable });
      }
    }
  })
  .default([]);

function isInnerFolder(path: string): boolean {
  const normal = posix.normalize(path);
  return path !== '' && !/[\0\\]/.test(path) && !normal.startsWith('/') && normal !== '..' && !normal.startsWith('../');
}

const hook = {
  command: text.optional().describe('What sh runs. It reads what happens as JSON, and says what it decides as JSON.'),
  plugin: text.optional().describe('The plugin that is asked, in place of a command.'),
  working_dir: text.default('.').describe('The folder that it runs in. Relative to this file.'),
  tools: z
    .array(toolPattern)
    .min(1)
    .default(['*'])
    .describe('The tools that it is about: a name, "prefix*", "*suffix" or "*".'),
  categories: listOf(z.enum(toolCategories)).describe('Only calls of these categories. Empty: of all.'),
  timeout_secs: seconds(10).describe('A command that takes longer has failed.'),
};

const beforeHook = asking(
  z.strictObject({
    ...hook,
    on_failure: z
      .enum(['cancel', 'continue'])
      .default('cancel')
      .describe('What becomes of the call if it fails: cancel, or continue as if it were not there.'),
  }),
);

/** The operator's commands that watch tool calls. */
export const hookSettings = block({
  before_tool_call: listOf(beforeHook).describe(
    'Each can cancel a call or change its arguments, before it is judged. In this order.',
  ),
  after_tool_call: listOf(asking(z.strictObject(hook))).describe('Each is told what became of a call that ran.'),
});

/** Exactly one of them must be given. */
function asking<
  Schema extends z.ZodType<{ readonly command?: string | undefined; readonly plugin?: string | undefined }>,
>(schema: Schema): Schema {
  return schema.refine(({ command, plugin }) => (command === undefined) !== (plugin === undefined), {
    error: 'expected either "command" or "plugin"',
  });
}

const pluginName = z
  .string()
  .regex(/^[a-zA-Z0-9][a-zA-Z0-9_-]{0,63}$/, 'expected the name of a plugin, as in its plugin.json');

/** Where plugins are found, and which are allowed. */
export const pluginSettings = block({
  enabled: off.describe('Whether plugins are looked for at all.'),
  plugin_dirs: z
    .array(text)
    .default(['./plugins'])
    .describe('Each folder in one of these that has a plugin.json is a plugin. Relative to this file.'),
  allowed_plugins: listOf(pluginName).describe('If not all may be there: the names of those that may.'),
  blocked_plugins: listOf(pluginName).describe(
    'The names of plugins that may not be there, whatever allowed_plugins says.',
  ),
});

const agentName = z
  .string()
  .regex(/^[A-Za-z][A-Za-z0-9_-]{0,63}$/, 'expected letters, digits, "_" and "-", beginning with a letter');

/** The agents for delegated work. */
export const workerSettings = z.record(
  agentName,
  z.strictObject({
    description: z.string().max(500).default('').describe('What the model is told of it: what it is good for.'),
    prompt: z.string().default('').describe('What the agent is told about itself.'),
    model: text.optional().describe('One of the names in models. Otherwise that of the run that asks.'),
    tools: z.array(toolPattern).default(['*']).describe('The tools that it may use, of those that its asker may use.'),
    mode: z.enum(agentModes).optional().describe('As agent.mode, where it is to be stricter for this agent.'),
    workspace: workspaceTemplate.optional().describe('Its own folder. Otherwise that of the conversation.'),
  }),
);

/** Tools made from instructions. */
export const composedToolSettings = z
  .strictObject({
    name: z
      .string()
      .regex(/^[a-zA-Z0-9_-]{1,64}$/, 'expected 1 to 64 letters, digits, "_" or "-"')
      .describe('What the model calls it by: no other tool may be called so.'),
    description: text.describe('When the model is to use it.'),
    action: text.describe('What it does, in words; {{name}} stands for the value of a parameter.'),
    parameters: toolParameters.describe('What it takes: as "name": "string", or as a JSON Schema.'),
    tools: z.array(toolPattern).default(['*']).describe('The tools that it may use, of those that its caller may use.'),
  })
  .superRefine((tool, context) => {
    for (const name of undeclaredIn(tool.action, tool.parameters)) {
      const message = `{{${name}}} is none of the parameters: declare it there`;
      context.addIssue({ code: 'custom', path: ['action'], message, input: tool.action });
    }
  });
