import { modePermits, policyReason } from '../../approval/verdict.ts';
import { approvalWords } from '../../approval/words.ts';
import { settingsIn } from '../../conversation/commands/reports/status.ts';
import { unmarked } from '../../lib/plain-text.ts';
import type { Language } from '../../lib/words.ts';
import { sourceIn } from '../../tools/registry.ts';
import type { ToolScope } from '../../tools/tool.ts';
import type { LocalParts } from './local-parts.ts';
import { machineChannel, machinePrincipal } from './machine.ts';

/** A tool that an owner has in a direct chat. */
export interface ToolFacts {
  readonly name: string;
  readonly category: string;
  /** For a person: `built in`, `server files`. */
  readonly source: string;
  /** `off`: the mode does not permit it. */
  readonly permission: 'asks' | 'never' | 'off';
  /** Why it asks: half a sentence. What was read before may make others ask, too. */
  readonly reason: string | undefined;
}

/** The tools, sorted by source and name. */
export function toolFacts(language: Language, { services }: Pick<LocalParts, 'services'>): readonly ToolFacts[] {
  const { registry, config } = services;
  const settings = settingsIn(undefined, config);
  const tools = registry.list(scopeOf(services)).map(({ name, category, source }): ToolFacts => {
    const because =
      policyReason(settings, name, category) ??
      (category === 'destructive' ? ({ because: 'destructive' } as const) : undefined);
    const isOff = !modePermits(settings.mode, category);
    return {
      name,
      category,
      source: sourceIn(language, source),
      permission: isOff ? 'off' : because === undefined ? 'never' : 'asks',
      reason: isOff || because === undefined ? undefined : unmarked(approvalWords[language].reason(because)),
    };
  });
  return tools.toSorted((one, other) => one.source.localeCompare(other.source) || one.name.localeCompare(other.name));
}

/** As in the direct chat of the first owner. Makes no folder. */
function scopeOf({ owners, config }: LocalParts['services']): ToolScope {
  const [principal = machinePrincipal] = owners.all();
  const chat = { channel: machineChannel, chatId: 'local', kind: 'direct' } as const;
  return {
    ...chat,
    conversationId: machinePrincipal,
    workspace: config.workspace,
    sender: { principal, name: principal },
  };
}
