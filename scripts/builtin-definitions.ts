import { configSchema } from '../src/config/schema.ts';
import { builtinSettingsOf } from '../src/daemon/tool-settings.ts';
import { systemClock } from '../src/lib/clock.ts';
import { builtinTools } from '../src/tools/builtin/index.ts';
import { unbounded } from '../src/tools/guard/process/bounds.ts';
import type { ToolRegistration } from '../src/tools/registry.ts';
import type { ToolScope } from '../src/tools/tool.ts';

export const nobody: ToolScope = {
  channel: 'none',
  chatId: 'none',
  conversationId: 'none:none',
  kind: 'direct',
  workspace: '/nowhere',
  sender: { principal: 'none:nobody', name: 'Nobody' },
};

const unused = (): never => {
  throw new Error('No tool is used here.');
};

/** The builtin tools as this config has them, but with nothing behind them: to be looked at, not used. */
export function toolsToLookAt(settings: Readonly<Record<string, unknown>> = {}): readonly ToolRegistration[] {
  const config = configSchema({}).parse({ tools: settings });
  const { tools } = config;
  return builtinTools({
    clock: systemClock,
    environment: {},
    bounds: unbounded,
    isConfined: () => false,
    settings: builtinSettingsOf(config),
    planning: {
      store: { add: unused, ofPerson: unused, cancel: unused },
      accountsOf: unused,
      clock: systemClock,
      settings: { timeZone: unused, maxEntries: tools.schedule.max_entries },
      planned: unused,
    },
    memory: {
      memories: { remember: unused, search: unused, forget: unused },
      accountsOf: unused,
      clock: systemClock,
      settings: { maxEntries: tools.memory_store.max_entries, maxChars: tools.memory_store.max_chars },
    },
    messages: {
      addresses: { addressesOf: unused },
      courier: { reaches: unused, send: unused },
      files: { keep: unused },
      fileLimitOf: unused,
    },
    composing: { store: { add: unused }, registry: unused, clock: systemClock, most: 1, maxDepth: 1 },
    catalogue: { registry: unused, permissionOf: unused, statisticsOf: unused },
  });
}

/** The text of `src/tools/builtin/definitions.json`: what each of them says of itself. */
export async function usualDefinitions(): Promise<string> {
  const definitions = await Promise.all(
    toolsToLookAt().map(async ({ name, create }) => [name, await (await create(nobody)).spec()] as const),
  );
  return `${JSON.stringify(Object.fromEntries(definitions.sort(([a], [b]) => (a < b ? -1 : 1))), null, 2)}\n`;
}
