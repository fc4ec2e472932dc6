import { cleanLabels, judge } from '../approval/verdict.ts';
import type { Config } from '../config/schema.ts';
import { isOff } from '../config/tool-rules.ts';
import { partsOf } from '../contract.ts';
import type { ConfiguredAccess } from '../conversation/access/configured-access.ts';
import { OutboxCourier } from '../conversation/outbox-courier.ts';
import type { Delivery } from '../engine/send.ts';
import type { Feature } from '../feature-points.ts';
import { once } from '../lib/once.ts';
import type { Acquaintance } from '../store/conversations.ts';
import { type BuiltinParts, builtinTools } from '../tools/builtin/index.ts';
import type { Address } from '../tools/builtin/messages/message-tools.ts';
import type { ToolPermission } from '../tools/builtin/run-tools.ts';
import { type WorkspaceRules, workspaces } from '../tools/guard/workspace/workspace.ts';
import type { RegisteredTool, ToolRegistration, ToolRegistry } from '../tools/registry.ts';
import { ToolRunner } from '../tools/runner.ts';
import { resultFiles } from '../tools/shape-output.ts';
import type { CustomToolDependencies } from '../tools/sources/custom/custom-tool.ts';
import type { DaemonOptions, Services } from './parts.ts';
import { approvalSettingsOf } from './settings.ts';
import { builtinSettingsOf } from './tool-settings.ts';

/** The tools, and what runs them. */
export interface Tools {
  readonly registry: ToolRegistry;
  readonly runner: ToolRunner;
}

/** What builtin tools reach in Keyturn itself. */
interface ToolParts {
  readonly rules: Pick<ConfiguredAccess, 'isWelcome'>;
  readonly delivery: Pick<Delivery, 'whenIdle'>;
  /** These bring more of them. */
  readonly features: readonly Feature[];
}

/** Makes the builtin tools that the config has, and takes in the operator's own. */
export function makeTools(services: Services, parts: ToolParts): Tools {
  const { config, clock, redact, registry, environment, bounds, tools = [] } = services;
  const { read_file, write_file, timeout_secs, max_result_chars } = config.tools;
  const privatePaths = ownPathsOf(services);
  // A result that is kept is to be read again.
  const kept = { workspaceAt: workspaces({ privatePaths }), maxBytes: Math.min(mostKept, read_file.max_bytes) };
  const runner = new ToolRunner({
    clock,
    settings: { timeout: timeout_secs * 1000, maxOutput: max_result_chars },
    redact,
    keep: resultFiles(kept),
  });
  const builtins = builtinTools({
    clock,
    bounds: bounds.bounds,
    isConfined: () => bounds.isConfined(),
    environment,
    workspaceRules: { maxRead: read_file.max_bytes, maxWrite: write_file.max_bytes, privatePaths },
    settings: builtinSettingsOf(config),
    ...ownDependencies(services, { registry, runner }, parts),
  });
  const brought = parts.features.flatMap((feature) => feature.tools ?? []);
  for (const tool of [...builtins, ...brought])
    if (!isOff(config, tool.name)) registry.register(tool, { type: 'builtin' });
  for (const tool of tools) registry.register(tool, { type: 'custom' });
  registerCustomTools(services, registry, { privatePaths });
  for (const { registration, source } of parts.features.flatMap((feature) => feature.broughtTools ?? [])) {
    const { name } = registration;
    if (registry.has(name)) services.log.warn({ tool: name }, 'a tool is left out: its name is taken');
    else if (!isOff(config, name)) registry.register(registration, source);
  }
  return { registry, runner };
}

/** The most that is kept of one result that is too long for the model, in bytes. */
const mostKept = 20 * 2 ** 20;

/** What tools do not get at, though a workspace contains it. */
export function ownPathsOf({ config, privatePaths }: DaemonOptions): readonly string[] {
  return [...privatePaths, config.data_dir];
}

type OwnDependencies = Required<Pick<BuiltinParts, 'messages' | 'catalogue'>>;

/** What those builtin tools stand on that reach into Keyturn itself. */
function ownDependencies(
  services: Services,
  { registry, runner }: Tools,
  { rules, delivery }: ToolParts,
): OwnDependencies {
  const { store, adapters, people, clock, deliver } = services;
  const { outbox, addresses, files } = store;
  const { accountsOf } = services.accounts;
  return {
    messages: {
      addresses: {
        addressesOf: async (principal, id) => {
          if (people.isOwner(principal)) return addresses.all(id);
          const known = await Promise.all(
            accountsOf(principal).map(async (account) => {
              const places = await addresses.acquaintancesOf(account);
              return places.filter((place) => mayStillTalk(account, place, rules));
            }),
          );
          return latestFirst(known);
        },
      },
      courier: new OutboxCourier({ outbox, adapters, deliver, whenIdle: (id) => delivery.whenIdle(id), clock }),
      files,
      fileLimitOf: (channel) => adapters.get(channel)?.capabilities.maxFileBytes ?? 0,
    },
    catalogue: {
      registry: () => registry,
      permissionOf: (tool) => permissionOf(tool, services),
      statisticsOf: (name) => runner.stats(name)[0],
    },
  };
}

/** The conversations of a person's accounts, in some of which they may have several. */
function latestFirst(known: readonly (readonly Acquaintance[])[]): readonly Address[] {
  const places = known.length === 1 ? known.flat() : known.flat().toSorted((one, other) => other.seenAt - one.seenAt);
  return [...new Map(places.map(({ address }) => [address.id, address] as const)).values()];
}

/** They have been heard there, and would be heard there today: the config may have changed since. */
function mayStillTalk(
  principal: string,
  { conversation, name, roles }: Acquaintance,
  rules: ToolParts['rules'],
): boolean {
  return rules.isWelcome({ id: partsOf(principal).senderId, name, isPerson: true, roles }, conversation);
}

/** As in a conversation without taint, for a person without grants. */
function permissionOf({ name, category }: RegisteredTool, { config, clock }: Services): ToolPermission {
  const settings = approvalSettingsOf(config);
  const question = { toolName: name, category, hash: '', labels: cleanLabels, grants: [], settings, now: clock.now() };
  return judge(question).type;
}

/** Registers the tools that the operator has written as commands; each in place of a builtin tool of its name. */
function registerCustomTools(services: Services, registry: ToolRegistry, rules: WorkspaceRules): void {
  const { clock, environment, bounds, config } = services;
  const { deny, allow, max_output_bytes: maxOutputBytes } = config.tools.shell;
  const dependencies = once(async (): Promise<CustomToolDependencies> => {
    const { processGuard } = await import('../tools/guard/process/process.ts');
    return {
      runProcess: processGuard({ clock, environment, bounds: bounds.bounds }),
      workspaceAt: workspaces(rules),
      isConfined: () => bounds.isConfined(),
      rules: { deny, allow },
      maxOutputBytes,
    };
  });
  for (const tool of config.custom_tools) {
    registry.registerOrReplace(registrationOf(tool, dependencies), { type: 'custom' });
  }
}

/** What reads and runs commands is loaded with the first call. */
function registrationOf(
  tool: Config['custom_tools'][number],
  dependencies: () => Promise<CustomToolDependencies>,
): ToolRegistration {
  const { name, description, category, command, parameters, working_dir: folder, timeout_secs: timeoutSecs } = tool;
  const settings = {
    name,
    description,
    category,
    command,
    parameters,
    folder,
    timeoutSecs,
    variables: tool.env,
  };
  return {
    name,
    category,
    definition: { name, description, parameters },
    create: once(async () =>
      (await import('../tools/sources/custom/custom-tool.ts')).customTool(settings, await dependencies()),
    ),
  };
}
