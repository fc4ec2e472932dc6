import { useEffect } from 'preact/hooks';
import type { VersionsWire, VersionTextWire, VersionWire } from '../../../../../src/features/page/wire/settings.ts';
import { Button } from '../../components/button.tsx';
import { Empty, Skeleton } from '../../components/empty.tsx';
import { Fault } from '../../components/notice.tsx';
import { Table } from '../../components/table.tsx';
import { Time } from '../../components/time.tsx';
import { ask } from '../../lib/ask.ts';
import { say } from '../../lib/language.ts';
import { useAsked } from '../../lib/query.ts';
import { toast } from '../../lib/toasts.ts';
import { proposing, unlessRefused, writes } from './saving.ts';
import { settingsWords } from './words.ts';

/** The configs that worked, to compare with and to go back to. */
export function VersionsTab() {
  const { data, error, again } = useAsked<VersionsWire>('settings/versions', ['settings']);
  const words = say(settingsWords).versions;
  const written = writes.value;
  useEffect(() => {
    if (written > 0) again();
  }, [written, again]);
  if (error !== undefined) return <Fault error={error} again={again} />;
  if (data === undefined) return <Skeleton />;
  if (data.versions.length === 0) return <Empty icon="file" title={words.none} />;
  return (
    <section aria-label={words.list}>
      <p class="settings-faint">{words.hint}</p>
      <Table
        label={words.list}
        rows={data.versions}
        keyOf={({ number }) => number}
        columns={[
          { name: 'kept', head: words.columns.kept, cell: ({ keptAt }) => <Time at={keptAt} /> },
          { name: 'differs', head: words.columns.differs, cell: (version) => differsWords(version) },
          {
            name: 'look',
            head: words.look,
            cell: ({ number, differs }) => (
              <Button isDisabled={differs?.length === 0} onPress={() => void propose(number)}>
                {words.look}
              </Button>
            ),
          },
        ]}
      />
    </section>
  );
}

function differsWords({ differs }: VersionWire): string {
  const words = say(settingsWords).versions;
  if (differs === null) return words.unknown;
  if (differs.length === 0) return words.same;
  const keys = differs.slice(0, 3);
  return words.differs({ keys, more: differs.length - keys.length });
}

/** Shows what going back to it would change. */
async function propose(version: number): Promise<void> {
  await unlessRefused(async () => {
    const found = await ask<VersionTextWire>(`settings/versions/${version}`);
    const { before, text, lacking, faults, differences } = found;
    if (lacking.length > 0 || text === null) {
      toast(say(settingsWords).versions.lacking({ keys: lacking }), 'fault');
      return;
    }
    const check = { faults, warnings: [], notes: [], differences, calls: [] };
    proposing.value = { step: 'looking', proposal: { before, text, check, version } };
  });
}
