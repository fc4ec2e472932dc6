import { once } from '../../lib/background.ts';
import type { Network } from '../../lib/network/network.ts';
import type { HostLookup } from '../guard/network/network-rules.ts';
import { type CommandShell, plainShell } from '../guard/process/command-shell.ts';
import type { ProcessGuard, ProcessGuardDependencies } from '../guard/process/process.ts';
import { workerProcesses } from '../guard/worker/run-in-worker.ts';
import { type WorkspaceRules, workspaces } from '../guard/workspace/workspace.ts';
import type { MessageChanges } from '../message-changes.ts';
import { lazyTool, type ToolRegistration } from '../registry.ts';
import type { Tool, ToolCategory, ToolScope } from '../tool.ts';
import type { FileShowing } from './messages/message-files.ts';
import type { MessageParts } from './messages/message-tools.ts';
import type { ToolCatalogue } from './run-tools.ts';
import type { BuiltinSettings, BuiltinSwitches } from './settings.ts';

/** What the builtin tools need. Without an optional part, its tools are missing. */
export interface BuiltinParts extends ProcessGuardDependencies {
  readonly isConfined: () => boolean;
  /** Default: `sh`. */
  readonly shell?: () => CommandShell;
  readonly settings: BuiltinSettings & BuiltinSwitches;
  readonly workspaceRules?: WorkspaceRules;
  readonly messages?: MessageParts & FileShowing & { readonly changes: MessageChanges };
  readonly catalogue?: ToolCatalogue;
  /** Default: the system's. */
  readonly lookup?: HostLookup | undefined;
  /** Default: directly. */
  readonly network?: Network;
}

/** Its name has a switch. */
type BuiltinTool = ToolRegistration & { readonly name: keyof BuiltinSwitches };

/**
 * The builtin tools, each in its own file. The files load while the channels connect; heavy dependencies load with a
 * tool's first call.
 */
export function builtinTools(parts: BuiltinParts): readonly BuiltinTool[] {
  const { settings, clock, isConfined, messages, catalogue } = parts;
  const { workspaceRules: rules = {}, shell: commandShell = () => plainShell } = parts;
  const workspaceAt = workspaces(rules);
  const documentsAt = workspaces({ ...rules, maxRead: settings.read_document.max_bytes });
  const runInWorker = workerProcesses({ clock });
  const runProcess: ProcessGuard = async (request) =>
    (await import('../guard/process/process.ts')).processGuard(parts)(request);
  const web = once(async () => {
    const { webAccess } = await import('../guard/network/web-client.ts');
    return webAccess(settings.network.allow_private, clock, parts);
  });
  const reading = () => import('./files/read-files.ts');
  const finding = () => import('./files/find-files.ts');
  const writing = () => import('./files/write-files.ts');
  const ofRuns = () => import('./run-tools.ts');
  const ofMessages = () => import('./messages/message-tools.ts');
  const inWorker = { runInWorker, clock };
  return [
    lazyTool('read_file', 'filesystem_read', async () => (await reading()).readFile(workspaceAt, settings)),
    lazyTool('read_document', 'filesystem_read', async () =>
      (await reading()).readDocument(documentsAt, inWorker, settings),
    ),
    lazyTool('list_dir', 'filesystem_read', async () => (await finding()).listDir(workspaceAt)),
    lazyTool('find_files', 'filesystem_read', async () => (await finding()).findFiles(workspaceAt, settings)),
    lazyTool('search_files', 'filesystem_read', async () =>
      (await finding()).searchFiles(runInWorker, rules, settings),
    ),
    lazyTool('write_file', 'filesystem_write', async () => (await writing()).writeFile(workspaceAt)),
    lazyTool('edit_file', 'filesystem_write', async () => (await writing()).editFile(workspaceAt)),
    lazyTool('shell', 'shell', async () =>
      (await import('./shell.ts')).shell({ runProcess, workspaceAt, isConfined, commandShell }, settings),
    ),
    lazyTool('web_fetch', 'network_read', async () =>
      (await import('./web/web-fetch.ts')).webFetch(web, inWorker, settings),
    ),
    lazyTool('web_search', 'network_read', async () => (await import('./web/web-search.ts')).webSearch(web, settings)),
    settings.http_request.allowed_domains.length > 0 &&
      lazyTool('http_request', 'network_write', async () =>
        (await import('./web/http-request.ts')).httpRequest(web, settings),
      ),
    lazyTool('ask', 'memory', async () => (await ofRuns()).ask(settings)),
    lazyTool('echo', 'memory', async () => (await ofRuns()).echo()),
    {
      ...lazyTool('attempt_completion', 'memory', async () => (await ofRuns()).attemptCompletion()),
      depths: { from: settings.attempt_completion.in_chats ? 0 : 1 },
    },
    messages &&
      scopedTool('send_file', 'filesystem_read', async (scope) =>
        (await ofMessages()).sendFile(workspaceAt, messages, scope?.kind),
      ),
    messages &&
      scopedTool('message', 'messaging', async (scope) => {
        const { message, writing } = await ofMessages();
        return scope === undefined ? writing(messages) : message(messages, scope);
      }),
    messages && {
      ...lazyTool('react', 'memory', async () => (await import('./messages/react.ts')).react(messages.changes)),
      depths: { below: 1 },
    },
    catalogue && lazyTool('list_tools', 'memory', async () => (await ofRuns()).listTools(catalogue)),
    catalogue &&
      lazyTool('find_tools', 'memory', async () => (await import('./find-tools.ts')).findTools(catalogue.registry)),
  ].filter((each) => typeof each === 'object');
}

/** A tool that is made for each scope: an approver is told where a message would go. Its definition is always the same. */
function scopedTool<Name extends string>(
  name: Name,
  category: ToolCategory,
  make: (scope?: ToolScope) => Promise<Tool>,
): ToolRegistration & { readonly name: Name } {
  return { name, category, definition: async () => (await make()).spec(), create: make };
}
