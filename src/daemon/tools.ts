import { cleanLabels } from '../approval/taint.ts';
import { judge } from '../approval/verdict.ts';
import { type Conversation, partsOf, type Sender } from '../contract.ts';
import { OutboxCourier } from '../conversation/delivery/outbox-courier.ts';
import type { Acquaintance } from '../store/address-book.ts';
import { type BuiltinDependencies, builtinTools } from '../tools/builtin/index.ts';
import type { ToolPermission } from '../tools/builtin/list-tools.ts';
import type { Address } from '../tools/builtin/messages/courier.ts';
import { workspaces } from '../tools/guard/workspace/workspace.ts';
import { type RegisteredTool, ToolRegistry } from '../tools/registry.ts';
import { resultFiles } from '../tools/result-files.ts';
import { ToolRunner } from '../tools/runner.ts';
import { registerCustomTools } from './custom-tools.ts';
import type { DaemonOptions, Ground } from './parts.ts';
import { approvalSettingsOf, isOff, memorySettingsOf, offerRulesOf, planningSettingsOf } from './settings.ts';
import { builtinSettingsOf } from './tool-settings.ts';

/** The tools, and what runs them. */
export interface Tools {
  readonly registry: ToolRegistry;
  readonly runner: ToolRunner;
}

/** What is made after the tools, and told by them. */
export interface ToolListeners {
  /** Something was planned for then. */
  readonly planned: (at: number) => void;
  /** Resolves when nothing is on its way to the conversation any more. */
  readonly whenDelivered: (conversationId: string) => Promise<void>;
  /** Whether somebody who calls us there would be heard. */
  readonly isWelcome: (sender: Sender, conversation: Conversation) => boolean;
}

/** Makes the builtin tools that the config has, and takes in the operator's own. */
export function makeTools(ground: Ground, listeners: ToolListeners): Tools {
  const { config, clock, log, store, redact, environment, bounds, tools = [] } = ground;
  const { read_file, write_file, timeout_secs, max_result_chars } = config.tools;
  const privatePaths = ownPathsOf(ground);
  // A result that is kept is to be read again.
  const kept = { workspaceAt: workspaces({ privatePaths }), maxBytes: Math.min(mostKept, read_file.max_bytes) };
  const runner = new ToolRunner({
    clock,
    settings: { timeout: timeout_secs * 1000, maxOutput: max_result_chars },
    redact,
    keep: resultFiles(kept),
  });
  const registry = new ToolRegistry({ log, offers: offerRulesOf(config) });
  const builtins = builtinTools({
    clock,
    bounds: bounds.bounds,
    isConfined: () => bounds.isConfined(),
    environment,
    workspaceRules: { maxRead: read_file.max_bytes, maxWrite: write_file.max_bytes, privatePaths },
    settings: builtinSettingsOf(config),
    planning: {
      store: store.schedules,
      accountsOf: ground.accounts.accountsOf,
      clock,
      settings: planningSettingsOf(config),
      planned: listeners.planned,
    },
    ...ownDependencies(ground, { registry, runner }, listeners),
  });
  for (const tool of builtins) if (!isOff(config, tool.name)) registry.register(tool, { type: 'builtin' });
  for (const tool of tools) registry.register(tool, { type: 'custom' });
  registerCustomTools(ground, registry, { privatePaths });
  return { registry, runner };
}

/** The most that is kept of one result that is too long for the model, in bytes. */
const mostKept = 20 * 2 ** 20;

/** What tools do not get at, though a workspace contains it. */
export function ownPathsOf({ config, privatePaths }: DaemonOptions): readonly string[] {
  return [...privatePaths, config.data_dir];
}

type OwnDependencies = Required<Pick<BuiltinDependencies, 'memory' | 'messages' | 'catalogue' | 'composing'>>;

/** What those builtin tools stand on that reach into Keyturn itself. */
function ownDependencies(
  ground: Ground,
  { registry, runner }: Tools,
  { whenDelivered, isWelcome }: ToolListeners,
): OwnDependencies {
  const { store, config, adapters, people, clock, deliver } = ground;
  const { outbox, addresses, files } = store;
  const { accountsOf } = ground.accounts;
  return {
    memory: { memories: store.memories, accountsOf, clock, settings: memorySettingsOf(config) },
    messages: {
      addresses: {
        addressesOf: async (principal) => {
          if (people.isOwner(principal)) return addresses.all();
          const known = await Promise.all(
            accountsOf(principal).map(async (account) => {
              const places = await addresses.acquaintancesOf(account);
              return places.filter((place) => mayStillTalk(account, place, isWelcome));
            }),
          );
          return latestFirst(known);
        },
      },
      courier: new OutboxCourier({ outbox, adapters, deliver, whenIdle: whenDelivered, clock }),
      files,
      fileLimitOf: (channel) => adapters.get(channel)?.capabilities.maxFileBytes ?? 0,
    },
    composing: {
      store: store.composedTools,
      registry: () => registry,
      clock,
      most: config.tools.create_tool.max_tools,
      maxDepth: config.tools.delegate.max_depth,
    },
    catalogue: {
      registry: () => registry,
      permissionOf: (tool) => permissionOf(tool, ground),
      statisticsOf: (name) => runner.stats(name)[0],
    },
  };
}

/** The conversations of a person's accounts, in some of which he may have several. */
function latestFirst(known: readonly (readonly Acquaintance[])[]): readonly Address[] {
  const places = known.length === 1 ? known.flat() : known.flat().toSorted((one, other) => other.seenAt - one.seenAt);
  return [...new Map(places.map(({ address }) => [address.id, address] as const)).values()];
}

/** He has been heard there, and would be heard there today: the config may have changed since. */
function mayStillTalk(
  principal: string,
  { conversation, name, roles }: Acquaintance,
  isWelcome: ToolListeners['isWelcome'],
): boolean {
  return isWelcome({ id: partsOf(principal).senderId, name, isPerson: true, roles }, conversation);
}

/** As in a conversation without taint, for a person without grants. */
function permissionOf({ name, category }: RegisteredTool, { config, clock }: Ground): ToolPermission {
  const settings = approvalSettingsOf(config);
  const question = { toolName: name, category, hash: '', labels: cleanLabels, grants: [], settings, now: clock.now() };
  return judge(question).type;
}
