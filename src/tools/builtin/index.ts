import { once } from '../../lib/once.ts';
import type { ProcessGuardDependencies } from '../guard/process/process.ts';
import { type WorkspaceRules, workspaces } from '../guard/workspace/workspace.ts';
import type { ToolRegistration } from '../registry.ts';
import type { CreateToolDependencies } from '../sources/composed/create-tool.ts';
import type { AskSettings } from './ask.ts';
import type { FindFilesSettings } from './files/find-files.ts';
import type { ReadDocumentSettings } from './files/read-document.ts';
import type { ReadFileSettings } from './files/read-file.ts';
import type { SearchFilesSettings } from './files/search-files.ts';
import { lazyRegistration, lazyTool } from './lazy-tool.ts';
import type { ListToolsDependencies } from './list-tools.ts';
import type { MemoryDependencies } from './memory/memory-tools.ts';
import type { MessageDependencies } from './messages/message.ts';
import type { SendFileDependencies } from './messages/send-file.ts';
import type { PlanningDependencies } from './planning/planned-time.ts';
import type { ShellSettings } from './shell.ts';
import type { HttpRequestSettings } from './web/http-request.ts';
import type { WebFetchSettings } from './web/web-fetch.ts';
import type { WebSearchSettings } from './web/web-search.ts';

export interface BuiltinDependencies extends ProcessGuardDependencies {
  /** A sandbox keeps commands in their bounds. */
  readonly isConfined: () => boolean;
  readonly settings: BuiltinSettings;
  readonly workspaceRules?: WorkspaceRules;
  /** Left out: nothing can be planned. */
  readonly planning?: PlanningDependencies;
  /** Left out: nothing can be remembered. */
  readonly memory?: MemoryDependencies;
  /** Left out: nobody can be written to, and no file shown. */
  readonly messages?: MessageDependencies & Omit<SendFileDependencies, 'workspaceAt'>;
  /** Left out: no tools can be made of words. */
  readonly composing?: CreateToolDependencies;
  /** Left out: the tools can't be listed. */
  readonly catalogue?: ListToolsDependencies;
}

/** What the config says of each, as far as there is more than on and off. */
export interface BuiltinSettings {
  readonly ask: AskSettings;
  readonly readFile: ReadFileSettings;
  readonly findFiles: FindFilesSettings;
  readonly searchFiles: SearchFilesSettings;
  /** `maxBytes`: the largest document. */
  readonly readDocument: ReadDocumentSettings & { readonly maxBytes: number };
  readonly shell: ShellSettings;
  /** Hosts of the own network that may be reached, as `parseAllowPrivate` reads them. */
  readonly allowPrivate: readonly string[];
  readonly webFetch: WebFetchSettings;
  readonly webSearch: WebSearchSettings;
  readonly httpRequest: HttpRequestSettings;
  /** Whether a run that a person has begun is told that it can end itself by a call. */
  readonly completesInChats: boolean;
}

/** The tools that come with Keyturn. Each is loaded when it is first used. */
export function builtinTools(dependencies: BuiltinDependencies): readonly ToolRegistration[] {
  const shared = sharedParts(dependencies);
  return [
    ...fileTools(dependencies, shared),
    ...webTools(dependencies, shared),
    ...personalTools(dependencies),
    ...messageTools(dependencies, shared),
    ...runTools(dependencies),
  ];
}

type SharedParts = ReturnType<typeof sharedParts>;

/** What several tools stand on. */
function sharedParts(dependencies: BuiltinDependencies) {
  const { workspaceRules: rules = {}, clock, settings } = dependencies;
  const { allowPrivate } = settings;
  return {
    rules,
    workspaceAt: workspaces(rules),
    runInWorker: once(async () => (await import('../guard/worker/run-in-worker.ts')).workerProcesses(dependencies)),
    web: once(async () => {
      const [{ webClient }, { networkRules }] = await Promise.all([
        import('../guard/network/guarded-web-client.ts'),
        import('../guard/network/network-rules.ts'),
      ]);
      return { client: webClient({ settings: { allowPrivate }, clock }), refuse: networkRules(allowPrivate).refuse };
    }),
  };
}

function fileTools(
  dependencies: BuiltinDependencies,
  { rules, workspaceAt, runInWorker }: SharedParts,
): readonly ToolRegistration[] {
  const { settings, isConfined, clock } = dependencies;
  const { maxBytes: maxRead, ...documents } = settings.readDocument;
  const isUnusual = settings.shell.timeoutSecs !== usualTimeoutSecs;
  return [
    lazyTool({ name: 'read_file', category: 'filesystem_read' }, async () =>
      (await import('./files/read-file.ts')).readFile({ workspaceAt, settings: settings.readFile }),
    ),
    lazyTool({ name: 'list_dir', category: 'filesystem_read' }, async () =>
      (await import('./files/list-dir.ts')).listDir({ workspaceAt }),
    ),
    lazyTool({ name: 'find_files', category: 'filesystem_read' }, async () =>
      (await import('./files/find-files.ts')).findFiles({ workspaceAt, settings: settings.findFiles }),
    ),
    lazyTool({ name: 'search_files', category: 'filesystem_read' }, async () => {
      const { searchFiles } = await import('./files/search-files.ts');
      return searchFiles({ runInWorker: await runInWorker(), rules, settings: settings.searchFiles });
    }),
    lazyTool({ name: 'write_file', category: 'filesystem_write' }, async () =>
      (await import('./files/write-file.ts')).writeFile({ workspaceAt }),
    ),
    lazyTool({ name: 'edit_file', category: 'filesystem_write' }, async () =>
      (await import('./files/edit-file.ts')).editFile({ workspaceAt }),
    ),
    lazyTool({ name: 'read_document', category: 'filesystem_read' }, async () => {
      const { readDocument } = await import('./files/read-document.ts');
      const folders = workspaces({ ...rules, maxRead });
      return readDocument({ workspaceAt: folders, runInWorker: await runInWorker(), clock, settings: documents });
    }),
    lazyTool({ name: 'shell', category: 'shell', isUnusual }, async () => {
      const [{ shell }, { processGuard }] = await Promise.all([
        import('./shell.ts'),
        import('../guard/process/process.ts'),
      ]);
      return shell({ runProcess: processGuard(dependencies), workspaceAt, isConfined, settings: settings.shell });
    }),
  ];
}

const usualTimeoutSecs = 60;

function webTools(
  { clock, settings }: BuiltinDependencies,
  { web, runInWorker }: SharedParts,
): readonly ToolRegistration[] {
  const hasDomains = settings.httpRequest.allowedDomains.length > 0;
  return [
    lazyTool({ name: 'web_fetch', category: 'network_read' }, async () => {
      const { webFetch } = await import('./web/web-fetch.ts');
      return webFetch({ ...(await web()), runInWorker: await runInWorker(), clock, settings: settings.webFetch });
    }),
    lazyTool({ name: 'web_search', category: 'network_read' }, async () => {
      const { webSearch } = await import('./web/web-search.ts');
      return webSearch({ client: (await web()).client, settings: settings.webSearch });
    }),
    ...(hasDomains
      ? [
          lazyTool({ name: 'http_request', category: 'network_write', isUnusual: true }, async () => {
            const { httpRequest } = await import('./web/http-request.ts');
            return httpRequest({ ...(await web()), settings: settings.httpRequest });
          }),
        ]
      : []),
  ];
}

/** What is there for one person: his questions, memory and plans. */
function personalTools({ settings, memory, planning }: BuiltinDependencies): readonly ToolRegistration[] {
  const remembering = (load: 'memoryStore' | 'memorySearch' | 'memoryForget', given: MemoryDependencies) => async () =>
    (await import('./memory/memory-tools.ts'))[load](given);
  return [
    lazyTool({ name: 'ask', category: 'memory' }, async () => (await import('./ask.ts')).ask(settings.ask)),
    lazyTool({ name: 'echo', category: 'memory' }, async () => (await import('./echo.ts')).echo()),
    ...(planning === undefined
      ? []
      : [
          lazyTool({ name: 'schedule', category: 'memory' }, async () =>
            (await import('./planning/schedule.ts')).schedule(planning),
          ),
          lazyTool({ name: 'remind', category: 'memory' }, async () =>
            (await import('./planning/remind.ts')).remind(planning),
          ),
        ]),
    ...(memory === undefined
      ? []
      : [
          lazyTool(
            { name: 'memory_store', category: 'memory', isUnusual: memory.settings.maxChars !== usualMemory },
            remembering('memoryStore', memory),
          ),
          lazyTool({ name: 'memory_search', category: 'memory' }, remembering('memorySearch', memory)),
          lazyTool({ name: 'memory_forget', category: 'memory' }, remembering('memoryForget', memory)),
        ]),
  ];
}

const usualMemory = 4000;

function messageTools(
  { messages, catalogue }: BuiltinDependencies,
  { workspaceAt }: SharedParts,
): readonly ToolRegistration[] {
  return [
    ...(messages === undefined
      ? []
      : [
          lazyRegistration({ name: 'message', category: 'messaging' }, async () =>
            (await import('./messages/message.ts')).message(messages),
          ),
          lazyTool({ name: 'send_file', category: 'filesystem_read' }, async () =>
            (await import('./messages/send-file.ts')).sendFile({ ...messages, workspaceAt }),
          ),
        ]),
    ...(catalogue === undefined
      ? []
      : [
          lazyRegistration({ name: 'list_tools', category: 'memory' }, async () =>
            (await import('./list-tools.ts')).listTools(catalogue),
          ),
        ]),
  ];
}

/** What is about runs themselves. */
function runTools({ composing, settings }: BuiltinDependencies): readonly ToolRegistration[] {
  const completion = lazyTool({ name: 'attempt_completion', category: 'memory' }, async () =>
    (await import('./attempt-completion.ts')).attemptCompletion(),
  );
  return [
    { ...completion, isOffered: ({ within }) => within !== undefined || settings.completesInChats },
    ...(composing === undefined
      ? []
      : [
          lazyRegistration({ name: 'create_tool', category: 'destructive' }, async () =>
            (await import('../sources/composed/create-tool.ts')).createTool(composing),
          ),
        ]),
  ];
}
