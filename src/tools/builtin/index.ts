import { once } from '../../lib/once.ts';
import type { WebAccess } from '../guard/network/web-client.ts';
import type { ProcessGuard, ProcessGuardDependencies } from '../guard/process/process.ts';
import { workerProcesses } from '../guard/worker/run-in-worker.ts';
import { type WorkspaceRules, workspaces } from '../guard/workspace/workspace.ts';
import { lazyTool, type ToolRegistration } from '../registry.ts';
import type { ToolScope } from '../tool.ts';
import type { ReadDocumentSettings, ReadFileSettings } from './files/read-files.ts';
import type { SearchFilesSettings } from './files/search-files.ts';
import type { FileShowing, MessageParts } from './messages/message-tools.ts';
import type { ToolCatalogue } from './run-tools.ts';
import type { ShellSettings } from './shell.ts';
import type { HttpRequestSettings } from './web/http-request.ts';
import type { WebFetchSettings } from './web/web-fetch.ts';
import type { WebSearchSettings } from './web/web-search.ts';

/** What the builtin tools stand on. A part that is left out leaves out its tools. */
export interface BuiltinParts extends ProcessGuardDependencies {
  /** A sandbox keeps commands in their bounds. */
  readonly isConfined: () => boolean;
  readonly settings: BuiltinSettings;
  readonly workspaceRules?: WorkspaceRules;
  readonly messages?: MessageParts & FileShowing;
  readonly catalogue?: ToolCatalogue;
}

/** What the config says of each, as far as there is more than on and off. */
export interface BuiltinSettings {
  readonly ask: { readonly timeout: number };
  readonly readFile: ReadFileSettings;
  readonly findFiles: { readonly maxResults: number };
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

/**
 * The tools that come with Keyturn, each in its file. The files are loaded while the channels connect, and what is heavy behind
 * a tool when it is first called.
 */
export function builtinTools(parts: BuiltinParts): readonly ToolRegistration[] {
  const { settings, clock, isConfined, messages, catalogue } = parts;
  const { workspaceRules: rules = {} } = parts;
  const { maxBytes: maxRead, ...documents } = settings.readDocument;
  const workspaceAt = workspaces(rules);
  const runInWorker = workerProcesses({ clock });
  const web = webAccess(parts);
  const { shell, httpRequest } = settings;
  return [
    lazyTool('read_file', 'filesystem_read', async () =>
      (await import('./files/read-files.ts')).readFile({ workspaceAt, settings: settings.readFile }),
    ),
    lazyTool('list_dir', 'filesystem_read', async () =>
      (await import('./files/list-files.ts')).listDir({ workspaceAt }),
    ),
    lazyTool('find_files', 'filesystem_read', async () =>
      (await import('./files/list-files.ts')).findFiles({ workspaceAt, settings: settings.findFiles }),
    ),
    lazyTool('search_files', 'filesystem_read', async () =>
      (await import('./files/search-files.ts')).searchFiles({ runInWorker, rules, settings: settings.searchFiles }),
    ),
    lazyTool('write_file', 'filesystem_write', async () =>
      (await import('./files/write-files.ts')).writeFile({ workspaceAt }),
    ),
    lazyTool('edit_file', 'filesystem_write', async () =>
      (await import('./files/write-files.ts')).editFile({ workspaceAt }),
    ),
    lazyTool('read_document', 'filesystem_read', async () =>
      (await import('./files/read-files.ts')).readDocument({
        workspaceAt: workspaces({ ...rules, maxRead }),
        runInWorker,
        clock,
        settings: documents,
      }),
    ),
    lazyTool('shell', 'shell', async () =>
      (await import('./shell.ts')).shell({
        runProcess: lazyProcesses(parts),
        workspaceAt,
        isConfined,
        settings: shell,
      }),
    ),
    lazyTool('web_fetch', 'network_read', async () =>
      (await import('./web/web-fetch.ts')).webFetch({ web, runInWorker, clock, settings: settings.webFetch }),
    ),
    lazyTool('web_search', 'network_read', async () =>
      (await import('./web/web-search.ts')).webSearch({ web, settings: settings.webSearch }),
    ),
    httpRequest.allowedDomains.length > 0 &&
      lazyTool('http_request', 'network_write', async () =>
        (await import('./web/http-request.ts')).httpRequest({ web, settings: httpRequest }),
      ),
    lazyTool('ask', 'memory', async () => (await import('./run-tools.ts')).ask(settings.ask)),
    lazyTool('echo', 'memory', async () => (await import('./run-tools.ts')).echo()),
    {
      ...lazyTool('attempt_completion', 'memory', async () => (await import('./run-tools.ts')).attemptCompletion()),
      isOffered: ({ within }: ToolScope) => within !== undefined || settings.completesInChats,
    },
    messages &&
      lazyTool('send_file', 'filesystem_read', async () =>
        (await import('./messages/message-tools.ts')).sendFile(workspaceAt, messages),
      ),
    // Made again for each scope: an approver is told where a message would go.
    messages &&
      ({
        name: 'message',
        category: 'messaging',
        definition: async () => (await import('./messages/message-tools.ts')).writing(messages).spec(),
        create: async (scope: ToolScope) => (await import('./messages/message-tools.ts')).message(messages, scope),
      } as const),
    catalogue && lazyTool('list_tools', 'memory', async () => (await import('./run-tools.ts')).listTools(catalogue)),
  ].filter((each) => typeof each === 'object');
}

function webAccess({ settings: { allowPrivate }, clock }: BuiltinParts): () => Promise<WebAccess> {
  return once(async () => {
    const [{ webClient }, { networkRules }] = await Promise.all([
      import('../guard/network/guarded-web-client.ts'),
      import('../guard/network/network-rules.ts'),
    ]);
    return { client: webClient({ settings: { allowPrivate }, clock }), refuse: networkRules(allowPrivate).refuse };
  });
}

function lazyProcesses(parts: BuiltinParts): ProcessGuard {
  return async (request) => (await import('../guard/process/process.ts')).processGuard(parts)(request);
}
