import { z } from 'zod';
import { switchedBuiltins } from '../tools/builtin/words.ts';
import {
  block,
  bytes,
  choice,
  commandRule,
  count,
  domainPattern,
  httpUrl,
  listOf,
  mapOf,
  off,
  privateHost,
  seconds,
  settingText,
  shared,
  switchedTools,
  timeZone,
  toolNamePattern,
  toolPlace,
  toolRule,
  toolSwitch,
  variableName,
  whole,
} from './setting-kinds.ts';

const pageChars = whole(20_000, 1000, 1_000_000).describe('How much is read at a time, in characters.');

/** The builtin tools, and settings of all tools. */
export function toolSettings(channelNames: readonly string[]) {
  return shared({
    ...offerList,
    per_chat: mapOf(toolPlace(channelNames), z.strictObject(offerList)).describe(
      'Fewer tools in some places: "telegram" for a whole channel, "telegram:-1001" for one chat.',
    ),
    compact: choice(['auto', 'always', 'few', 'never'], 'auto').describe(
      'How the model is told of tools. always: each in a sentence. few: some; find_tools finds the others. never: all in full. auto: by the size of the window.',
    ),
    timeout_secs: seconds(600).describe('The longest that any tool may take, in seconds.'),
    stop_secs: z
      .optional(z.number().min(0).max(3600))
      .describe(
        'How long tools may continue when Keyturn is told to end, in seconds; then they are stopped. Default: 20 under systemd or in a container, which have to wait a little longer before they kill it, and 2.5 elsewhere.',
      ),
    max_result_chars: whole(50_000, 200, 10_000_000).describe(
      'The model reads the beginning and end of a longer result; all of it is saved in a file.',
    ),
    rate_limits: z
      .record(toolNamePattern, rateLimit)
      .default({ '*': { calls: 1000, per_secs: 3600 } })
      .describe('How often one person may use a tool. Every pattern that matches a tool limits it.'),
    shell: shell.describe('Runs a shell command in the workspace.'),
    ...switchedTools(switchedBuiltins),
    read_file: block({
      enabled: toolSwitch,
      max_bytes: bytes(10_485_760).describe('The largest file that is read.'),
    }).describe('Reads a file in the workspace.'),
    find_files: findFiles.describe('Finds files in the workspace by name.'),
    search_files: searchFiles.describe('Finds lines in files of the workspace.'),
    write_file: block({
      enabled: toolSwitch,
      max_bytes: bytes(10_485_760).describe('The largest file that is written.'),
    }).describe('Writes a file in the workspace.'),
    read_document: readDocument.describe('Reads PDF, office documents, books, mail, notebooks and CSV files as text.'),
    network: network.describe('Settings of all tools that access the network.'),
    web_search: webSearch.describe('Searches the web.'),
    web_fetch: webFetch.describe('Reads a web page.'),
    http_request: httpRequest.describe('Calls an HTTP API.'),
    schedule: schedule.describe('Where times are told.'),
    ask: ask.describe('Asks the person a question, with buttons.'),
    delegate: delegate.describe('How agents work that a run asks for.'),
    attempt_completion: attemptCompletion.describe('Ends a run with a result.'),
  });
}

const offerList = {
  disabled: listOf(toolRule).describe(
    'Tools that are off: a name, "prefix*", "*suffix", "*", or a whole category such as "category:shell".',
  ),
  only: listOf(toolRule, ['*']).describe('Only these tools are offered, in the same form. Default: all.'),
};

const rateLimit = z.strictObject({
  calls: z.number().int().min(1).max(1_000_000).describe('The number of calls.'),
  per_secs: z.number().int().min(1).max(604_800).describe('The period, in seconds.'),
});

const shell = block({
  enabled: toolSwitch,
  timeout_secs: seconds(60).describe('A command that takes longer is killed.'),
  max_output_bytes: bytes(1_048_576).describe('The beginning and end of longer output are kept.'),
  env: listOf(variableName).describe('Environment variables that commands may see, besides harmless ones.'),
  sandbox: choice(['auto', 'required', 'off'], 'auto').describe(
    'auto: use a sandbox if bubblewrap works on this machine; otherwise only approval limits commands. required: no command runs without one. off: only approval limits commands. /status says which of these applies.',
  ),
  allowed_domains: listOf(domainPattern).describe(
    'Hosts that commands in the sandbox may reach: "example.com", "*.example.com".',
  ),
  protected: z
    .array(z.string().regex(/^(?!\/)(?!.*\.\.)[^\0]+$/, settingText('nameInWorkspace')))
    .default([
      ...['.git/hooks/', '.git/config', '.git/config.worktree', '.envrc', '.gitconfig', '.vscode/', '.idea/'],
      ...['.bashrc', '.bash_profile', '.bash_login', '.bash_logout', '.profile', '.zshrc', '.zshenv', '.zprofile'],
      ...['.zlogin', '.zlogout', '.bash_aliases', '.kshrc', '.cshrc', '.tcshrc', '.config/fish/'],
    ])
    .describe(
      'Names in the workspace that commands in the sandbox cannot write, because people run these files later. A slash at the end means a folder. Remove what your commands must write.',
    ),
  max_processes: whole(512, 16, 100_000).describe('How many processes and threads a command may have in the sandbox.'),
  max_memory_bytes: bytes(4_294_967_296, 2 ** 50).describe(
    'How much memory each process of a command may use, with or without the sandbox.',
  ),
  max_file_bytes: bytes(2_147_483_648, 2 ** 50).describe(
    'The largest file that a command may write, with or without the sandbox.',
  ),
  min_free_bytes: bytes(536_870_912, 2 ** 50).describe(
    'A command is killed before less than this is free on the disk, or less than half of what was free when it began.',
  ),
  deny: listOf(commandRule('deny'), ['@recursive_deletion', '@system_change', '@network_listener']).describe(
    'Commands that never run, even if approved: "git push --force", or a kind such as "@recursive_deletion".',
  ),
  allow: listOf(commandRule('allow')).describe(
    'Commands that run in the sandbox without asking: "git status", or "@read_only" for all that only read.',
  ),
});

const findFiles = block({
  enabled: toolSwitch,
  max_results: count(1000, 100_000).describe('The most files that are listed.'),
});

const searchFiles = block({
  enabled: toolSwitch,
  max_results: count(200, 10_000).describe('The most lines that are shown.'),
  timeout_secs: seconds(20).describe('A search that takes longer is stopped.'),
});

const readDocument = block({
  enabled: toolSwitch,
  max_bytes: bytes(26_214_400).describe('The largest document that is read.'),
  timeout_secs: seconds(60).describe(
    'Reading a document fails if it takes the processor longer. By the clock, it may take four times as long.',
  ),
  page_chars: pageChars,
});

const network = block({
  allow_private: listOf(privateHost).describe(
    'Hosts of your private network that tools may reach: "nas.local", "192.168.1.7:8080", "10.0.0.0/8".',
  ),
  trusted_domains: listOf(domainPattern).describe(
    'Sites whose content does not count as untrusted: "wiki.example.com".',
  ),
});

const webSearch = block({
  enabled: toolSwitch,
  engine: choice(['duckduckgo', 'brave', 'searxng', 'tavily'], 'duckduckgo').describe(
    'duckduckgo needs no key, but may refuse. brave and tavily need a key, searxng needs a base_url.',
  ),
  api_key: z.string().default('').describe('The key of the search engine, best taken from the environment.'),
  base_url: z.optional(httpUrl).describe('The address of the search engine, if it is not the public one.'),
  timeout_secs: seconds(20).describe('How long a search may take.'),
});

const webFetch = block({
  enabled: toolSwitch,
  timeout_secs: seconds(30).describe('How long fetching a page may take.'),
  max_bytes: bytes(10_485_760).describe('The largest page that is read, after decompression.'),
  page_chars: pageChars,
});

const httpRequest = block({
  enabled: toolSwitch,
  allowed_domains: listOf(domainPattern).describe(
    'The hosts that it may call: "api.example.com", "*.example.com". Empty: the tool does not exist.',
  ),
  timeout_secs: seconds(30).describe('How long a request may take.'),
  max_response_bytes: bytes(524_288).describe('The rest of a longer response is not read.'),
});

/** The tools are a feature's; what a day is, budgets ask too. */
const schedule = shared({
  time_zone: z
    .optional(timeZone)
    .describe(
      'The time zone of people for whom none is known, such as "Europe/Berlin". Default: that of this machine.',
    ),
});

const ask = block({
  enabled: toolSwitch,
  timeout_secs: seconds(86_400).describe('A question expires if nobody answers it in this time.'),
});

/** The tools that ask for agents are features'. */
const delegate = shared({
  max_depth: count(3, 10).describe('How deep delegation may nest: an agent that delegates to an agent is two.'),
  max_running: count(4, 100).describe('How many agents may work for one conversation at once.'),
  timeout_secs: seconds(120).describe('An agent fails if its model says nothing for this long.'),
});

const attemptCompletion = block({
  enabled: toolSwitch,
  in_chats: off.describe('true: the model knows of it in chats too. false: only agents do.'),
});
