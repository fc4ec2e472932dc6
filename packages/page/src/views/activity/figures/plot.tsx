import './plot.css';
import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { type Column, Table } from '../../../components/table.tsx';
import { language, say } from '../../../lib/language.ts';
import { isDark } from '../../../lib/theme.ts';
import type { PlotData } from './plot-canvas.ts';
import { figureWords } from './words.ts';

export interface Series {
  readonly name: string;
  readonly values: readonly (number | undefined)[];
}

interface PlotProps {
  readonly title: string;
  readonly help?: string;
  /** What the labels are: the first column of the table. */
  readonly head: string;
  readonly labels: readonly string[];
  readonly series: readonly Series[];
  readonly shape: PlotData['shape'];
  readonly areNames?: boolean;
  /** Beside the plot. */
  readonly format: (value: number) => string;
  /** In the table. The same if not set. */
  readonly exactly?: (value: number) => string;
}

/** Told apart also by those who do not see all colours. */
const palette = {
  light: ['#1f5c93', '#b4560e', '#1d6b3a', '#8a3d8f', '#7f6a00', '#5b6470', '#0f7c86', '#a8261c'],
  dark: ['#7db8ee', '#f0a35e', '#7ccf98', '#d79adb', '#e0c95a', '#a4adb7', '#6fd0d9', '#ff9489'],
} as const;

/** A plot, and the same as a table for those who cannot see it or want to know exactly. */
export function Plot({ title, help, head, labels, series, shape, areNames = false, ...formats }: PlotProps) {
  const { format, exactly = format } = formats;
  const words = say(figureWords);
  const colors = palette[isDark.value ? 'dark' : 'light'];
  const colorOf = (index: number) => colors[index % colors.length] ?? '';
  const columns: readonly Column<Row>[] = [
    { name: 'label', head, cell: ({ label }) => label },
    ...series.map(({ name }, index) => ({
      name: `series-${index}`,
      head: name,
      isNumber: true,
      cell: ({ values }: Row) => written(values[index], exactly),
    })),
  ];
  const rows = labels.map((label, at) => ({ label, values: series.map(({ values }) => values[at]) }));
  return (
    <section class="plot">
      <h2>{title}</h2>
      {help !== undefined && <p class="plot-help">{help}</p>}
      <Canvas
        title={title}
        data={{
          labels,
          shape,
          areNames,
          format,
          series: series.map((one, index) => ({ ...one, color: colorOf(index) })),
        }}
      />
      {series.length > 1 && (
        <ul class="plot-legend" aria-hidden="true">
          {series.map(({ name }, index) => (
            <li key={name}>
              <span class="plot-color" style={{ background: colorOf(index) }} />
              {name}
            </li>
          ))}
        </ul>
      )}
      <details>
        <summary>{words.asTable}</summary>
        <Table label={title} columns={columns} rows={rows} keyOf={({ label }) => label} />
      </details>
    </section>
  );
}

interface Row {
  readonly label: string;
  readonly values: readonly (number | undefined)[];
}

function written(value: number | undefined, format: (value: number) => string): string {
  return value === undefined ? '–' : format(value);
}

/** Loads what draws when it is first needed. */
function Canvas({ title, data }: { readonly title: string; readonly data: PlotData }) {
  const place = useRef<HTMLDivElement>(null);
  const isDrawn = useSignal(false);
  const of = JSON.stringify([data.labels, data.series, data.shape, isDark.value, language.value]);
  useEffect(() => {
    let remove: (() => void) | undefined;
    let isMeant = true;
    void import('./plot-canvas.ts').then(({ drawPlot }) => {
      if (!isMeant || place.current === null) return;
      const style = getComputedStyle(document.documentElement);
      const colors = isDark.peek() ? { text: '#a4adb7', grid: '#363c43' } : { text: '#565f69', grid: '#d5dae0' };
      remove = drawPlot(place.current, data, { ...colors, font: style.fontFamily });
      isDrawn.value = true;
    });
    return () => {
      isMeant = false;
      remove?.();
    };
  }, [of, isDrawn]);
  return <div ref={place} class="plot-canvas" role="img" aria-label={title} data-drawn={isDrawn.value} />;
}
