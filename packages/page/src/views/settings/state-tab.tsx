import { useState } from 'preact/hooks';
import type {
  LogWire,
  MadeBackupWire,
  ReportWire,
  SettingsWire,
} from '../../../../../src/features/page/wire/settings.ts';
import { Button } from '../../components/button.tsx';
import { Select } from '../../components/field.tsx';
import { Table } from '../../components/table.tsx';
import { Time } from '../../components/time.tsx';
import { tell } from '../../lib/ask.ts';
import { say } from '../../lib/language.ts';
import { sizeText } from '../../lib/numbers.ts';
import { saveFile } from '../../lib/save-file.ts';
import { toast } from '../../lib/toasts.ts';
import { Examination } from './examination.tsx';
import { unlessRefused } from './saving.ts';
import { stateWords } from './state-words.ts';

interface StateProps {
  readonly state: SettingsWire;
  /** It is another one now. */
  readonly onChange: () => void;
}

/** How this Keyturn is, and what keeps it well. */
export function StateTab({ state, onChange }: StateProps) {
  return (
    <div class="settings-cards">
      <Facts state={state} />
      <LogLevel log={state.log} onChange={onChange} />
      {state.file !== null && (
        <>
          <Examination />
          <Backups state={state} onChange={onChange} />
          <Report />
        </>
      )}
    </div>
  );
}

function Facts({ state }: { readonly state: SettingsWire }) {
  const words = say(stateWords);
  const { version, upSince, dataFolder, file, disk } = state;
  return (
    <section class="settings-card" aria-label={words.facts}>
      <h2>{words.facts}</h2>
      <dl class="settings-facts">
        <dt>{words.version}</dt>
        <dd>{version}</dd>
        <dt>{words.up}</dt>
        <dd>
          <Time at={upSince} />
        </dd>
        <dt>{words.file}</dt>
        <dd>{file ?? words.noFile}</dd>
        <dt>{words.dataFolder}</dt>
        <dd>{dataFolder}</dd>
        {disk !== null && (
          <>
            <dt>{words.free}</dt>
            <dd>{sizeText(disk.free)}</dd>
            <dt>{words.database}</dt>
            <dd>{sizeText(disk.database)}</dd>
          </>
        )}
      </dl>
    </section>
  );
}

function LogLevel({ log, onChange }: { readonly log: LogWire; readonly onChange: () => void }) {
  const words = say(stateWords);
  const { level, configured, levels } = log;
  const choose = (wanted: string) =>
    unlessRefused(async () => {
      await tell<LogWire>('settings/log-level', { level: wanted === configured ? 'default' : wanted });
      onChange();
    });
  return (
    <section class="settings-card" aria-label={words.log}>
      <h2>{words.log}</h2>
      <Select
        label={words.level}
        hint={`${words.logHint} ${words.asConfigured({ level: configured })}`}
        options={levels.map((value) => ({ value, label: value }))}
        value={level}
        onChoose={(wanted) => void choose(wanted)}
      />
    </section>
  );
}

function Backups({ state, onChange }: StateProps) {
  const words = say(stateWords);
  const { backups, backupsKept } = state;
  const [isBusy, setBusy] = useState(false);
  const make = async () => {
    setBusy(true);
    await unlessRefused(async () => {
      const { file } = await tell<MadeBackupWire>('settings/backup');
      toast(words.madeBackup({ file }));
      onChange();
    });
    setBusy(false);
  };
  return (
    <section class="settings-card" aria-label={words.backups}>
      <h2>{words.backups}</h2>
      <p class="settings-faint">{words.backupsHint({ kept: backupsKept })}</p>
      <div class="settings-actions">
        <Button isBusy={isBusy} onPress={() => void make()}>
          {words.makeBackup}
        </Button>
      </div>
      {backups.length === 0 ? (
        <p>{words.noBackups}</p>
      ) : (
        <Table
          label={words.backups}
          rows={backups}
          keyOf={({ file }) => file}
          columns={[
            { name: 'file', head: words.columns.file, cell: ({ file }) => <code>{file}</code> },
            { name: 'made', head: words.columns.made, cell: ({ madeAt }) => <Time at={madeAt} /> },
            { name: 'size', head: words.columns.size, isNumber: true, cell: ({ size }) => sizeText(size) },
          ]}
        />
      )}
    </section>
  );
}

function Report() {
  const words = say(stateWords);
  const [report, setReport] = useState<ReportWire>();
  const [isBusy, setBusy] = useState(false);
  const make = async () => {
    setBusy(true);
    await unlessRefused(async () => setReport(await tell<ReportWire>('settings/report')));
    setBusy(false);
  };
  return (
    <section class="settings-card" aria-label={words.report}>
      <h2>{words.report}</h2>
      <p class="settings-faint">{words.reportHint}</p>
      <div class="settings-actions">
        <Button isBusy={isBusy} onPress={() => void make()}>
          {words.makeReport}
        </Button>
        {report !== undefined && (
          <Button style="primary" icon="download" onPress={() => saveFile(report.text, report.name)}>
            {words.download}
          </Button>
        )}
      </div>
      {report !== undefined && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls can be scrolled with keys
        <section class="settings-report" tabIndex={0} aria-label={words.makeReport}>
          <pre>{report.text}</pre>
        </section>
      )}
    </section>
  );
}
