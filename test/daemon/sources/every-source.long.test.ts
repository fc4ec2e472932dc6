import { describe, expect, test } from 'vitest';
import {
  deedNames,
  type Fate,
  type Fates,
  type Kind,
  type SourceName,
  sourceSetting,
  sources,
} from './source-setting.ts';

const policies = ['always_allow', 'always_require', 'require_for_tools', 'require_for_dangerous'] as const;
type Policy = (typeof policies)[number];
type Mode = 'observer' | 'assistant' | 'autonomous';

/** A tool that writes, one that reads, and what hands over to another run: under each policy, in the order of these. */
interface Row {
  readonly mode: Mode;
  readonly isTainted: boolean;
  readonly write: readonly Fate[];
  readonly read: readonly Fate[];
  readonly handedOver: readonly Fate[];
}

const asksByPolicy: readonly Fate[] = ['runs', 'asks', 'asks', 'runs'];
const refused: readonly Fate[] = ['refused', 'refused', 'refused', 'refused'];
const always: readonly Fate[] = ['asks', 'asks', 'asks', 'asks'];
const whereAll: readonly Fate[] = ['runs', 'asks', 'runs', 'runs'];
const whereNamed: readonly Fate[] = ['runs', 'runs', 'asks', 'runs'];
const never: readonly Fate[] = ['runs', 'runs', 'runs', 'runs'];

const table: readonly Row[] = [
  { mode: 'observer', isTainted: false, write: refused, read: asksByPolicy, handedOver: whereAll },
  { mode: 'observer', isTainted: true, write: refused, read: asksByPolicy, handedOver: whereAll },
  {
    mode: 'assistant',
    isTainted: false,
    write: ['runs', 'asks', 'asks', 'asks'],
    read: asksByPolicy,
    handedOver: whereAll,
  },
  { mode: 'assistant', isTainted: true, write: always, read: asksByPolicy, handedOver: whereAll },
  { mode: 'autonomous', isTainted: false, write: whereNamed, read: whereNamed, handedOver: never },
  { mode: 'autonomous', isTainted: true, write: always, read: whereNamed, handedOver: never },
];

// Here the usual mode, with the policies that ask least and as usual; in the long run all.
describe.each(table)('in the mode $mode, tainted: $isTainted', (row) => {
  test('a call of every source runs, asks or is refused by the policy, and runs exactly when it should', async () => {
    const setting = await sourceSetting();
    for (const policy of policies) {
      const approval = { policy, require_for: policy === 'require_for_tools' ? deedNames : [] };
      await setting.restart({ agent: { mode: row.mode, burst_ms: 0 }, approval });
      for (const kind of ['write', 'read'] as const) {
        const found: [string, Fates][] = [];
        for (const source of sources) found.push([source, await setting.fate(source, kind, row.isTainted)]);
        const wanted = sources.map((source) => [source, fates(source, kind, policy, row)]);
        expect({ policy, kind, fates: Object.fromEntries(found) }).toEqual({
          policy,
          kind,
          fates: Object.fromEntries(wanted),
        });
      }
    }
  });
});

function fates(source: SourceName, kind: Kind, policy: Policy, row: Row): Fates {
  const at = policies.indexOf(policy);
  const call = row[kind][at] ?? 'refused';
  const handedOver = row.handedOver[at] ?? 'refused';
  return source === 'composed' || source === 'delegate' ? { call, handedOver } : { call };
}
