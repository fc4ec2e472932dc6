import type { Figures, ToolFigures } from '../../../../../../src/features/page/wire/activity.ts';
import { Empty, Skeleton } from '../../../components/empty.tsx';
import { Select } from '../../../components/field.tsx';
import { Fault, Notice } from '../../../components/notice.tsx';
import { say } from '../../../lib/language.ts';
import { count } from '../../../lib/numbers.ts';
import { goTo, query } from '../../../lib/place.ts';
import { useAsked } from '../../../lib/query.ts';
import { duration } from '../../../lib/time.ts';
import { money, shortCount } from '../formats.ts';
import { daysBetween, seriesByModel } from './figure-series.ts';
import { Plot } from './plot.tsx';
import { figureWords } from './words.ts';

const choices = ['7', '30', '90'] as const;
const usual = '30';

/** What runs used and took, and how they went, by day. How many days stands in the address. */
export function FiguresView() {
  const words = say(figureWords);
  const days = choices.find((known) => known === query.value.get('days')) ?? usual;
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  const { data, error, again } = useAsked<Figures>(`figures?${new URLSearchParams({ days, zone })}`);
  return (
    <>
      <div class="figures-head">
        <Select
          label={words.days}
          value={days}
          options={choices.map((value) => ({ value, label: words.lastDays({ days: value }) }))}
          onChoose={(value) => goTo(`/activity/figures?days=${value}`, { replace: true })}
        />
      </div>
      {error !== undefined && <Fault error={error} again={again} />}
      {data === undefined && error === undefined && <Skeleton lines={8} />}
      {data !== undefined && <Shown figures={data} days={Number(days)} />}
    </>
  );
}

function Shown({ figures, days: number }: { readonly figures: Figures; readonly days: number }) {
  const words = say(figureWords);
  const { from, models, tools, isCut, currency } = figures;
  if (figures.days.length === 0 && models.length === 0) return <Empty icon="activity" title={words.nothing} />;
  const days = daysBetween(from, number);
  const byDay = new Map(figures.days.map((one) => [one.day, one]));
  const shape = { head: words.day, labels: days };
  const latency = (of: 'medianLatency' | 'slowLatency') => days.map((day) => byDay.get(day)?.[of]);
  const troubled = tools.filter(troublesOf).slice(0, mostTools);
  return (
    <>
      {isCut && <Notice kind="warning">{words.isCut}</Notice>}
      <div class="figures">
        <Plot
          {...shape}
          title={words.tokens}
          series={seriesByModel(models, days, 'tokens')}
          shape="bars"
          format={shortCount}
          exactly={count}
        />
        {models.some(({ cost }) => cost > 0) && (
          <Plot
            {...shape}
            title={words.cost}
            series={seriesByModel(models, days, 'cost')}
            shape="bars"
            format={(value) => money(value, currency)}
          />
        )}
        <Plot
          {...shape}
          title={words.runs}
          series={[{ name: words.runsOf, values: days.map((day) => byDay.get(day)?.runs ?? 0) }]}
          shape="bars"
          format={count}
        />
        <Plot
          {...shape}
          title={words.latency}
          help={words.latencyHelp}
          series={[
            { name: words.median, values: latency('medianLatency') },
            { name: words.slow, values: latency('slowLatency') },
          ]}
          shape="lines"
          format={duration}
        />
        {troubled.length > 0 && <ToolPlot tools={troubled} />}
        <ApprovalPlot figures={figures} />
      </div>
    </>
  );
}

const mostTools = 12;
const troubles = ['failed', 'denied', 'refused', 'expired'] as const;

function troublesOf(tool: ToolFigures): number {
  return troubles.reduce((sum, name) => sum + tool[name], 0);
}

function ToolPlot({ tools }: { readonly tools: readonly ToolFigures[] }) {
  const words = say(figureWords);
  return (
    <Plot
      title={words.tools}
      head={words.tool}
      labels={tools.map(({ tool }) => tool)}
      series={troubles.map((name) => ({ name: words[name], values: tools.map((tool) => tool[name]) }))}
      shape="bars"
      areNames
      format={count}
    />
  );
}

const states = ['approved', 'denied', 'expired', 'cancelled', 'pending', 'byGrant'] as const;

function ApprovalPlot({ figures: { approvals } }: { readonly figures: Figures }) {
  const words = say(figureWords);
  return (
    <Plot
      title={words.approvals}
      head={words.decided}
      labels={[words.total]}
      series={states.map((state) => ({ name: words.states[state], values: [approvals[state]] }))}
      shape="bars"
      areNames
      format={count}
    />
  );
}
