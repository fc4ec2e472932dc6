import { z } from 'zod';
import { isTimeZone } from '../lib/zoned-time.ts';
import {
  bytes,
  commandRule,
  domainPattern,
  seconds,
  toolPattern,
  toolPlace,
  toolRule,
  variableName,
} from './setting-kinds.ts';
import { pageChars, webToolSettings } from './web-tool-settings.ts';

const enabled = z.boolean().default(true).describe('false: the model is not told of it.');
const plain = z.strictObject({ enabled });

const offerList = {
  disabled: z
    .array(toolRule)
    .default([])
    .describe('Tools that are off: a name, "prefix*", "*suffix", "*", or all of a category, as "category:shell".'),
  only: z
    .array(toolRule)
    .default(['*'])
    .describe('If not all tools are to be had: those that are, written in the same way.'),
};

const shell = z.strictObject({
  enabled,
  timeout_secs: seconds(60).describe('A command that takes longer is killed.'),
  max_output_bytes: bytes(1_048_576).describe('Of longer output, the beginning and the end are kept.'),
  env: z
    .array(variableName)
    .default([])
    .describe('Environment variables that commands may see besides the harmless ones.'),
  sandbox: z
    .enum(['auto', 'required', 'off'])
    .default('auto')
    .describe('auto: where bubblewrap works. required: no command runs without it. off: never.'),
  allowed_domains: z
    .array(domainPattern)
    .default([])
    .describe('What commands in the sandbox may reach in the network: "example.com", "*.example.com".'),
  deny: z
    .array(commandRule('deny'))
    .default(['@recursive_deletion', '@system_change', '@network_listener'])
    .describe('Commands that never run, whoever approves: "git push --force", or a kind as "@recursive_deletion".'),
  allow: z
    .array(commandRule('allow'))
    .default([])
    .describe('Commands that the sandbox runs without asking: "git status", or "@read_only".'),
});

const findFiles = z.strictObject({
  enabled,
  max_results: count(1000, 100_000).describe('How many files are listed at most.'),
});

const searchFiles = z.strictObject({
  enabled,
  max_results: count(200, 10_000).describe('How many lines are shown at most.'),
  timeout_secs: seconds(20).describe('A search that takes longer is ended.'),
});

const readDocument = z.strictObject({
  enabled,
  max_bytes: bytes(26_214_400).describe('The largest document that is read.'),
  timeout_secs: seconds(60).describe('A document that takes longer is given up.'),
  page_chars: pageChars,
});

const memoryStore = z.strictObject({
  enabled,
  max_entries: count(1000, 100_000).describe('How much is kept for one person.'),
  max_chars: count(4000, 100_000).describe('The longest text that is kept.'),
});

const schedule = z.strictObject({
  enabled,
  time_zone: z
    .string()
    .refine(isTimeZone, 'expected a time zone, such as "Europe/Berlin"')
    .optional()
    .describe('Where no other is given, as "Europe/Berlin". Left out: that of the machine.'),
  max_entries: count(50, 10_000).describe('How many tasks and reminders one person may have.'),
  catch_up_secs: z
    .number()
    .int()
    .min(0)
    .max(2_592_000)
    .default(86_400)
    .describe('What was missed while Keyturn was away is done or said late, once, if not later than this.'),
});

const ask = z.strictObject({
  enabled,
  timeout_secs: seconds(86_400).describe('A question that nobody answers in this time is given up.'),
});

const delegate = z.strictObject({
  enabled,
  max_depth: count(3, 10).describe('How many may hand over to each other: an agent to an agent is two.'),
  max_running: count(4, 100).describe('How many work for one conversation at once.'),
  timeout_secs: seconds(120).describe('An agent whose model says nothing for so long is given up.'),
});

const createTool = z.strictObject({
  enabled,
  max_tools: count(50, 1000).describe('How many there may be.'),
});

const attemptCompletion = z.strictObject({
  enabled,
  in_chats: z.boolean().default(false).describe('true: the model is told of it in chats, and not only agents are.'),
});

const rateLimit = z.strictObject({
  calls: z.number().int().min(1).max(1_000_000).describe('How many calls.'),
  per_secs: z.number().int().min(1).max(604_800).describe('In how many seconds.'),
});

/** The built-in tools, and what holds for all tools. */
export function toolSettings(channelNames: readonly string[]) {
  return z.strictObject({
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
    max_result_chars: z
      .number()
      .int()
      .min(200)
      .max(10_000_000)
      .default(50_000)
      .describe('Of a longer result, the model reads the beginning and the end, and finds the whole in a file.'),
    rate_limits: z
      .record(toolPattern, rateLimit)
      .default({ '*': { calls: 1000, per_secs: 3600 } })
      .describe('How often one person may have a tool called: each pattern that fits a tool bounds that tool.'),
    shell: shell.prefault({}).describe('Runs a shell command in the workspace.'),
    read_file: z
      .strictObject({ enabled, max_bytes: bytes(10_485_760).describe('The largest file that is read.') })
      .prefault({})
      .describe('Reads a file of the workspace.'),
    list_dir: plain.prefault({}).describe('Lists a folder of the workspace.'),
    find_files: findFiles.prefault({}).describe('Finds files of the workspace by their names.'),
    search_files: searchFiles.prefault({}).describe('Finds lines in files of the workspace.'),
    write_file: z
      .strictObject({ enabled, max_bytes: bytes(10_485_760).describe('The largest file that is written.') })
      .prefault({})
      .describe('Writes a file of the workspace.'),
    edit_file: plain.prefault({}).describe('Replaces text in a file of the workspace.'),
    read_document: readDocument.prefault({}).describe('Reads PDF, DOCX, XLSX and CSV as text.'),
    ...webToolSettings(enabled),
    message: plain.prefault({}).describe('Writes to another conversation.'),
    send_file: plain.prefault({}).describe('Shows a file of the workspace in the chat.'),
    memory_store: memoryStore.prefault({}).describe('Remembers something for a person.'),
    memory_search: plain.prefault({}).describe('Finds what was remembered.'),
    memory_forget: plain.prefault({}).describe('Forgets it.'),
    schedule: schedule.prefault({}).describe('Does something at a time, or again and again.'),
    remind: plain.prefault({}).describe('Reminds a person at a time.'),
    ask: ask.prefault({}).describe('Asks the person a question, with buttons.'),
    delegate: delegate.prefault({}).describe('Hands work over to one of the agents.'),
    new_task: plain.prefault({}).describe('The same for prompts written for new_task.'),
    create_tool: createTool.prefault({}).describe('Makes a tool of words.'),
    attempt_completion: attemptCompletion.prefault({}).describe('Ends a run with a result.'),
    list_tools: plain.prefault({}).describe('Tells the model in detail which tools there are.'),
    echo: plain.prefault({}).describe('Says back what it is given, to try things out.'),
  });
}

function count(initial: number, most: number): z.ZodDefault<z.ZodNumber> {
  return z.number().int().min(1).max(most).default(initial);
}
