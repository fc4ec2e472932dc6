import { useSignalEffect } from '@preact/signals';
import type { ActivityChoices } from '../../../../../../src/features/page/wire/activity.ts';
import { Button } from '../../../components/button.tsx';
import { Empty, Skeleton } from '../../../components/empty.tsx';
import { Fault } from '../../../components/notice.tsx';
import { VirtualList } from '../../../components/virtual-list.tsx';
import { askFile } from '../../../lib/ask.ts';
import { say } from '../../../lib/language.ts';
import { changes } from '../../../lib/live.ts';
import { goTo } from '../../../lib/place.ts';
import { useAsked } from '../../../lib/query.ts';
import { saveFile } from '../../../lib/save-file.ts';
import { toast } from '../../../lib/toasts.ts';
import { activityWords } from '../words.ts';
import { Filters } from './filters.tsx';
import { runFilter, wireQuery } from './run-filter.ts';
import { more, refresh, runList } from './run-list.ts';
import { RunRow } from './run-row.tsx';

/** In pixels; the same in run-row.css. */
const rowHeight = 68;

/** All runs that the person may see, the newest first. */
export function RunsView() {
  const words = say(activityWords);
  const choices = useAsked<ActivityChoices>('runs/choices');
  const hint = changes('runs');
  useSignalEffect(() => {
    hint.value;
    void refresh(wireQuery(runFilter.value).toString());
  });
  const { runs, next, isLoading, error, of } = runList.value;
  const currency = choices.data?.currency ?? 'USD';
  return (
    <>
      <div class="activity-tools">
        <Filters choices={choices.data} />
        <Button icon="download" onPress={() => void download(of)}>
          {words.download}
        </Button>
      </div>
      {error !== undefined && <Fault error={error} again={() => void refresh(of)} />}
      {runs.length === 0 && isLoading && <Skeleton lines={6} />}
      {runs.length === 0 && !isLoading && error === undefined && <NoRuns />}
      {runs.length > 0 && (
        <div class="activity-list">
          <VirtualList
            label={words.runs}
            items={runs}
            rowHeight={rowHeight}
            keyOf={({ id }) => id}
            draw={(run) => <RunRow run={run} currency={currency} />}
            onOpen={({ id }) => goTo(`/activity/${id}`)}
            onNearEnd={next === undefined ? undefined : nearEnd}
          />
        </div>
      )}
      <p class="activity-more" role="status">
        {isLoading && runs.length > 0 ? words.loading : ''}
      </p>
    </>
  );
}

function nearEnd(): void {
  void more();
}

function NoRuns() {
  const words = say(activityWords);
  const isFiltered = Object.keys(runFilter.value).length > 0;
  return (
    <Empty icon="activity" title={isFiltered ? words.noneMatch : words.noRuns}>
      {isFiltered ? words.noneMatchHelp : words.noRunsHelp}
    </Empty>
  );
}

/** The whole list as a file. */
async function download(of: string): Promise<void> {
  const words = say(activityWords);
  try {
    saveFile(await askFile(`runs.jsonl?${of}`), 'keyturn-runs.jsonl');
  } catch (error) {
    toast(words.notDownloaded({ why: error instanceof Error ? error.message : String(error) }), 'fault');
  }
}
