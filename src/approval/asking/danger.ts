import type { ToolCategory } from '../../tools/tool.ts';

/**
 * Why a call's card looks like no other, so that nobody gets used to its look. `lost`: what it does cannot be undone ·
 * `leaks`: it could carry out what was read here · `strange`: others may have asked for what cannot be taken back.
 */
export type Danger = 'lost' | 'leaks' | 'strange';

interface JudgedDeed {
  /** See `AskReason`. */
  readonly because: string;
  readonly category: ToolCategory;
  /** See `CallFacets`. */
  readonly irreversible: boolean | undefined;
}

/** Undefined for an ordinary call. */
export function dangerOf({ because, category, irreversible = false }: JudgedDeed): Danger | undefined {
  if (because === 'could-leak') return 'leaks';
  if (category === 'destructive' || because === 'destructive' || irreversible) return 'lost';
  return because === 'tainted' && reachesOthers.includes(category) ? 'strange' : undefined;
}

/** What is sent or switched stays so. */
const reachesOthers: readonly ToolCategory[] = ['network_write', 'messaging', 'hardware'];
