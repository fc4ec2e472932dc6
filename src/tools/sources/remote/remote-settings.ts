import type { ToolCategory } from '../../category.ts';
import { matchesAny } from '../../tool-pattern.ts';

/** What the operator says of the tools that devices offer. Patterns are of the devices' names of them. */
export interface RemoteSettings {
  /** Whether devices may offer tools at all. */
  readonly enabled: boolean;
  /** The tools that a device may offer, by its id, by its name, or by `*` for all that are not named. */
  readonly allowed: Readonly<Record<string, readonly string[]>>;
  /** What tools touch. The first pattern that fits counts. */
  readonly categories: Readonly<Record<string, ToolCategory>>;
  /** How long a call may take without a sign of life, in milliseconds. */
  readonly timeout: number;
  /** The same for some tools. The first pattern that fits counts. */
  readonly timeouts: Readonly<Record<string, number>>;
  /** Text and files of one result together. */
  readonly maxResultBytes: number;
  /** Tools that do no harm if they run twice. */
  readonly idempotent: readonly string[];
}

/** What holds for one tool. */
export interface ToolRules {
  readonly category: ToolCategory;
  /** In milliseconds. */
  readonly timeout: number;
  readonly isIdempotent: boolean;
}

/** Whether the device may offer a tool of this name. What is said of it by its id goes before its name, that before `*`. */
export function isAllowed(
  tool: string,
  device: { readonly id: string; readonly name: string },
  { enabled, allowed }: RemoteSettings,
): boolean {
  const named = [device.id, device.name, '*'].find((key) => Object.hasOwn(allowed, key));
  return enabled && named !== undefined && matchesAny(allowed[named] ?? [], tool);
}

/** A tool touches hardware unless the operator says otherwise: so a person is asked. */
export function rulesFor(tool: string, { categories, timeout, timeouts, idempotent }: RemoteSettings): ToolRules {
  return {
    category: firstFitting(categories, tool) ?? 'hardware',
    timeout: firstFitting(timeouts, tool) ?? timeout,
    isIdempotent: matchesAny(idempotent, tool),
  };
}

function firstFitting<Value>(byPattern: Readonly<Record<string, Value>>, tool: string): Value | undefined {
  return Object.entries(byPattern).find(([pattern]) => matchesAny([pattern], tool))?.[1];
}
