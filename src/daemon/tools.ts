import type { Config } from '../config/schema.ts';
import { builtinNames, isOff, verdictOn } from '../config/tool-rules.ts';
import { partsOf } from '../contract.ts';
import type { Marks } from '../conversation/live/message-marks.ts';
import { createMessageChanges } from '../conversation/message-changes.ts';
import { outboxCourier } from '../conversation/outbox-courier.ts';
import type { Delivery } from '../delivery/send.ts';
import type { Feature } from '../feature-points.ts';
import { once } from '../lib/background.ts';
import { builtinTools } from '../tools/builtin/index.ts';
import type { Address } from '../tools/builtin/messages/message-tools.ts';
import { type WorkspaceRules, workspaces } from '../tools/guard/workspace/workspace.ts';
import { resultFiles } from '../tools/output.ts';
import { isSameSource, type ScopedTool, type ToolRegistration } from '../tools/registry.ts';
import { createToolRunner, type ToolRunner } from '../tools/runner.ts';
import type { Services } from './services.ts';
import { ownPathsOf } from './settings.ts';

/** The parts that builtin tools reach. */
interface ToolParts {
  readonly delivery: Pick<Delivery, 'whenIdle'>;
  readonly marks: Pick<Marks, 'react'>;
  /** They add tools. */
  readonly features: readonly Feature[];
}

/**
 * Makes the builtin tools in the config, and registers the operator's own. `renew` does it again with the current
 * config.
 */
export async function makeTools(
  services: Services,
  parts: ToolParts,
): Promise<{ readonly runner: ToolRunner; readonly renew: () => Promise<void> }> {
  const { setup, clock, redact, workspaceAt } = services;
  const runner = createToolRunner({
    clock,
    settings: setup.view(({ config: { tools } }) => ({
      timeout: tools.timeout_secs * 1000,
      maxOutput: tools.max_result_chars,
    })),
    redact,
    keep: (text, context) => {
      // `read_file` must be able to read a stored result.
      const maxBytes = Math.min(mostKept, setup.now.config.tools.read_file.max_bytes);
      return resultFiles(workspaceAt, maxBytes)(text, context);
    },
  });
  const renew = async (): Promise<void> => registerAll(services, await ownTools(services, runner, parts));
  await renew();
  return { runner, renew };
}

/** All tools of Keyturn and its config. A tool that replaces another of the same name comes later. */
async function ownTools(services: Services, runner: ToolRunner, parts: ToolParts): Promise<readonly ScopedTool[]> {
  const { config, store, adapters, registry, tools = [] } = services;
  const { outbox, files } = store;
  const privatePaths = ownPathsOf({ ...services, config: services.setup.now.config });
  const builtins = builtinTools({
    ...services,
    ...services.bounds,
    settings: config.tools,
    workspaceRules: {
      maxRead: config.tools.read_file.max_bytes,
      maxWrite: config.tools.write_file.max_bytes,
      privatePaths,
    },
    messages: {
      addresses: { addressesOf: (principal, id) => addressesOf(principal, id, services) },
      courier: outboxCourier({ ...services, outbox, whenIdle: parts.delivery.whenIdle }),
      changes: createMessageChanges({
        ...services,
        messages: store.messageChanges,
        marks: parts.marks,
        commands: new Set(services.menu.map(({ name }) => name)),
      }),
      files,
      adapters,
    },
    catalogue: {
      registry: () => registry,
      permissionOf: (tool) => verdictOn(config, tool),
      statisticsOf: runner.statisticsOf,
    },
  });
  const ofFeatures = parts.features.flatMap((feature) => feature.tools?.() ?? []);
  const switches = builtinNames(config);
  const unswitched = ofFeatures.find(({ name }) => !switches.includes(name));
  if (unswitched !== undefined)
    throw new Error(
      `the tool ${unswitched.name} has no switch: the settings of its feature need tools.${unswitched.name}.enabled`,
    );
  const brought = await Promise.all(parts.features.map((feature) => feature.broughtTools?.() ?? []));
  const custom = [...tools, ...customTools(services, { privatePaths })];
  return [
    ...[...builtins, ...ofFeatures].map((registration) => ({ registration, source: { type: 'builtin' } }) as const),
    ...custom.map((registration) => ({ registration, source: { type: 'custom' } }) as const),
    ...brought.flat(),
  ].filter(({ registration, source }) => source.type === 'custom' || !isOff(config, registration.name));
}

/** Makes the registry hold exactly these tools of their sources. A tool whose name is taken is left out. */
function registerAll({ registry, log }: Services, all: readonly ScopedTool[]): void {
  for (const type of ['builtin', 'custom', 'delegate', 'composed'] as const) registry.unregister({ type });
  for (const { registration, source } of all) {
    const { name } = registration;
    const taken = registry.sourceOf(name);
    // A tool from a file may already replace a builtin one.
    const standsIn = [taken?.type, source.type].toSorted().join() === 'builtin,custom';
    if (taken === undefined || standsIn || isSameSource(taken, source)) registry.register(registration, source);
    else log.warn({ tool: name }, 'a tool is left out: its name is taken');
  }
}

/** The most that is stored of a result that is too long for the model, in bytes. */
const mostKept = 20 * 2 ** 20;

/** The conversations that a person may write to: of all their accounts, without duplicates, latest first. */
async function addressesOf(principal: string, id: string, services: Services): Promise<readonly Address[]> {
  const { owners, accounts, rules, store } = services;
  if (owners.isOwner(principal)) return store.addresses.all(id);
  const known = await Promise.all(
    accounts.accountsOf(principal).map(async (account) => {
      const { senderId } = partsOf(account);
      const found = await store.addresses.acquaintancesOf(account);
      // A person heard there before may no longer talk there: the config may have changed.
      return found.filter(({ conversation, name, roles }) =>
        rules.isWelcome({ id: senderId, name, isPerson: true, roles }, conversation),
      );
    }),
  );
  const found = known.length === 1 ? known.flat() : known.flat().toSorted((one, other) => other.seenAt - one.seenAt);
  return [...new Map(found.map(({ address }) => [address.id, address] as const)).values()];
}

/** The operator's commands as tools; each replaces a builtin tool of its name. */
function customTools(services: Services, rules: WorkspaceRules): readonly ToolRegistration[] {
  const { bounds, config } = services;
  // The code that parses and runs commands is loaded by the first call.
  const loaded = once(async () => {
    const [{ processGuard }, { customTool }] = await Promise.all([
      import('../tools/guard/process/process.ts'),
      import('../tools/sources/custom/custom-tool.ts'),
    ]);
    const parts = {
      runProcess: processGuard({ ...services, bounds: bounds.bounds }),
      workspaceAt: workspaces(rules),
      isConfined: bounds.isConfined,
      commandShell: bounds.shell,
      shell: config.tools.shell,
    };
    return (tool: Config['custom_tools'][number]) => customTool(tool, parts);
  });
  return config.custom_tools.map((tool) => {
    const { name, category, description, parameters } = tool;
    const create = once(async () => (await loaded())(tool));
    return { name, category, definition: async () => ({ name, description, parameters }), create };
  });
}
