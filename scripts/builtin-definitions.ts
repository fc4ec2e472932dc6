import { configSchema } from '../src/config/join-settings.ts';
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

/** The builtin tools of this config without implementations: for their definitions only. */
export function toolsToLookAt(settings: Readonly<Record<string, unknown>> = {}): readonly ToolRegistration[] {
  const { tools } = configSchema({}, []).parse({ tools: settings });
  return builtinTools({
    clock: systemClock,
    environment: {},
    bounds: unbounded,
    isConfined: () => false,
    settings: tools,
    messages: {
      addresses: { addressesOf: unused },
      courier: { reaches: unused, send: unused },
      changes: { react: unused, edit: unused },
      files: { keep: unused },
      adapters: new Map(),
    },
    catalogue: { registry: unused, permissionOf: unused, statisticsOf: unused },
  });
}
