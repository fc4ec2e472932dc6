import { useEffect, useRef } from 'preact/hooks';
import type { CallWire, DifferenceWire, SavedWire, WireValue } from '../../../../../src/features/page/wire/settings.ts';
import { Diff } from '../../components/approval/diff.tsx';
import { Badge } from '../../components/badge.tsx';
import { Button } from '../../components/button.tsx';
import { Notice } from '../../components/notice.tsx';
import { Table } from '../../components/table.tsx';
import { say } from '../../lib/language.ts';
import { FaultList } from './fault-list.tsx';
import { type Proposal, proposing, saveProposal } from './saving.ts';
import { settingsWords } from './words.ts';

/** Shows what would be written before it is, and then what came of it. */
export function Review({ file }: { readonly file: string }) {
  const now = proposing.value;
  const heading = useRef<HTMLHeadingElement>(null);
  const step = now?.step === 'done' ? 'done' : 'looking';
  // It stands where something else stood: who reads with a screen reader begins here.
  useEffect(() => heading.current?.focus(), [step]);
  if (now === undefined) return null;
  return (
    <section class="settings-review" aria-labelledby="settings-review">
      <h2 id="settings-review" ref={heading} tabIndex={-1}>
        {say(settingsWords).review.title}
      </h2>
      {now.step === 'done' ? (
        <Done saved={now.saved} />
      ) : (
        <Looking proposal={now.proposal} file={file} isSaving={now.step === 'saving'} />
      )}
    </section>
  );
}

function close(): void {
  proposing.value = undefined;
}

interface LookingProps {
  readonly proposal: Proposal;
  readonly file: string;
  readonly isSaving: boolean;
}

function Looking({ proposal, file, isSaving }: LookingProps) {
  const words = say(settingsWords).review;
  const { before, text, check } = proposal;
  const isSame = before.text === text;
  const isUsable = check.faults.length === 0;
  return (
    <>
      {isSame && <p>{words.nothing}</p>}
      {!isSame && <Differences differences={check.differences} />}
      {!isUsable && (
        <Notice kind="danger" title={words.faulty}>
          <FaultList faults={check.faults} />
        </Notice>
      )}
      <Warnings warnings={check.warnings} />
      {check.calls.length > 0 && <Calls calls={check.calls} />}
      {!isSame && before.text !== null && (
        <>
          <h3>{words.text}</h3>
          <Diff path={file} before={before.text} after={text} />
        </>
      )}
      <div class="settings-actions settings-foot">
        <Button
          style="primary"
          isBusy={isSaving}
          isDisabled={isSame || !isUsable}
          onPress={() => void saveProposal(proposal)}
        >
          {isSaving ? words.saving : words.save}
        </Button>
        <Button onPress={close}>{words.back}</Button>
      </div>
    </>
  );
}

function Warnings({ warnings }: { readonly warnings: readonly string[] }) {
  if (warnings.length === 0) return null;
  return (
    <Notice kind="warning" title={say(settingsWords).text.warnings}>
      <ul class="settings-list">
        {warnings.map((warning) => (
          <li key={warning}>{warning}</li>
        ))}
      </ul>
    </Notice>
  );
}

/** The values that change, key by key. */
function Differences({ differences }: { readonly differences: readonly DifferenceWire[] }) {
  const words = say(settingsWords).review;
  if (differences.length === 0) return <p>{words.onlyForm}</p>;
  return (
    <Table
      label={words.title}
      rows={differences}
      keyOf={({ key }) => key}
      columns={[
        {
          name: 'key',
          head: words.key,
          cell: ({ key, isLate }) => (
            <span>
              <code>{key}</code> {isLate && <Badge kind="warning">{words.late}</Badge>}
            </span>
          ),
        },
        { name: 'before', head: words.before, cell: ({ old }) => <Value value={old} /> },
        { name: 'after', head: words.after, cell: ({ now }) => <Value value={now} /> },
      ]}
    />
  );
}

function Value({ value }: { readonly value: WireValue }) {
  if (value === null) return <span class="settings-faint">{say(settingsWords).notSet}</span>;
  return <code class="settings-value">{typeof value === 'string' ? value : JSON.stringify(value)}</code>;
}

/** What becomes of calls with this config: the answers of the rules themselves. */
function Calls({ calls }: { readonly calls: readonly CallWire[] }) {
  const words = say(settingsWords).review;
  return (
    <details class="settings-calls">
      <summary>{words.asks}</summary>
      <Table
        label={words.asks}
        rows={calls}
        keyOf={({ tool, example }) => `${tool} ${example}`}
        columns={[
          {
            name: 'call',
            head: words.call,
            cell: ({ tool, example }) => (
              <span>
                <code>{tool}</code> {example}
              </span>
            ),
          },
          { name: 'fate', head: words.fate, cell: ({ fate }) => <Fate fate={fate} /> },
          { name: 'afterWeb', head: words.afterWeb, cell: ({ afterWeb }) => <Fate fate={afterWeb} /> },
        ]}
      />
    </details>
  );
}

const kinds = { runs: 'good', asks: 'warning', 'is refused': 'danger', 'is off': 'plain' } as const;

function Fate({ fate }: { readonly fate: CallWire['fate'] }) {
  return <Badge kind={kinds[fate]}>{say(settingsWords).review.fates[fate]}</Badge>;
}

function Done({ saved }: { readonly saved: SavedWire }) {
  return (
    <>
      <Outcome saved={saved} />
      <div class="settings-actions">
        <Button style="primary" onPress={close}>
          {say(settingsWords).review.done}
        </Button>
      </div>
    </>
  );
}

function Outcome({ saved }: { readonly saved: SavedWire }) {
  const { review: words, outcome: outcomes } = say(settingsWords);
  switch (saved.type) {
    case 'conflict':
      return <Notice kind="warning">{words.conflict}</Notice>;
    case 'refused':
      return <Notice kind="danger">{saved.why}</Notice>;
    case 'faulty':
      return (
        <Notice kind="danger" title={words.faulty}>
          <FaultList faults={saved.faults} />
        </Notice>
      );
    case 'saved': {
      const { outcome, warnings, kept } = saved;
      const isWell = outcome.type === 'in-force' || outcome.type === 'but';
      return (
        <>
          <div class="settings-outcome" role="status">
            <Notice kind={isWell ? 'good' : 'warning'}>
              {outcome.type === 'but' && outcomes.but(outcome)}
              {outcome.type === 'refused' && outcomes.refused(outcome)}
              {outcome.type !== 'but' && outcome.type !== 'refused' && outcomes[outcome.type]}
            </Notice>
          </div>
          {kept !== null && <p>{words.kept({ file: kept })}</p>}
          <Warnings warnings={warnings} />
        </>
      );
    }
  }
}
