import { webClient } from '../guard/network/guarded-web-client.ts';
import { networkRules } from '../guard/network/network-rules.ts';
import { type ProcessGuardDependencies, processGuard } from '../guard/process/process.ts';
import { type RunInWorker, workerThreads } from '../guard/worker/run-in-worker.ts';
import { type WorkspaceRules, workspaces } from '../guard/workspace/workspace.ts';
import { registrationOf, type ToolRegistration } from '../registry.ts';
import type { Tool } from '../tool.ts';
import { type AskSettings, ask } from './ask.ts';
import { echo } from './echo.ts';
import { editFile } from './files/edit-file.ts';
import { type FindFilesSettings, findFiles } from './files/find-files.ts';
import { listDir } from './files/list-dir.ts';
import { type ReadDocumentSettings, readDocument } from './files/read-document.ts';
import { type ReadFileSettings, readFile } from './files/read-file.ts';
import { type SearchFilesSettings, searchFiles } from './files/search-files.ts';
import { writeFile } from './files/write-file.ts';
import { type ListToolsDependencies, listTools } from './list-tools.ts';
import { type MemoryDependencies, memoryForget, memorySearch, memoryStore } from './memory/memory-tools.ts';
import { type MessageDependencies, message } from './messages/message.ts';
import { type SendFileDependencies, sendFile } from './messages/send-file.ts';
import type { PlanningDependencies } from './planning/planned-time.ts';
import { remind } from './planning/remind.ts';
import { schedule } from './planning/schedule.ts';
import { type ShellSettings, shell } from './shell.ts';
import { type HttpRequestSettings, httpRequest } from './web/http-request.ts';
import { type WebFetchSettings, webFetch } from './web/web-fetch.ts';
import { type WebSearchSettings, webSearch } from './web/web-search.ts';

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
}

/** The tools that come with Keyturn. */
export function builtinTools(dependencies: BuiltinDependencies): readonly ToolRegistration[] {
  const { settings, planning, memory, messages, catalogue } = dependencies;
  const runInWorker = workerThreads(dependencies);
  return [
    ...[
      ask(settings.ask),
      echo(),
      ...fileTools(dependencies, runInWorker),
      ...webTools(dependencies, runInWorker),
      ...(planning === undefined ? [] : [schedule(planning), remind(planning)]),
      ...(memory === undefined ? [] : [memoryStore(memory), memorySearch(memory), memoryForget(memory)]),
    ].map(registrationOf),
    ...(messages === undefined ? [] : [message(messages)]),
    ...(catalogue === undefined ? [] : [listTools(catalogue)]),
  ];
}

function fileTools(dependencies: BuiltinDependencies, runInWorker: RunInWorker): readonly Tool[] {
  const { settings, workspaceRules: rules = {}, isConfined, messages, clock } = dependencies;
  const workspaceAt = workspaces(rules);
  const { maxBytes: maxRead, ...documents } = settings.readDocument;
  return [
    readFile({ workspaceAt, settings: settings.readFile }),
    listDir({ workspaceAt }),
    findFiles({ workspaceAt, settings: settings.findFiles }),
    searchFiles({ runInWorker, rules, settings: settings.searchFiles }),
    writeFile({ workspaceAt }),
    editFile({ workspaceAt }),
    readDocument({ workspaceAt: workspaces({ ...rules, maxRead }), runInWorker, clock, settings: documents }),
    shell({ runProcess: processGuard(dependencies), workspaceAt, isConfined, settings: settings.shell }),
    ...(messages === undefined ? [] : [sendFile({ ...messages, workspaceAt })]),
  ];
}

function webTools(dependencies: BuiltinDependencies, runInWorker: RunInWorker): readonly Tool[] {
  const { clock, settings } = dependencies;
  const { allowPrivate } = settings;
  const client = webClient({ settings: { allowPrivate }, clock });
  const { refuse } = networkRules(allowPrivate);
  const request = httpRequest({ client, refuse, settings: settings.httpRequest });
  return [
    webFetch({ client, refuse, runInWorker, clock, settings: settings.webFetch }),
    webSearch({ client, settings: settings.webSearch }),
    ...(request === undefined ? [] : [request]),
  ];
}
